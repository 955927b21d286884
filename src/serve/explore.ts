/**
 * Answers a question about a project: ranks by the index, reads the files that
 * rank best, and renders them within the budget.
 *
 * The same index, question and files give the same bytes.
 */
import { decode } from "../index/decode.ts";
import { configKeys } from "../index/config-keys.ts";
import { readInside } from "../index/read.ts";
import { languageById } from "../languages/index.ts";
import type { FileRow } from "../model/file.ts";
import { fingerprint } from "../model/fingerprint.ts";
import { splitLines } from "../model/lines.ts";
import type { Span } from "../model/span.ts";
import { say } from "../model/wording.ts";
import { rank, type Candidate, type Ranking } from "../rank/candidates.ts";
import { nearestNames, vocabulary } from "../rank/nearest.ts";
import { readQuery, type Query } from "../rank/query.ts";
import { regions, signatures } from "../rank/regions.ts";
import {
  answer,
  few,
  heading,
  intro,
  printable,
  type Section,
} from "../render/answer.ts";
import { budgetOf } from "../render/budget.ts";
import { plan, type FilePlan, type RenderKind } from "../render/plan.ts";
import { callPath, dependents, subjects } from "../render/relations.ts";
import { limits, wordings } from "../spec.gen.ts";
import type { IndexReader } from "../store/store.ts";

export interface ExploreRequest {
  readonly query: string;
  readonly maxFiles?: number;
  readonly maxChars?: number;
}

export interface ServedFile {
  readonly path: string;
  readonly kind: RenderKind;
  readonly spans: readonly Span[];
  readonly score: number;
  /** UTF-16 units that the plan gave the file, and that it used. */
  readonly allocated: number;
  readonly cost: number;
}

export interface ExploreAnswer {
  readonly text: string;
  readonly files: readonly ServedFile[];
}

interface Snapshot {
  readonly lines: readonly string[];
  /** The bytes on disk are not those that were indexed. */
  readonly drifted: boolean;
  /** The lines are the file's own bytes. */
  readonly exact: boolean;
}

interface Shown {
  readonly candidate: Candidate;
  readonly snapshot: Snapshot;
  readonly plan: FilePlan;
}

/** @spec explore-never-empty explore-deterministic */
export function explore(
  root: string,
  index: IndexReader,
  request: ExploreRequest,
): ExploreAnswer {
  const query = readQuery(request.query);
  if (
    query.terms.size === 0 &&
    query.names.length === 0 &&
    query.paths.length === 0
  )
    return { text: `${wordings.QUERY_EMPTY}\n`, files: [] };
  const total = index.files().length;
  const budget = budgetOf(total, request);
  const ranking = rank(index, query);
  const certain =
    ranking.named.length > 0 || ranking.candidates.some((c) => c.namedPath);
  if (!certain && ranking.coverage < limits.MIN_COVERAGE)
    return nothingFound(index, query, ranking);

  const notes = [
    ...unknown(index, query, ranking),
    ...keyNotes(root, ranking),
    ...(budget.raised
      ? [say(wordings.NOTE_MIN_CHARS, { chars: budget.chars })]
      : []),
  ];
  const path = callPath(ranking.path, index);
  const relations = dependents(subjects(ranking), ranking.graph, index, {
    most: Math.floor(
      budget.chars *
        (query.aboutUses ? limits.ASKED_USES_SHARE : limits.DEPENDENTS_SHARE),
    ),
    always: query.aboutUses,
  });
  const around = [
    intro(budget.files, total),
    ...notes,
    path,
    ...relations,
  ].join("\n\n").length;
  const shown = choose(root, ranking, budget.chars - around, budget.files);
  if (shown.length === 0 && notes.length === 0)
    return nothingFound(index, query, ranking);
  return {
    text: answer({
      total,
      notes,
      path,
      sections: shown.map(sectionOf),
      relations,
      relationShare: query.aboutUses ? 1 : limits.DEPENDENTS_SHARE,
      ceiling: budget.chars,
    }),
    files: shown.map(({ candidate, plan: p }) => ({
      path: candidate.file.path,
      kind: p.kind,
      spans: p.spans,
      score: candidate.score,
      allocated: p.allocated,
      cost: p.cost,
    })),
  };
}

/** Reads the best files and spends the budget on them. */
function choose(
  root: string,
  ranking: Ranking,
  chars: number,
  maxFiles: number,
): Shown[] {
  const read: { candidate: Candidate; snapshot: Snapshot }[] = [];
  for (const candidate of ranking.candidates) {
    if (read.length >= maxFiles + limits.MAX_SIGNATURE_FILES) break;
    if (candidate.file.keysOnly) continue;
    const snapshot = readNow(root, candidate.file);
    if (snapshot) read.push({ candidate, snapshot });
  }
  const plans = plan(
    read.map(({ candidate, snapshot }) => ({
      score: candidate.score,
      lines: snapshot.lines,
      regions: regions(candidate, snapshot.lines.length),
      signatures: signatures(candidate),
      namedPath: candidate.namedPath && candidate.lines.length === 0,
      drifted: snapshot.drifted,
      overhead: overheadOf(candidate),
    })),
    chars,
    maxFiles,
  );
  return read.flatMap((file, i) =>
    plans[i]!.kind === "none" ? [] : [{ ...file, plan: plans[i]! }],
  );
}

