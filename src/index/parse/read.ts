/**
 * Query matches → facts: what the captures of `languages/language.ts` stand for.
 * Reading nodes of the parser ends here.
 *
 * Units: offsets in UTF-16 units.
 */
import type { Node, QueryMatch } from "web-tree-sitter";
import type { Language } from "../../languages/language.ts";
import {
  REFERENCE_KINDS,
  SYMBOL_KINDS,
  type ReferenceKind,
  type SymbolKind,
} from "../../model/extraction.ts";
import { noFacts, type Facts, type Range } from "./facts.ts";
import { importLeaves } from "./imports.ts";

/** What a capture's name stands for. */
export type Role =
  | { readonly as: "def"; readonly kind: SymbolKind }
  | {
      readonly as: "ref";
      readonly kind: ReferenceKind;
      readonly component: boolean;
    }
  | { readonly as: "is"; readonly words: readonly string[] }
  | { readonly as: "part"; readonly part: Part }
  | { readonly as: "mark"; readonly mark: Mark };

const PARTS = [
  "name",
  "body",
  "owner",
  "qualifier",
  "module",
  "alias",
  "subject",
  "scope",
] as const;
type Part = (typeof PARTS)[number];
const MARKS = [
  "wrap",
  "export",
  "exported",
  "attr",
  "local",
  "docstring",
  "typeparam",
  "import.tree",
] as const;
type Mark = (typeof MARKS)[number];

/** Throws: Error on a capture that stands for nothing, which is the entry's mistake. */
export function roleOf(capture: string): Role {
  const [head = "", ...rest] = capture.split(".");
  const tail = rest.join(".");
  const def = head === "def" ? SYMBOL_KINDS.find((k) => k === tail) : undefined;
  if (def) return { as: "def", kind: def };
  if (head === "is") return { as: "is", words: rest.map((w) => w || ".") };
  if (head === "ref") {
    const kind =
      tail === "new"
        ? "instantiate"
        : tail === "component"
          ? "call"
          : REFERENCE_KINDS.find((k) => k === tail);
    if (kind) return { as: "ref", kind, component: tail === "component" };
  }
  const part = PARTS.find((p) => p === capture);
  if (part) return { as: "part", part };
  const mark = MARKS.find((m) => m === capture);
  if (mark) return { as: "mark", mark };
  throw new Error(`no capture is called @${capture}`);
}

/** The nodes of one match by what they stand for. */
interface Match extends Partial<Record<Part, Node>> {
  is?: number[];
  def?: Node;
  kind?: SymbolKind;
  ref?: Node;
  refKind?: ReferenceKind;
}

export function readMatches(
  text: string,
  matches: readonly QueryMatch[],
  roles: ReadonlyMap<string, Role>,
  language: Language,
): Facts {
  const facts = noFacts();
  const slice = (node: Node): string =>
    text.slice(node.startIndex, node.endIndex);
  for (const { patternIndex, captures } of matches) {
    const match: Match = {};
    let counts = true;
    for (const { name, node } of captures) {
      const role = roles.get(name)!;
      switch (role.as) {
        case "def":
          match.def = node;
          match.kind = role.kind;
          break;
        case "ref":
          match.ref = node;
          match.refKind = role.kind;
          if (role.component && isLower(text.charCodeAt(node.startIndex)))
            counts = false;
          break;
        case "part":
          match[role.part] = node;
          break;
        case "is":
          if (role.words.includes(slice(node)))
            (match.is ??= []).push(node.startIndex);
          else counts = false;
          break;
        case "mark":
          if (counts)
            note(facts, role.mark, node, slice, language, patternIndex);
      }
      if (!counts) break;
    }
    if (counts) put(facts, match, patternIndex, text, slice, language);
  }
  return facts;
}

const rangeOf = (node: Node): Range => ({
  start: node.startIndex,
  end: node.endIndex,
});

function note(
  facts: Facts,
  mark: Mark,
  node: Node,
  slice: (node: Node) => string,
  language: Language,
  pattern: number,
): void {
  switch (mark) {
    case "wrap":
      facts.wraps.push(rangeOf(node));
      break;
    case "export":
      facts.exports.push(rangeOf(node));
      break;
    case "exported":
      facts.exportedNames.add(slice(node));
      break;
    case "attr":
      facts.attributes.push(rangeOf(node));
      break;
    case "local":
      facts.locals.push(rangeOf(node));
      break;
    case "docstring":
      facts.docstrings.push(rangeOf(node));
      break;
    case "typeparam":
      facts.typeParameters.push({ name: slice(node), at: node.startIndex });
      break;
    case "import.tree":
      for (const leaf of importLeaves(slice(node), language.importTree!))
        facts.references.push({
          pattern,
          kind: "import",
          name: leaf.name,
          nameAt: node.startIndex + leaf.at,
          qualifier: leaf.module,
          alias: leaf.alias,
          aliasAt: -1,
        });
  }
}

