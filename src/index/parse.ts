/**
 * The extractor: the text of a file and its language → symbols and references.
 *
 * One parser serves all languages of one thread. A file that the parser cannot
 * take (too much work, a crash of the module) says so and gives what its outline
 * knows; the files after it are unharmed.
 *
 * Units: UTF-16 text in, 1-based lines out. The budgets count the parser's own
 * steps, never time: the same text gives the same extraction on any machine.
 */
import {
  Language as Grammar,
  Parser,
  Query,
  type Node,
  type Tree,
} from "web-tree-sitter";
import { languageById, type Language } from "../languages/index.ts";
import type {
  Extraction,
  Reference,
  SymbolDefinition,
} from "../model/extraction.ts";
import { lineStarts } from "../model/lines.ts";
import { limits as specLimits, type Limits } from "../spec.gen.ts";
import { assemble } from "./parse/assemble.ts";
import { budget } from "./parse/budget.ts";
import { PARSER_WASM, type GrammarSource } from "./parse/grammars.ts";
import { scriptsOf } from "./parse/hosts.ts";
import { Matches } from "./parse/matches.ts";
import { withoutAnalysis } from "./parse/module.ts";
import { outlineFacts } from "./parse/outline.ts";
import { readMatches, roleOf, type Role } from "./parse/read.ts";
import { startParser } from "./parse/start.ts";

export { grammarsOnDisk, type GrammarSource } from "./parse/grammars.ts";

export type ExtractLimits = Pick<
  Limits,
  "SIGNATURE_CHARS" | "DOC_CHARS" | "PARSE_STEPS" | "QUERY_STEPS"
>;

/** Why a file in a known language was read as text: too much work, or the parser broke on it. */
export type ParseProblem = "work" | "crash";

export type Extracted = Extraction & { readonly problem?: ParseProblem };

export interface Extractor {
  /** Loads what the language needs. Quick when it is loaded. Throws: Error where a grammar is missing. */
  prepare(language: Language): Promise<void>;
  /** Throws: Error where the language was not prepared. */
  extract(language: Language, text: string, limits?: ExtractLimits): Extracted;
}

interface Prepared {
  readonly grammar: Grammar;
  readonly query: Query;
  readonly roles: readonly Role[];
}

const NOTHING: Extraction = { symbols: [], references: [], errorLine: 0 };

/** @spec extraction-limits extraction-is-well-formed error-recovery blanked-macros */
export async function createExtractor(
  grammars: GrammarSource,
): Promise<Extractor> {
  const module = await startParser(async () =>
    withoutAnalysis(await grammars(PARSER_WASM)),
  );
  let parser = new Parser();
  const loaded = new Map<string, Promise<Grammar>>();
  const prepared = new Map<Language, Prepared>();

  const load = async (language: Language): Promise<void> => {
    const { grammar: file, query } = language;
    if (prepared.has(language) || file === undefined || query === undefined)
      return;
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
      roles: compiled.captureNames.map(roleOf),
    });
  };

  const prepare = async (language: Language): Promise<void> => {
    await load(language);
    const guests = new Set(
      language.hosts?.blocks.flatMap((b) => Object.values(b.languages)),
    );
    for (const id of guests) await load(languageById(id)!);
  };

  const extract = (
    language: Language,
    text: string,
    limits: ExtractLimits = specLimits,
  ): Extracted => {
    if (language.hosts)
      return extractHost(language, language.hosts, text, limits);
    if (language.outline)
      return {
        ...assemble(
          text,
          lineStarts(text),
          outlineFacts(withNewlines(text), language.outline),
          language,
          limits,
        ),
        errorLine: 0,
      };
    const ready = prepared.get(language);
    if (ready === undefined)
      throw new Error(`language ${language.id} was not prepared`);
    const source = blanked(withNewlines(text), language.blank);
    let tree: Tree | null = null;
    let matches: Matches | undefined;
    try {
      parser.setLanguage(ready.grammar);
      tree = parser.parse(source, null, {
        progressCallback: budget(limits.PARSE_STEPS),
      });
      if (tree === null) {
        parser.reset();
        return { ...NOTHING, problem: "work" };
      }
      const root = tree.rootNode;
      const spent = budget(limits.QUERY_STEPS);
      matches = new Matches(module, ready.query, tree, spent);
      if (spent.over) return { ...NOTHING, problem: "work" };
      const facts = readMatches(source, matches, ready.roles, language);
      return {
        ...assemble(text, lineStarts(text), facts, language, limits),
        errorLine: root.hasError ? firstError(root) : 0,
      };
    } catch (error) {
      if (!isCrash(error)) throw error;
      parser = new Parser();
      tree = null;
      matches = undefined;
      return { ...NOTHING, problem: "crash" };
    } finally {
      matches?.free();
      tree?.delete();
    }
  };

  const extractHost = (
    language: Language,
    hosts: NonNullable<Language["hosts"]>,
    text: string,
    limits: ExtractLimits,
  ): Extracted => {
    const { scripts, rest } = scriptsOf(text, hosts.blocks);
    const parts = scripts.map((s) =>
      extract(languageById(s.language)!, s.text, limits),
    );
    return joined(parts, elementCalls(language, rest, hosts.calls));
  };
  return { prepare, extract };
}

