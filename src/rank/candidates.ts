/**
 * What a question is about: the definitions it names, and the files whose text
 * answers it, best first. Nothing here reads a file; the index is enough.
 *
 * Units: lines are 1-based and inclusive. Scores only compare within one answer.
 */
import type { FileRow } from "../model/file.ts";
import type { Span } from "../model/span.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { IndexReader, SymbolRow } from "../store/store.ts";
import { Graph } from "./graph.ts";
import { lexical, type PassageHit } from "./lexical.ts";
import type { Query, QueryName } from "./query.ts";

export interface Candidate {
  readonly file: FileRow;
  readonly score: number;
  /** Definitions that the question names. */
  readonly named: readonly SymbolRow[];
  /** The question names this file. */
  readonly namedPath: boolean;
  /** The lines of it that the question asks for; empty for all. */
  readonly lines: readonly Span[];
  /** Passages of the file that match, best first. */
  readonly hits: readonly PassageHit[];
  /** The definitions of the file, in order. */
  readonly symbols: readonly SymbolRow[];
}

export interface Ranking {
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** Names of the question that no definition has. */
  readonly unknownNames: readonly string[];
  /** Paths of the question that no file has. */
  readonly unknownPaths: readonly string[];
  /** Definitions that the question names, in its order. */
  readonly named: readonly SymbolRow[];
  /** A chain of references between definitions that the question names, with those in between; empty for none. */
  readonly path: readonly SymbolRow[];
  /** One call's view of the references. */
  readonly graph: Graph;
  /** How much of the question's weight the best passage holds, 0 to 1; words that occur nowhere weigh as much as the rarest. */
  readonly coverage: number;
  /** Terms of the question that occur nowhere in the index. */
  readonly unknownTerms: readonly string[];
}

interface Draft {
  file: FileRow;
  text: number;
  name: number;
  path: number;
  named: SymbolRow[];
  lines: Span[];
  hits: PassageHit[];
}

/** @spec rank-names-first rank-roles rank-several-passages */
export function rank(
  index: IndexReader,
  query: Query,
  limits: Limits = fromSpec,
): Ranking {
  const drafts = new Map<number, Draft>();
  const draft = (id: number): Draft | undefined => {
    let d = drafts.get(id);
    if (!d) {
      const file = index.file(id);
      if (!file) return undefined;
      d = { file, text: 0, name: 0, path: 0, named: [], lines: [], hits: [] };
      drafts.set(id, d);
    }
    return d;
  };

  const text = lexical(index, query.terms, limits);
  for (const hit of text.files.values()) {
    const d = draft(hit.file);
    if (!d) continue;
    d.hits = [...hit.passages];
    d.text =
      (1 - limits.WHOLE_FILE_SHARE) *
        passagesScore(hit.passages, text.bestPassage, limits) +
      limits.WHOLE_FILE_SHARE * (hit.score / text.bestFile);
  }

  const unknownNames: string[] = [];
  const named: SymbolRow[] = [];
  for (const name of query.names) {
    const definitions = definitionsOf(index, name, limits);
    if (definitions.length === 0) {
      if (name.distinctive || query.bag) unknownNames.push(name.name);
      continue;
    }
    const trust = name.distinctive || query.bag ? 1 : plainTrust(name);
    if (trust === 0) continue;
    const each = (limits.NAMED_SCORE * trust) / Math.sqrt(definitions.length);
    for (const s of definitions) {
      const d = draft(s.file);
      if (!d) continue;
      if (!d.named.some((x) => x.name === s.name)) d.name += each;
      if (trust < 1) continue;
      d.named.push(s);
      named.push(s);
    }
  }

  const graph = new Graph(index, limits);
  const path = graph.path(
    oneEach(named, index).slice(0, limits.PATH_MAX_NAMES),
  );
  for (const s of path) {
    const d = draft(s.file);
    if (!d || d.named.some((n) => n.ordinal === s.ordinal)) continue;
    d.name += limits.PATH_SCORE;
    d.named.push(s);
  }

  for (const [file, votes] of graph.neighbours(
    [...drafts.values()]
      .map((d) => ({
        file: d.file,
        score: (d.text + d.name) * roleShare(d, query, limits),
        hits: d.hits,
      }))
      .sort((a, b) => b.score - a.score || (a.file.path < b.file.path ? -1 : 1))
      .slice(0, limits.NEIGHBOUR_FILES),
  )) {
    const d = draft(file);
    if (d) d.text += limits.NEIGHBOUR_SCORE * votes;
  }

  const unknownPaths: string[] = [];
  for (const { path, lines } of query.paths) {
    const files = filesOfPath(index, path, limits.MAX_FILES_OF_PATH);
    if (files.length === 0) unknownPaths.push(path);
    for (const file of files) {
      const d = draft(file.id);
      if (!d) continue;
      d.path += limits.NAMED_PATH_SCORE;
      if (lines) d.lines.push(lines);
    }
  }

  const candidates = [...drafts.values()]
    .map((d) => ({
      file: d.file,
      score: (d.text + d.name + d.path) * roleShare(d, query, limits),
      named: d.named,
      namedPath: d.path > 0,
      lines: d.lines,
      hits: d.hits,
    }))
    .sort((a, b) => b.score - a.score || (a.file.path < b.file.path ? -1 : 1))
    .slice(0, limits.MAX_CANDIDATES)
    .map((c) => withSymbols(index, c));
  return {
    candidates,
    unknownNames,
    unknownPaths,
    unknownTerms: text.unknown,
    named,
    path,
    graph,
    coverage: text.coverage,
  };
}

