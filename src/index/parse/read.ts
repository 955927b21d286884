/**
 * Query matches → facts: what the captures of `languages/language.ts` stand for.
 * Reading nodes of the parser ends here.
 *
 * Units: offsets in UTF-16 units.
 */
import type { Language } from "../../languages/language.ts";
import {
  REFERENCE_KINDS,
  SYMBOL_KINDS,
  type ReferenceKind,
  type SymbolKind,
} from "../../model/extraction.ts";
import { noFacts, type Facts, type Range } from "./facts.ts";
import { importLeaves } from "./imports.ts";
import { NO_NODE, type Matches, type Node } from "./matches.ts";

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
interface Match extends Record<Part, Node> {
  is: number[] | undefined;
  def: Node;
  kind: SymbolKind | undefined;
  ref: Node;
  refKind: ReferenceKind | undefined;
}

const emptyMatch = (): Match => ({
  name: NO_NODE,
  body: NO_NODE,
  owner: NO_NODE,
  qualifier: NO_NODE,
  module: NO_NODE,
  alias: NO_NODE,
  subject: NO_NODE,
  scope: NO_NODE,
  is: undefined,
  def: NO_NODE,
  kind: undefined,
  ref: NO_NODE,
  refKind: undefined,
});

/** The text that is matched, and what to know of its nodes and language. */
interface Source {
  readonly text: string;
  readonly matches: Matches;
  readonly language: Language;
}

export function readMatches(
  text: string,
  matches: Matches,
  /** By the captures' place among the names of the query. */
  roles: readonly Role[],
  language: Language,
): Facts {
  const facts = noFacts();
  const source: Source = { text, matches, language };
  while (matches.next()) {
    const match = emptyMatch();
    const { pattern } = matches;
    let counts = true;
    for (let i = 0; i < matches.count && counts; i++) {
      const role = roles[matches.capture(i)]!;
      const node = matches.node(i);
      switch (role.as) {
        case "def":
          match.def = node;
          match.kind = role.kind;
          break;
        case "ref":
          match.ref = node;
          match.refKind = role.kind;
          if (role.component && isLower(text.charCodeAt(matches.start(node))))
            counts = false;
          break;
        case "part":
          match[role.part] = node;
          break;
        case "is":
          if (role.words.includes(slice(source, node)))
            (match.is ??= []).push(matches.start(node));
          else counts = false;
          break;
        case "mark":
          note(facts, role.mark, node, source, pattern);
      }
    }
    if (counts) put(facts, match, pattern, source);
  }
  return facts;
}

const slice = ({ text, matches }: Source, node: Node): string =>
  text.slice(matches.start(node), matches.end(node));

const rangeOf = ({ matches }: Source, node: Node): Range => ({
  start: matches.start(node),
  end: matches.end(node),
});

function note(
  facts: Facts,
  mark: Mark,
  node: Node,
  source: Source,
  pattern: number,
): void {
  const at = source.matches.start(node);
  switch (mark) {
    case "wrap":
      facts.wraps.push(rangeOf(source, node));
      break;
    case "export":
      facts.exports.push(rangeOf(source, node));
      break;
    case "exported":
      facts.exportedNames.add(slice(source, node));
      break;
    case "attr":
      facts.attributes.push(rangeOf(source, node));
      break;
    case "local":
      facts.locals.push(rangeOf(source, node));
      break;
    case "docstring":
      facts.docstrings.push(rangeOf(source, node));
      break;
    case "typeparam":
      facts.typeParameters.push({ name: slice(source, node), at });
      break;
    case "import.tree":
      for (const leaf of importLeaves(
        slice(source, node),
        source.language.importTree!,
      ))
        facts.references.push({
          pattern,
          kind: "import",
          name: leaf.name,
          nameAt: at + leaf.at,
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
  source: Source,
): void {
  const { matches, language } = source;
  const textOf = (node: Node): string => slice(source, node);
  const { def, kind, name, ref, refKind, module, alias, scope, owner } = match;
  for (const at of match.is ?? []) facts.taken.push({ pattern, at });
  if (owner !== NO_NODE)
    facts.taken.push({ pattern, at: matches.start(owner) });
  if (module !== NO_NODE)
    facts.taken.push({ pattern, at: matches.start(module) });
  if (scope !== NO_NODE && owner !== NO_NODE) {
    const said = textOf(owner);
    facts.scopes.push({
      ...rangeOf(source, scope),
      name: language.owner?.(said).name ?? said,
    });
  } else if (kind !== undefined && def !== NO_NODE && name !== NO_NODE)
    facts.definitions.push({
      pattern,
      kind,
      name: nameOf(textOf(name)),
      nameAt: matches.start(name),
      start: matches.start(def),
      end: matches.end(def),
      bodyAt: match.body === NO_NODE ? -1 : matches.start(match.body),
      owner: owner === NO_NODE ? "" : textOf(owner),
    });
  if (module === NO_NODE && ref === NO_NODE) return;
  const from = module === NO_NODE ? "" : unquoted(textOf(module));
  const used =
    ref === NO_NODE ? moduleName(from, language) : nameOf(textOf(ref));
  // The parser makes up empty nodes to mend an error.
  if (used === "") return;
  facts.references.push({
    pattern,
    kind: module === NO_NODE ? refKind! : "import",
    name: used,
    nameAt: matches.start(ref === NO_NODE ? module : ref),
    qualifier: module === NO_NODE ? before(match, ref, source) : from,
    alias: alias === NO_NODE ? "" : textOf(alias),
    aliasAt: alias === NO_NODE ? -1 : matches.start(alias),
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
function before(match: Match, ref: Node, source: Source): string {
  const { text, matches, language } = source;
  if (match.subject !== NO_NODE) return slice(source, match.subject);
  if (match.qualifier === NO_NODE) return "";
  const first = matches.start(match.qualifier);
  const at = matches.start(ref);
  let end = at;
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
  if (/[)\]}"'`]/.test(text.slice(end, at))) return "";
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
