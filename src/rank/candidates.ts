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
import { Graph, ownerOf, type Use } from "./graph.ts";
import { lexical, type Lexical, type PassageHit } from "./lexical.ts";
import type { Query, QueryName } from "./query.ts";

export interface Candidate {
  readonly file: FileRow;
  readonly score: number;
  /** Nothing but a few of the question's words speaks for it: its signatures are enough. */
  readonly weak: boolean;
  /** Definitions that the question names, or that lie on the way between those. */
  readonly named: readonly SymbolRow[];
  /** Uses of what the question names, where it asks for them. */
  readonly users: readonly Use[];
  /** Definitions to which the best files refer where they match. */
  readonly led: readonly SymbolRow[];
  /** The question consists of names, all of them known, and this file defines some: what resembles them is no answer. */
  readonly isExact: boolean;
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
  /** Definitions that the question names, in its order; those of one name by path and line. */
  readonly named: readonly SymbolRow[];
  /** Some word of the question, be it a plain one, is the name of a definition. */
  readonly knowsName: boolean;
  /** A chain of references between definitions that the question names, with those in between; empty for none. */
  readonly path: readonly SymbolRow[];
  /** One call's view of the references. */
  readonly graph: Graph;
  /** What each term of the question weighs. */
  readonly weights: ReadonlyMap<string, number>;
  /** The most of the question's terms that one passage holds, 0 to 1. */
  readonly coverage: number;
  /** Terms of the question that occur nowhere in the index. */
  readonly unknownTerms: readonly string[];
}

interface Draft {
  readonly file: FileRow;
  text: number;
  name: number;
  path: number;
  readonly named: SymbolRow[];
  readonly users: Use[];
  readonly lines: Span[];
  led: readonly SymbolRow[];
}

type Drafts = (file: number) => Draft | undefined;

/** @spec rank-names-first rank-roles rank-several-passages rank-drops-the-weak */
export function rank(
  index: IndexReader,
  query: Query,
  limits: Limits = fromSpec,
): Ranking {
  const text = lexical(index, query.terms, limits);
  const graph = new Graph(index, limits);
  const drafts = new Map<number, Draft>();
  const draft: Drafts = (id) => {
    let d = drafts.get(id);
    const file = d ? undefined : index.file(id);
    if (file)
      drafts.set(
        id,
        (d = {
          file,
          text: textScore(text, id, limits),
          name: 0,
          path: 0,
          named: [],
          users: [],
          lines: [],
          led: [],
        }),
      );
    return d;
  };
  const share = (d: Draft) => roleShare(d, query, limits);
  const scored = (d: Draft) => (d.text + d.name + d.path) * share(d);

  for (const id of bestTexts(index, text, query, limits)) draft(id);
  const paths = byPath(index, query, draft, limits);
  const { named, unknownNames, knowsName } = byName(
    index,
    query,
    paths,
    draft,
    limits,
  );
  const path = graph.path(
    oneEach(named, index).slice(0, limits.PATH_MAX_NAMES),
  );
  for (const s of path) {
    const d = draft(s.file);
    if (!d || d.named.some((n) => n.ordinal === s.ordinal)) continue;
    d.name += limits.PATH_SCORE;
    d.named.push(s);
  }
  if (query.aboutUses || query.aboutTests)
    byUse(graph, named, query, draft, limits);

  const voters = [...drafts.values()]
    .map((d) => ({
      file: d.file,
      score: scored(d),
      hits: text.hits(d.file.id),
    }))
    .sort(best)
    .slice(0, limits.NEIGHBOUR_FILES);
  for (const [file, { votes, definitions }] of graph.neighbours(voters)) {
    const d = draft(file);
    if (!d) continue;
    d.text += limits.NEIGHBOUR_SCORE * votes;
    d.led = definitions;
  }

  const bestText = Math.max(
    ...[...drafts.values()].map((d) => d.text * share(d)),
  );
  const ranked = [...drafts.values()]
    .map((d) => ({
      file: d.file,
      score: scored(d),
      weak:
        d.name + d.path === 0 &&
        d.text * share(d) < bestText * limits.STRONG_SHARE,
      named: d.named,
      users: d.users,
      led: d.led,
      namedPath: d.path > 0,
      isExact: query.bag && unknownNames.length === 0 && d.named.length > 0,
      lines: d.lines,
    }))
    .sort(best)
    .slice(0, limits.MAX_CANDIDATES);
  // What resembles the names of a bag is no answer to it.
  const least =
    query.bag && unknownNames.length === 0
      ? (ranked[0]?.score ?? 0) * limits.MIN_SCORE_SHARE
      : 0;
  return {
    candidates: ranked
      .filter((c) => c.score >= least || c.named.length > 0 || c.namedPath)
      .map((c) => withRows(c, text, graph)),
    unknownNames,
    unknownPaths: paths.unknown.filter(
      (path) => !named.some((s) => path.endsWith(`.${s.name}`)),
    ),
    unknownTerms: text.unknown,
    named,
    knowsName,
    path,
    graph,
    weights: text.weights,
    coverage: text.coverage,
  };
}