/** Definitions are read where they are asked for: most candidates are never shown. */
function withSymbols(
  index: IndexReader,
  c: Omit<Candidate, "symbols">,
): Candidate {
  let symbols: readonly SymbolRow[] | undefined;
  return {
    ...c,
    get symbols() {
      return (symbols ??= index.symbolsOf(c.file.id));
    },
  };
}

/** The best passage, and a falling share of those after it. */
function passagesScore(
  passages: readonly PassageHit[],
  best: number,
  limits: Pick<Limits, "NEXT_PASSAGE_SHARE">,
): number {
  let score = 0;
  let share = 1;
  for (const hit of passages) {
    score += (hit.score / best) * share;
    share *= limits.NEXT_PASSAGE_SHARE;
  }
  return score;
}

/** A plain word that is also a name counts the more, the less it looks like prose. */
function plainTrust(name: QueryName): number {
  return /^[A-Z]/.test(name.name) ? 0.5 : 0;
}

/** Of several definitions of one name, that of the product's own code, exported before not. */
function oneEach(named: readonly SymbolRow[], index: IndexReader): SymbolRow[] {
  const better = (s: SymbolRow) =>
    (index.file(s.file)?.role === "product" ? 2 : 0) + (s.exported ? 1 : 0);
  const out = new Map<string, SymbolRow>();
  for (const s of named) {
    const before = out.get(s.name);
    if (!before || better(s) > better(before)) out.set(s.name, s);
  }
  return [...out.values()];
}

/** Exact letter case wins over the rest; a qualifier narrows where it can. */
function definitionsOf(
  index: IndexReader,
  { name, qualifier }: QueryName,
  limits: Limits,
): SymbolRow[] {
  const all = index.symbolsNamed(name, limits.MAX_DEFINITIONS);
  const exact = all.filter((s) => s.name === name);
  const found = exact.length > 0 ? exact : all;
  if (qualifier === "") return found;
  const narrowed = found.filter(
    (s) => s.owner === qualifier || containerName(index, s) === qualifier,
  );
  return narrowed.length > 0 ? narrowed : found;
}

function containerName(index: IndexReader, s: SymbolRow): string {
  return s.container < 0
    ? ""
    : (index.symbolAt({ file: s.file, ordinal: s.container })?.name ?? "");
}

function filesOfPath(
  index: IndexReader,
  path: string,
  most: number,
): FileRow[] {
  const wanted = path.toLowerCase().replace(/\/$/, "");
  const exact: FileRow[] = [];
  const suffix: FileRow[] = [];
  for (const file of index.files()) {
    const own = file.path.toLowerCase();
    if (own === wanted) exact.push(file);
    else if (own.endsWith(`/${wanted}`)) suffix.push(file);
  }
  return exact.length > 0 ? exact : suffix.slice(0, most);
}

function roleShare(d: Draft, query: Query, limits: Limits): number {
  if (d.path > 0) return 1;
  let share = 1;
  if (d.file.role === "test" && !query.aboutTests) share *= limits.TEST_SHARE;
  if (d.file.role === "test" && query.aboutTests)
    share *= 1 / limits.TEST_SHARE;
  if (d.file.role === "docs") share *= limits.DOCS_SHARE;
  if (d.file.role === "example") share *= limits.EXAMPLE_SHARE;
  if (d.file.role === "vendored") share *= limits.VENDORED_SHARE;
  if (d.file.generated) share *= limits.GENERATED_SHARE;
  if (d.file.minified) share *= limits.MINIFIED_SHARE;
  return share;
}