/** Heading, fence, line in the contents; the names in the heading are not known yet. */
function overheadOf({ file, symbols, named }: Candidate): number {
  const names = [
    ...named,
    ...symbols.slice(0, limits.MAX_SYMBOLS_IN_HEADING),
  ].map((s) => s.name);
  return (
    heading(file.path, names).length +
    printable(file.path).length +
    limits.SECTION_CHARS
  );
}

function sectionOf({ candidate, snapshot, plan: p }: Shown): Section {
  const { file } = candidate;
  return {
    path: file.path,
    fence: languageById(file.language)?.fence ?? "",
    lines: snapshot.lines,
    spans: p.spans,
    cut: p.cut,
    whole: p.kind === "whole",
    symbols: shownSymbols(candidate, p.spans),
    notes: [
      ...(snapshot.drifted ? [wordings.NOTE_DRIFTED] : []),
      ...(snapshot.exact ? [] : [wordings.NOTE_NOT_EXACT]),
    ],
  };
}

function shownSymbols(candidate: Candidate, spans: readonly Span[]): string[] {
  const shown = (line: number) =>
    spans.some(([a, b]) => a <= line && line <= b);
  const own = candidate.symbols.filter((s) => s.kind !== "field");
  return [
    ...new Set(
      [...candidate.named, ...own]
        .filter((s) => shown(s.span[0]))
        .map((s) => s.name),
    ),
  ];
}

/** The file as it is now; undefined where it is gone or leads out of the project. @spec explore-reads-now */
function readNow(root: string, file: FileRow): Snapshot | undefined {
  const read = readInside(root, file.path);
  if (typeof read === "string") return undefined;
  const { text, exact } = decode(read.bytes);
  return {
    lines: splitLines(text),
    drifted: fingerprint(read.bytes) !== file.fingerprint,
    exact,
  };
}

/** What of the question the index does not hold. */
function unknown(index: IndexReader, query: Query, ranking: Ranking): string[] {
  const notes = ranking.unknownNames.map((name) => {
    const near = nearestNames(index, name);
    return near.length === 0
      ? say(wordings.NOTE_NO_NAME, { name })
      : say(wordings.NOTE_NEAR_NAMES, { name, near: quoted(near) });
  });
  for (const path of ranking.unknownPaths)
    notes.push(say(wordings.NOTE_NO_PATH, { path: printable(path) }));
  const words = unknownWords(query, ranking);
  if (words.length > 0)
    notes.push(
      say(wordings.NOTE_NO_WORDS, {
        words: quoted(words),
        total: index.files().length,
      }),
    );
  return notes;
}

/** Words of the question that occur nowhere, names and paths not counted. */
function unknownWords(query: Query, ranking: Ranking): string[] {
  const told = new Set([
    ...ranking.unknownNames,
    ...query.paths.map((p) => p.path),
  ]);
  return [
    ...new Set(
      ranking.unknownTerms.flatMap((term) => query.spelling.get(term) ?? []),
    ),
  ]
    .filter((word) => ![...told].some((name) => name.includes(word)))
    .slice(0, limits.MAX_NAMES_IN_NOTE);
}

/** A configuration file that the question names is answered by its key names. */
function keyNotes(root: string, ranking: Ranking): string[] {
  return ranking.candidates.flatMap(({ file, namedPath }) => {
    if (!file.keysOnly || !namedPath) return [];
    const read = readInside(root, file.path);
    if (typeof read === "string") return [];
    const keys = configKeys(file.path, decode(read.bytes).text);
    return [
      say(wordings.NOTE_KEYS, {
        path: printable(file.path),
        keys: few(keys, limits.MAX_KEYS_IN_NOTE),
      }),
    ];
  });
}

function nothingFound(
  index: IndexReader,
  query: Query,
  ranking: Ranking,
): ExploreAnswer {
  const total = index.files().length;
  const words = [
    ...new Set([...query.names.map((n) => n.name), ...query.spelling.values()]),
  ];
  const near = [
    ...new Set(words.flatMap((word) => nearestNames(index, word))),
  ].slice(0, limits.MAX_NAMES_IN_NOTE);
  const known = vocabulary(index);
  const lines = [
    say(wordings.NOTHING_FOUND, { total }),
    ...unknown(index, query, ranking).filter((note) => note.includes("/")),
    ...(near.length > 0
      ? [say(wordings.NOTHING_NEAR, { near: quoted(near) })]
      : []),
    ...(known.length > 0
      ? [say(wordings.NOTHING_VOCABULARY, { words: known.join(", ") })]
      : []),
  ];
  return { text: `${lines.join("\n\n")}\n`, files: [] };
}

const quoted = (names: readonly string[]): string =>
  names.map((name) => `\`${printable(name)}\``).join(", ");