/** Ties are broken by path. */
function best(
  a: { readonly score: number; readonly file: FileRow },
  b: { readonly score: number; readonly file: FileRow },
): number {
  return b.score - a.score || (a.file.path < b.file.path ? -1 : 1);
}

/**
 * Definitions are read where they are asked for: most candidates are never shown.
 * Passages are chosen here, so that a ranking that is kept does not keep what all
 * passages of the index scored.
 */
function withRows(
  c: Omit<Candidate, "symbols" | "hits">,
  text: Lexical,
  graph: Graph,
): Candidate {
  return {
    ...c,
    hits: text.hits(c.file.id),
    get symbols() {
      return graph.symbolsOf(c.file.id);
    },
  };
}

/** Twice as many as there can be candidates: what a name or a neighbour adds comes on top. */
function bestTexts(
  index: IndexReader,
  text: Lexical,
  query: Query,
  limits: Limits,
): number[] {
  const scores: { id: number; score: number; file: FileRow }[] = [];
  for (const id of text.files.keys()) {
    const file = index.file(id);
    if (file)
      scores.push({
        id,
        file,
        score:
          textScore(text, id, limits) *
          roleShare({ file, path: 0 }, query, limits),
      });
  }
  return scores
    .sort(best)
    .slice(0, limits.MAX_CANDIDATES)
    .map(({ id }) => id);
}

function textScore(text: Lexical, id: number, limits: Limits): number {
  const hit = text.files.get(id);
  return hit === undefined
    ? 0
    : ((1 - limits.WHOLE_FILE_SHARE) * hit.passages) / text.bestPassage +
        (limits.WHOLE_FILE_SHARE * hit.score) / text.bestFile;
}