/** Components that a host's own text uses. */
function elementCalls(
  language: Language,
  rest: string,
  pattern: RegExp,
): Reference[] {
  const starts = lineStarts(rest);
  const calls: Reference[] = [];
  let line = 0;
  for (const m of rest.matchAll(pattern)) {
    while (line + 1 < starts.length && starts[line + 1]! <= m.index) line++;
    const name = m.groups!["name"]!;
    if (!language.builtinCalls?.has(name))
      calls.push({
        name,
        kind: "call",
        line: line + 1,
        within: -1,
        qualifier: "",
        alias: "",
      });
  }
  return calls;
}

/** Extractions of parts of one file as one, in the order of lines. */
function joined(
  parts: readonly Extracted[],
  more: readonly Reference[],
): Extracted {
  const [only] = parts;
  if (parts.length === 1 && more.length === 0) return only!;
  const all: { symbol: SymbolDefinition; key: string; parent: string }[] = [];
  const references: { reference: Reference; key: string }[] = more.map(
    (reference) => ({ reference, key: "" }),
  );
  parts.forEach((part, p) => {
    const key = (i: number): string => (i < 0 ? "" : `${p} ${i}`);
    part.symbols.forEach((symbol, i) =>
      all.push({ symbol, key: key(i), parent: key(symbol.container) }),
    );
    for (const reference of part.references)
      references.push({ reference, key: key(reference.within) });
  });
  // Stable: a container stays before what it contains.
  all.sort((a, b) => a.symbol.span[0] - b.symbol.span[0]);
  references.sort((a, b) => a.reference.line - b.reference.line);
  const place = new Map([
    ["", -1],
    ...all.map(({ key }, i) => [key, i] as const),
  ]);
  const problem = parts.find((p) => p.problem !== undefined)?.problem;
  return {
    symbols: all.map(({ symbol, parent }) => ({
      ...symbol,
      container: place.get(parent)!,
    })),
    references: references.map(({ reference, key }) => ({
      ...reference,
      within: place.get(key)!,
    })),
    errorLine: parts.find((p) => p.errorLine > 0)?.errorLine ?? 0,
    ...(problem && { problem }),
  };
}

/** A trap of the module or an exhausted stack; anything else is a mistake of ours. */
const isCrash = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof Error && error.constructor.name === "RuntimeError");

/** Grammars know `\n`; a text without any is one of lone `\r` (see `model/lines.ts`). */
const withNewlines = (text: string): string =>
  text.includes("\n") ? text : text.replaceAll("\r", "\n");

/** Texts that the grammar stumbles over replaced: lengths and lines stay. */
const blanked = (text: string, blank: Language["blank"] = []): string =>
  blank.reduce(
    (out, { pattern, as }) =>
      out.replace(
        pattern,
        (m) => as + m.slice(as.length).replace(/[^\n]/g, " "),
      ),
    text,
  );

/** The 1-based line of the first node that is an error or was made up to mend one; 0 for none. */
function firstError(root: Node): number {
  const cursor = root.walk();
  try {
    for (;;) {
      const node = cursor.currentNode;
      if (node.isError || node.isMissing) return node.startPosition.row + 1;
      if (node.hasError && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return 0;
    }
  } finally {
    cursor.delete();
  }
}