const QUOTES = /^["'`<]|["'`>]$/g;

function put(
  facts: Facts,
  match: Match,
  pattern: number,
  text: string,
  slice: (node: Node) => string,
  language: Language,
): void {
  const { def, kind, name, ref, refKind, module, alias, scope, owner } = match;
  for (const at of match.is ?? []) facts.taken.push({ pattern, at });
  for (const node of [owner, module])
    if (node !== undefined) facts.taken.push({ pattern, at: node.startIndex });
  if (scope !== undefined && owner !== undefined) {
    const said = slice(owner);
    facts.scopes.push({
      ...rangeOf(scope),
      name: language.owner?.(said).name ?? said,
    });
  } else if (kind !== undefined && def !== undefined && name !== undefined)
    facts.definitions.push({
      pattern,
      kind,
      name: nameOf(slice(name)),
      nameAt: name.startIndex,
      start: def.startIndex,
      end: def.endIndex,
      bodyAt: match.body?.startIndex ?? -1,
      owner: owner === undefined ? "" : slice(owner),
    });
  if (module === undefined && ref === undefined) return;
  const from = module === undefined ? "" : unquoted(slice(module));
  const used =
    ref === undefined ? moduleName(from, language) : nameOf(slice(ref));
  // The parser makes up empty nodes to mend an error.
  if (used === "") return;
  facts.references.push({
    pattern,
    kind: module === undefined ? refKind! : "import",
    name: used,
    nameAt: (ref ?? module)!.startIndex,
    qualifier:
      module !== undefined
        ? from
        : ref === undefined
          ? ""
          : before(match, ref, text, slice, language),
    alias: alias === undefined ? "" : slice(alias),
    aliasAt: alias?.startIndex ?? -1,
  });
}

const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;

const unquoted = (text: string): string =>
  /^["'`<]/.test(text) ? text.replace(QUOTES, "") : text;

/** Names of keys may be quoted, and symbols of Ruby begin with a colon. */
const nameOf = (text: string): string =>
  isQuote(text.charCodeAt(0))
    ? text.replace(QUOTES, "")
    : text.startsWith(":")
      ? text.slice(1)
      : text;

const isQuote = (code: number): boolean =>
  code === 0x22 || code === 0x27 || code === 0x60;

/**
 * The plain name before the last dot, arrow or `::`; of a path `a::b::c()`, the part
 * before the last; empty where an expression stands there.
 * Reads backward from the name: what stands before it may be as long as the file.
 * @spec plain-qualifiers
 */
function before(
  match: Match,
  ref: Node,
  text: string,
  slice: (node: Node) => string,
  language: Language,
): string {
  if (match.subject !== undefined) return slice(match.subject);
  if (match.qualifier === undefined) return "";
  const first = match.qualifier.startIndex;
  let end = ref.startIndex;
  while (end > first && !isWordPart(text[end - 1]!) && text[end - 1] !== ">")
    end--;
  if (text[end - 1] === ">" && text[end - 2] !== "-") {
    // `Ring<T>::make`, `Vec::<T>::new`: the name before the arguments.
    const head = /^[\p{L}_$][\p{L}\p{N}_$]*(?=(?:::)?<)/u.exec(
      text.slice(first, end),
    );
    return head?.[0] ?? "";
  }
  while (end > first && !isWordPart(text[end - 1]!)) end--;
  let start = end;
  while (start > first && isWordPart(text[start - 1]!)) start--;
  // What lies between is the separator, or the end of an expression: `f().name`.
  if (/[)\]}"'`]/.test(text.slice(end, ref.startIndex))) return "";
  const isPath = text.startsWith("::", start - 2) || text[start - 1] === "\\";
  if (start > first && !isPath) return "";
  const name = text.slice(start, end);
  const plain = language.sigils ? name.replace(language.sigils, "") : name;
  return /^[\p{L}_$@]/u.test(plain) ? plain : "";
}

function isWordPart(c: string): boolean {
  const code = c.charCodeAt(0);
  if (code < 0x80) return /[\w$@]/.test(c);
  return /[\p{L}\p{N}]/u.test(c);
}

/** The last part of a module's name, without a file ending. */
function moduleName(
  module: string,
  { moduleSeparator = /\//, moduleSuffix }: Language,
): string {
  const path = moduleSuffix ? module.replace(moduleSuffix, "") : module;
  const last = path.split(moduleSeparator).findLast((part) => part !== "");
  return (last ?? module)
    .replace(/(?<=.)<[^]*$/, "")
    .replace(/(?<=.)\.[A-Za-z]\w{0,4}$/, "");
}