/** Gives the files of named definitions their score. */
function byName(
  index: IndexReader,
  query: Query,
  paths: QueryPaths,
  draft: Drafts,
  limits: Limits,
): { named: SymbolRow[]; unknownNames: string[]; knowsName: boolean } {
  const unknownNames: string[] = [];
  let knowsName = false;
  const named: SymbolRow[] = [];
  for (const name of query.names) {
    if (paths.known.has(name.path)) continue;
    const certain = name.distinctive || query.bag;
    const definitions = definitionsOf(index, name, limits);
    if (definitions.length === 0) {
      const told = isKnown(index, name) || paths.unknown.includes(name.path);
      if (certain && !told) unknownNames.push(name.name);
      continue;
    }
    knowsName = true;
    const trust = certain ? 1 : plainTrust(name, limits);
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
  return { named, unknownNames, knowsName };
}

/** Gives the files that use what is named their score: as callers, or as the tests that are asked for. */
function byUse(
  graph: Graph,
  named: readonly SymbolRow[],
  query: Query,
  draft: Drafts,
  limits: Limits,
): void {
  for (const s of named.slice(0, limits.MAX_SUBJECTS))
    for (const use of graph.uses(s).uses) {
      if (!query.aboutUses && use.file.role !== "test") continue;
      const d = draft(use.file.id);
      if (!d) continue;
      if (d.users.length === 0)
        d.name += query.aboutUses ? limits.CALLER_SCORE : limits.NAMED_SCORE;
      d.users.push(use);
    }
}

interface QueryPaths {
  readonly known: ReadonlySet<string>;
  /** Those that no file has, although they can mean nothing else. */
  readonly unknown: readonly string[];
}

/** Gives the files that the question names their score. */
function byPath(
  index: IndexReader,
  query: Query,
  draft: Drafts,
  limits: Limits,
): QueryPaths {
  const known = new Set<string>();
  const unknown: string[] = [];
  for (const { path, lines } of query.paths) {
    const found = filesOfPath(index, path, limits.MAX_FILES_OF_PATH);
    if (found.known) known.add(path);
    else if (isFileName(index, path)) unknown.push(path);
    for (const file of found.files) {
      const d = draft(file.id);
      if (!d) continue;
      d.path += limits.NAMED_PATH_SCORE;
      if (lines) d.lines.push(lines);
    }
  }
  return { known, unknown };
}

/** A plain word that is also a name counts the more, the less it looks like prose. */
function plainTrust(
  { name }: QueryName,
  limits: Pick<Limits, "CAPITAL_TRUST" | "PLAIN_TRUST">,
): number {
  return /^\p{Lu}/u.test(name) ? limits.CAPITAL_TRUST : limits.PLAIN_TRUST;
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

/** Some definition has the name, be it one of too many. */
function isKnown(index: IndexReader, { name }: QueryName): boolean {
  return index.placesNamed(name, 1).length > 0;
}

/** By path and line. Exact letter case wins over the rest; a qualifier narrows where it can. */
function definitionsOf(
  index: IndexReader,
  { name, qualifier }: QueryName,
  limits: Limits,
): SymbolRow[] {
  const most =
    qualifier === ""
      ? limits.MAX_DEFINITIONS
      : limits.MAX_QUALIFIED_DEFINITIONS;
  const all = index.symbolsNamed(name, most + 1);
  if (all.length > most) return [];
  const exact = all.filter((s) => s.name === name);
  const found = exact.length > 0 ? exact : all;
  const narrowed =
    qualifier === ""
      ? []
      : found.filter((s) => ownerOf(s, index) === qualifier);
  const chosen = narrowed.length > 0 ? narrowed : found;
  if (chosen.length > limits.MAX_DEFINITIONS) return [];
  const path = (s: SymbolRow) => index.file(s.file)?.path ?? "";
  return chosen.sort((a, b) =>
    a.file === b.file ? a.ordinal - b.ordinal : path(a) < path(b) ? -1 : 1,
  );
}

/**
 * A file of that path; without one, files that end in it, by path: none where they
 * are too many. Letter case is ignored where no file has that of the question.
 */
function filesOfPath(
  index: IndexReader,
  path: string,
  most: number,
): { readonly files: readonly FileRow[]; readonly known: boolean } {
  const given = path.replace(/\/$/, "");
  const wanted = given.toLowerCase();
  const whole: FileRow[] = [];
  const suffix: FileRow[] = [];
  for (const file of index.files()) {
    const before = file.path.length - wanted.length;
    if (before < 0 || file.path.slice(before).toLowerCase() !== wanted)
      continue;
    if (before === 0) whole.push(file);
    else if (file.path[before - 1] === "/") suffix.push(file);
  }
  const exact = whole.filter((file) => file.path === given);
  const files = [exact, whole, suffix].find((some) => some.length > 0) ?? [];
  return {
    files: files.length > most ? [] : files,
    known: files.length > 0,
  };
}

/** A word that must mean a file: some file of the index has its ending. */
function isFileName(index: IndexReader, path: string): boolean {
  const ending = /\.[^./]+$/.exec(path)?.[0].toLowerCase();
  return (
    ending !== undefined &&
    index.files().some((f) => f.path.toLowerCase().endsWith(ending))
  );
}

function roleShare(
  { file, path }: Pick<Draft, "file" | "path">,
  query: Query,
  limits: Limits,
): number {
  if (path > 0) return 1;
  let share = 1;
  if (query.aboutTests) share *= file.role === "test" ? 1 : limits.TEST_SHARE;
  else if (file.role === "test") share *= limits.TEST_SHARE;
  if (file.role === "docs") share *= limits.DOCS_SHARE;
  if (file.role === "example") share *= limits.EXAMPLE_SHARE;
  if (file.role === "vendored") share *= limits.VENDORED_SHARE;
  if (file.generated) share *= limits.GENERATED_SHARE;
  if (file.minified) share *= limits.MINIFIED_SHARE;
  return share;
}
