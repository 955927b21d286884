/**
 * The extractor: the text of a file and its language → symbols and references.
 *
 * One parser serves all languages of one thread. A file that the parser cannot
 * take (nesting, work, a crash of the module) gives no symbols of its own and says
 * why; the files after it are unharmed.
 *
 * Units: UTF-16 text in, 1-based lines out. The budget counts the parser's own
 * steps, never time: the same text gives the same extraction on any machine.
 */
import {
  Language as Grammar,
  Parser,
  Query,
  type Node,
  type QueryMatch,
  type Tree,
} from "web-tree-sitter";
import type { Language } from "../languages/language.ts";
import {
  REFERENCE_KINDS,
  SYMBOL_KINDS,
  type Extraction,
  type ReferenceKind,
  type SymbolKind,
} from "../model/extraction.ts";
import { lineStarts } from "../model/lines.ts";
import { assemble } from "./parse/assemble.ts";
import { noFacts, type Facts } from "./parse/facts.ts";
import { PARSER_WASM, type GrammarSource } from "./parse/grammars.ts";
import { importLeaves } from "./parse/imports.ts";

export { grammarsOnDisk, type GrammarSource } from "./parse/grammars.ts";

export interface ExtractLimits {
  readonly SIGNATURE_CHARS: number;
  readonly DOC_CHARS: number;
  readonly PARSE_STEPS: number;
  readonly NESTING_DEPTH: number;
}
const fromSpec: ExtractLimits = {
  SIGNATURE_CHARS: 240,
  DOC_CHARS: 800,
  PARSE_STEPS: 400_000,
  NESTING_DEPTH: 1000,
};

/** Why a file in a known language was read as text: nested too deep, too much work, or the parser broke on it. */
export type ParseProblem = "depth" | "work" | "crash";

export type Extracted = Extraction & { readonly problem?: ParseProblem };

export interface Extractor {
  /** Loads what the language needs. Quick when it is loaded. Throws: Error where a grammar is missing. */
  prepare(language: Language): Promise<void>;
  /** Throws: Error where the language was not prepared. */
  extract(language: Language, text: string): Extracted;
}

type Role =
  | { readonly def: SymbolKind }
  | { readonly ref: ReferenceKind; readonly component?: true }
  | { readonly is: string }
  | { readonly mark: string };

interface Prepared {
  readonly grammar: Grammar;
  readonly query: Query;
  readonly errors: Query;
  readonly roles: ReadonlyMap<string, Role>;
}

const NOTHING: Extraction = { symbols: [], references: [], errorLine: 0 };

/** @spec extraction-limits */
export async function createExtractor(
  grammars: GrammarSource,
  limits: ExtractLimits = fromSpec,
): Promise<Extractor> {
  const wasmBinary = await grammars(PARSER_WASM);
  await Parser.init({ wasmBinary } as never);
  let parser = new Parser();
  const loaded = new Map<string, Promise<Grammar>>();
  const prepared = new Map<Language, Prepared>();

  const prepare = async (language: Language): Promise<void> => {
    if (prepared.has(language)) return;
    const { grammar: file, query } = language;
    if (file === undefined || query === undefined) return;
    let loading = loaded.get(file);
    if (loading === undefined)
      loaded.set(
        file,
        (loading = grammars(file).then((bytes) => Grammar.load(bytes))),
      );
    const grammar = await loading;
    if (prepared.has(language)) return;
    const compiled = new Query(grammar, query);
    prepared.set(language, {
      grammar,
      query: compiled,
      errors: new Query(grammar, "(ERROR) @error (MISSING) @error"),
      roles: new Map(compiled.captureNames.map((name) => [name, roleOf(name)])),
    });
  };

  const extract = (language: Language, text: string): Extracted => {
    const ready = prepared.get(language);
    if (ready === undefined)
      throw new Error(`language ${language.id} was not prepared`);
    const starts = lineStarts(text);
    const source = blanked(
      text.includes("\n") ? text : text.replaceAll("\r", "\n"),
      language.blank,
    );
    if (deeperThan(source, limits.NESTING_DEPTH))
      return { ...NOTHING, problem: "depth" };
    let tree: Tree | null = null;
    try {
      parser.setLanguage(ready.grammar);
      let steps = 0;
      tree = parser.parse(source, null, {
        progressCallback: () => ++steps > limits.PARSE_STEPS,
      });
      if (tree === null) {
        parser.reset();
        return { ...NOTHING, problem: "work" };
      }
      const root = tree.rootNode;
      const facts = factsOf(
        source,
        ready.query.matches(root),
        ready.roles,
        language,
      );
      return {
        ...assemble(text, starts, facts, language, limits),
        errorLine: root.hasError ? firstError(ready.errors, root) : 0,
      };
    } catch (error) {
      if (!isCrash(error)) throw error;
      parser = new Parser();
      tree = null;
      return { ...NOTHING, problem: "crash" };
    } finally {
      tree?.delete();
    }
  };
  return { prepare, extract };
}

/** A trap of the module or an exhausted stack; anything else is a mistake of ours. */
const isCrash = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof Error && error.constructor.name === "RuntimeError");

function roleOf(capture: string): Role {
  const [head = "", tail = ""] = capture.split(".");
  if (head === "def") {
    const kind = SYMBOL_KINDS.find((k) => k === tail);
    if (kind) return { def: kind };
  }
  if (capture === "ref.component") return { ref: "call", component: true };
  if (head === "ref") {
    const kind =
      tail === "new" ? "instantiate" : REFERENCE_KINDS.find((k) => k === tail);
    if (kind) return { ref: kind };
  }
  if (head === "is") return { is: tail };
  return { mark: capture };
}

/** Text that the grammar stumbles over as blanks: lengths and lines stay. */
const blanked = (text: string, pattern: RegExp | undefined): string =>
  pattern === undefined
    ? text
    : text.replace(pattern, (m) => m.replace(/[^\n]/g, " "));

/**
 * Brackets open at once, strings and comments not told apart.
 * Errs: toward too deep, so that no text can exhaust the module's stack.
 */
function deeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 40 || c === 91 || c === 123) {
      if (++depth > limit) return true;
    } else if ((c === 41 || c === 93 || c === 125) && depth > 0) depth--;
  }
  return false;
}

function firstError(errors: Query, root: Node): number {
  let line = 0;
  for (const { node } of errors.captures(root)) {
    const here = node.startPosition.row + 1;
    if (line === 0 || here < line) line = here;
  }
  return line;
}

const isLower = (code: number): boolean => code >= 97 && code <= 122;

const PLAIN_NAME = /^[@$\p{L}_][\p{L}\p{N}_$]*[?!]?$/u;
const QUOTES = /^["'`<]|["'`>]$/g;

/** What the matches say, as plain data: reading nodes ends here. */
function factsOf(
  text: string,
  matches: readonly QueryMatch[],
  roles: ReadonlyMap<string, Role>,
  language: Language,
): Facts {
  const facts = noFacts();
  const slice = (node: Node): string =>
    text.slice(node.startIndex, node.endIndex);
  match: for (const { patternIndex: pattern, captures } of matches) {
    let def: Node | undefined;
    let kind: SymbolKind | undefined;
    let ref: Node | undefined;
    let refKind: ReferenceKind | undefined;
    let name: Node | undefined;
    let body: Node | undefined;
    let owner: Node | undefined;
    let qualifier: Node | undefined;
    let module: Node | undefined;
    let alias: Node | undefined;
    let scope: Node | undefined;
    for (const capture of captures) {
      const node = capture.node;
      const role = roles.get(capture.name)!;
      if ("ref" in role) {
        if (role.component && isLower(text.charCodeAt(node.startIndex)))
          continue match;
        ref = node;
        refKind = role.ref;
      } else if ("def" in role) {
        def = node;
        kind = role.def;
      } else if ("is" in role) {
        if (slice(node) !== role.is) continue match;
      } else
        switch (role.mark) {
          case "name":
            name = node;
            break;
          case "body":
            body = node;
            break;
          case "owner":
            owner = node;
            break;
          case "qualifier":
            qualifier = node;
            break;
          case "module":
            module = node;
            break;
          case "alias":
            alias = node;
            break;
          case "scope":
            scope = node;
            break;
          case "wrap":
            facts.wraps.push({ start: node.startIndex, end: node.endIndex });
            break;
          case "export":
            facts.exports.push({ start: node.startIndex, end: node.endIndex });
            break;
          case "attr":
            facts.attributes.push({
              start: node.startIndex,
              end: node.endIndex,
            });
            break;
          case "local":
            facts.locals.push({ start: node.startIndex, end: node.endIndex });
            break;
          case "docstring":
            facts.docstrings.push({
              start: node.startIndex,
              end: node.endIndex,
            });
            break;
          case "exported":
            facts.exportedNames.add(slice(node));
            break;
          case "typeparam":
            facts.typeParameters.push({
              name: slice(node),
              at: node.startIndex,
            });
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
            break;
        }
    }
    if (scope !== undefined && owner !== undefined && def === undefined) {
      const said = slice(owner);
      facts.scopes.push({
        start: scope.startIndex,
        end: scope.endIndex,
        name: language.owner?.(said).name ?? said,
      });
    }
    if (kind !== undefined && def !== undefined && name !== undefined)
      facts.definitions.push({
        pattern,
        kind,
        name: slice(name).replace(QUOTES, ""),
        nameAt: name.startIndex,
        start: def.startIndex,
        end: def.endIndex,
        bodyAt: body?.startIndex ?? -1,
        owner: owner === undefined ? "" : slice(owner),
      });
    if (module !== undefined) {
      const from = slice(module).replace(QUOTES, "");
      facts.references.push({
        pattern,
        kind: "import",
        name:
          ref === undefined
            ? moduleName(from, language.moduleSeparator)
            : slice(ref).replace(QUOTES, ""),
        nameAt: (ref ?? module).startIndex,
        qualifier: from,
        alias: alias === undefined ? "" : slice(alias),
        aliasAt: alias?.startIndex ?? -1,
      });
    } else if (ref !== undefined && refKind !== undefined)
      facts.references.push({
        pattern,
        kind: refKind,
        name: slice(ref).replace(QUOTES, ""),
        nameAt: ref.startIndex,
        qualifier:
          qualifier === undefined
            ? ""
            : qualifierOf(text, qualifier.startIndex, ref.startIndex),
        alias: alias === undefined ? "" : slice(alias),
        aliasAt: alias?.startIndex ?? -1,
      });
  }
  return facts;
}

/** The plain name before the last dot, arrow or `::`; of a path `a::b::c()`, the part before the last. */
function qualifierOf(text: string, start: number, nameAt: number): string {
  if (nameAt - start > 120) return "";
  const said = text
    .slice(start, nameAt)
    .replace(/\s*(?:\?\.|!\.|&\.|\?->|->|::|\\|[.:])\s*$/, "");
  const last = said.includes("::")
    ? said.slice(said.lastIndexOf("::") + 2)
    : said;
  return PLAIN_NAME.test(last) ? last : "";
}

/** The last part of a module's name, without a file ending. */
function moduleName(module: string, separator: RegExp = /\//): string {
  const last =
    module.split(separator).findLast((part) => part !== "") ?? module;
  return last.replace(/(?<=.)\.[A-Za-z]\w{0,4}$/, "");
}
