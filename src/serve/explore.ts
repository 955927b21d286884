/**
 * Answers a question about a project: ranks by the index, reads the files that
 * rank best, and renders them within the budget.
 *
 * The same index, question and files give the same bytes.
 */
import { decode } from "../index/decode.ts";
import { configKeys } from "../index/config-keys.ts";
import { languageById } from "../languages/index.ts";
import type { FileRow } from "../model/file.ts";
import { liesIn, type Span } from "../model/span.ts";
import { say } from "../model/wording.ts";
import type { Candidate, Ranking } from "../rank/candidates.ts";
import { nearestNames, vocabulary } from "../rank/nearest.ts";
import type { Query } from "../rank/query.ts";
import type { Region } from "../rank/regions.ts";
import { answer, aroundSections, relationsSection } from "../render/answer.ts";
import { budgetOf, type Budget } from "../render/budget.ts";
import {
  plan,
  type FilePlan,
  type PlanFile,
  type RenderKind,
} from "../render/plan.ts";
import { callPath, dependents, subjects } from "../render/relations.ts";
import {
  decided,
  few,
  printable,
  priced,
  type Form,
  type Prices,
  type Rendered,
  type Source,
} from "../render/section.ts";
import { putBack } from "../dedup/guard.ts";
import type { Emission, SessionView } from "../session/view.ts";
import {
  limits as fromSpec,
  lists,
  wordings,
  type Limits,
} from "../spec.gen.ts";
import type { IndexReader } from "../store/store.ts";
import {
  sessionReport,
  type CallReport,
  type FileReport,
} from "./diagnostics.ts";
import { diskOf, type Disk } from "./disk.ts";
import { emissionOf, historyOf, unheld, type History } from "./history.ts";
import { anew, type Question, type Text, type Workings } from "./workings.ts";

export interface ExploreRequest {
  readonly query: string;
  readonly maxFiles?: number;
  readonly maxChars?: number;
  /** What the caller's context received earlier; absent where nothing is tracked. */
  readonly session?: SessionView | undefined;
  /** `CODEGRAPH_EXPLORE_DEDUP`, as the caller's environment has it. */
  readonly dedup?: string | undefined;
  /** The name that the client gives itself. */
  readonly client?: string | undefined;
  /** The call's context is known, and not only its connection. */
  readonly identified?: boolean | undefined;
  /** The project's name, where the context is about several. */
  readonly project?: string | undefined;
  /** What has to be said of the index, before anything else. */
  readonly notes?: readonly string[] | undefined;
  /** Nobody asks for the report. */
  readonly unreported?: boolean | undefined;
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
  /** What the text holds, in its order. */
  readonly files: readonly ServedFile[];
  /** What the caller's context holds after it, beside what it held. */
  readonly emission: Emission;
  /** Absent where nobody asks for it. */
  readonly report: CallReport | undefined;
  /** Paths of files that were looked at and are not as they were indexed, or gone. */
  readonly stale: readonly string[];
}

interface Read {
  readonly candidate: Candidate;
  /** As it is now. */
  readonly text: Text;
  readonly source: Source;
  readonly prices: Prices;
  readonly file: PlanFile;
}

interface Shown extends Read {
  readonly plan: FilePlan & { readonly kind: Form };
}

interface Chosen {
  /** The best first. */
  readonly shown: readonly Shown[];
  /** What the question names and is not shown, with the reason. */
  readonly notes: readonly string[];
  readonly guarded: boolean;
  readonly stale: readonly string[];
}

/** A text, and the files that it holds source of. */
interface Answered {
  readonly text: string;
  readonly served: readonly Served[];
  /** A file that was pointed at was put back, for nothing else was new. */
  readonly guarded: boolean;
  readonly stale: readonly string[];
}

interface Served extends Shown {
  readonly rendered: Rendered;
}

const unserved = (text: string): Answered => ({
  text,
  served: [],
  guarded: false,
  stale: [],
});

/** @spec explore-never-empty explore-deterministic explore-goldens dedup-first-call */
export function explore(
  root: string,
  index: IndexReader,
  request: ExploreRequest,
  limits: Limits = fromSpec,
  disk: Disk = diskOf(root),
  workings: Workings = anew,
): ExploreAnswer {
  const question = workings.question(index, request.query, limits);
  const history = historyOf(question.query, request.session, request);
  const { text, served, guarded, stale } = answered(
    { disk, index, request, history, limits, workings },
    question,
    request.notes,
  );
  question.rest();
  return {
    text,
    files: served.map(({ candidate, plan: p }) => ({
      path: candidate.file.path,
      kind: p.kind,
      spans: p.spans,
      score: candidate.score,
      allocated: p.allocated,
      cost: p.cost,
    })),
    emission: emissionOf(
      request.query,
      history.asked,
      text,
      served.map(({ candidate, text: now, rendered: r }) => ({
        fingerprint: now.fingerprint,
        lines: now.lines,
        exact: now.exact,
        path: candidate.file.path,
        rendered: r,
      })),
      limits,
    ),
    report: request.unreported
      ? undefined
      : reportOf(request, history, {
          chars: text.length,
          ceiling: budgetOf(index.files().length, request, limits).chars,
          served,
          guarded,
        }),
    stale,
  };
}

function reportOf(
  { query, session }: ExploreRequest,
  { gate }: History,
  {
    chars,
    ceiling,
    served,
    guarded,
  }: {
    readonly chars: number;
    readonly ceiling: number;
    readonly served: readonly Served[];
    readonly guarded: boolean;
  },
): CallReport {
  const files = served.map(fileReport);
  const savedChars = files.reduce((sum, f) => sum + f.dedupSavedChars, 0);
  return {
    query,
    chars,
    ceiling,
    files,
    ...(session && { session: sessionReport(session) }),
    dedup: { gate, savedChars, guarded },
  };
}

function fileReport(
  { candidate, plan: p, prices, rendered: r }: Served,
  i: number,
): FileReport {
  const named = candidate.named.length > 0 ? ["names"] : [];
  const path = candidate.namedPath ? ["path"] : [];
  const words = candidate.hits.length > 0 ? ["words"] : [];
  return {
    path: candidate.file.path,
    rank: i + 1,
    score: candidate.score,
    why: [...path, ...named, ...words].join(", "),
    kind: r.sent.length === 0 ? "backref" : p.kind,
    allocated: p.allocated,
    chars: p.cost,
    spans: r.sent,
    dedupSavedChars: r.pointedAt.reduce((n, span) => n + prices.lines(span), 0),
    dedupCovered: r.pointedAt,
  };
}

/** What one call goes by. */
interface Call {
  readonly disk: Disk;
  readonly index: IndexReader;
  readonly request: ExploreRequest;
  readonly history: History;
  readonly limits: Limits;
  readonly workings: Workings;
}

function answered(
  call: Call,
  question: Question,
  /** Said before anything else. */
  first: readonly string[] | undefined,
): Answered {
  const { disk, index, request, history, limits } = call;
  const { query } = question;
  const total = index.files().length;
  const budget = budgetOf(total, request, limits);
  const small = budget.raised
    ? [say(wordings.NOTE_MIN_CHARS, { chars: budget.chars })]
    : [];
  if (
    query.terms.size === 0 &&
    query.names.length === 0 &&
    query.paths.length === 0
  )
    return unserved(`${wordings.QUERY_EMPTY}\n`);
  const { ranking } = question;
  const nothing = (near: readonly Near[]): Answered =>
    unserved(
      nothingFound(index, near, ranking, budget.chars, limits, request.notes),
    );
  const certain =
    ranking.knowsName || ranking.candidates.some((c) => c.namedPath);
  const isMet =
    ranking.coverage >= limits.MIN_COVERAGE && !isLost(query, ranking);
  if (!certain && !isMet) {
    const near = nearWords(index, query, limits);
    if (near.length !== 1 || first !== request.notes) return nothing(near);
    // Nothing else can be meant: its answer is a call's worth nearer.
    const [{ word, name }] = near as [Near];
    const note = say(wordings.NOTE_NEAR_NAMES, {
      name: printable(word),
      near: quoted([name]),
    });
    const nearer = call.workings.question(index, name, limits);
    const made = answered(call, nearer, [...(first ?? []), note]);
    nearer.rest();
    return made;
  }

  const isCurrent = (file: FileRow) => disk.isAsIndexed(file);
  const asked = query.aboutUses && ranking.named.length > 0;
  const notes = within(budget.chars * limits.NOTES_SHARE, [
    ...(first ?? []),
    ...small,
    ...question.notes(() => unknown(index, query, ranking, limits)),
    ...keyNotes(disk, ranking, limits),
    ...(query.cut
      ? [say(wordings.NOTE_QUERY_CUT, { chars: limits.QUERY_CHARS_READ })]
      : []),
  ]);
  const [path = ""] = within(budget.chars * limits.NOTES_SHARE, [
    ranking.path.every((s) => isCurrent(index.file(s.file)!))
      ? callPath(ranking.path, index)
      : "",
  ]);
  const share = asked ? limits.ASKED_USES_SHARE : limits.DEPENDENTS_SHARE;
  const relations = dependents(
    subjects(ranking, limits),
    ranking,
    index,
    { most: Math.floor(budget.chars * share), asked, isCurrent },
    limits,
  );
  const around =
    aroundSections({ sections: total, total, notes, path }) +
    relationsSection(relations).length;
  const compose = (known: History | undefined): Answered | undefined => {
    const chosen = choose(call, question, known, {
      ...budget,
      chars: budget.chars - around,
    });
    const all = [...notes, ...chosen.notes];
    if (
      chosen.shown.length === 0 &&
      all.length === (first?.length ?? 0) + small.length
    )
      return undefined;
    const written = answer(
      {
        total,
        notes: all,
        path,
        sections: chosen.shown.map(({ source, plan: p }) => ({
          source,
          spans: p.spans,
          form: p.kind,
        })),
        relations,
        ceiling: budget.chars,
      },
      limits,
    );
    return {
      text: written.text,
      served: written.sections.map((r, i) => ({
        ...chosen.shown[i]!,
        rendered: r,
      })),
      guarded: chosen.guarded,
      stale: chosen.stale,
    };
  };
  const made = compose(history);
  if (!made) return nothing([]);
  // What was new may not have found room beside the pointers.
  const pointersOnly =
    history.gate === "on" &&
    made.served.every((s) => s.rendered.sent.length === 0);
  return pointersOnly ? { ...compose(undefined)!, guarded: true } : made;
}

/** Reads the best files and spends the budget on them. */
function choose(
  { disk, limits, workings }: Call,
  question: Question,
  history: History | undefined,
  budget: Budget,
): Chosen {
  const read: Read[] = [];
  const gone: string[] = [];
  for (const candidate of question.ranking.candidates) {
    if (read.length >= budget.files + limits.MAX_SIGNATURE_FILES) break;
    const { path, keysOnly } = candidate.file;
    if (keysOnly) continue;
    // Gone, or it leads out of the project.
    const now = disk.read(path);
    if (typeof now === "string") gone.push(path);
    else {
      const text = workings.text(now.bytes, now.fingerprint, limits);
      read.push(prepared(question, candidate, text, history, limits));
    }
  }
  const notes = gone
    .slice(0, limits.MAX_NAMES_IN_NOTE)
    .map((path) => say(wordings.NOTE_GONE, { path: printable(path) }));
  const spent = notes.reduce((sum, note) => sum + note.length + 2, 0);
  const room = { ...budget, chars: budget.chars - spent };
  const planned = () =>
    plan(
      read.map(({ file }) => file),
      room,
      limits,
    );
  let plans = planned();
  const back = putBack(
    plans.map((made, i) => decided(read[i]!.source, made.spans)),
  );
  if (back !== undefined) {
    const { candidate, text } = read[back]!;
    read[back] = prepared(question, candidate, text, undefined, limits);
    plans = planned();
  }
  const shown: Shown[] = [];
  read.forEach((file, i) => {
    const made = plans[i]!;
    const { kind } = made;
    if (kind !== "none") shown.push({ ...file, plan: { ...made, kind } });
    else if (file.file.drifted && notes.length < limits.MAX_NAMES_IN_NOTE)
      notes.push(
        say(wordings.NOTE_DRIFTED_OUT, {
          path: printable(file.candidate.file.path),
        }),
      );
  });
  const drifted = read.filter(({ file }) => file.drifted);
  return {
    shown,
    notes,
    guarded: back !== undefined,
    stale: [...gone, ...drifted.map(({ candidate }) => candidate.file.path)],
  };
}

/** Without `history` the file is shown as to a context that holds nothing. */
function prepared(
  question: Question,
  candidate: Candidate,
  text: Text,
  history: History | undefined,
  limits: Limits,
): Read {
  // Lines that are asked for by number are sent whatever is held.
  const held =
    candidate.lines.length > 0
      ? []
      : (history?.held(candidate.file.path, text.fingerprint) ?? []);
  const project = history?.project;
  const make = () =>
    readAs(question, candidate, text, { held, project }, limits);
  // Most files are shown to most contexts as to one that holds nothing.
  return held.length > 0
    ? make()
    : text.once<Read>(
        question.about(candidate),
        ({ source }) => source.project === project,
        make,
      );
}

function readAs(
  question: Question,
  candidate: Candidate,
  text: Text,
  { held, project }: Required<Pick<Source, "held" | "project">>,
  limits: Limits,
): Read {
  const about = question.about(candidate);
  const drifted = text.fingerprint !== candidate.file.fingerprint;
  const { lines } = text;
  const source: Source = {
    path: candidate.file.path,
    fence: languageById(candidate.file.language)?.fence ?? "",
    lines,
    // Where a drifted file's definitions lie now is not known.
    definitions: drifted ? [] : about.definitions,
    notes: [
      ...(drifted ? [wordings.NOTE_DRIFTED] : []),
      ...(text.exact ? [] : [wordings.NOTE_NOT_EXACT]),
    ],
    held,
    named: drifted ? [] : candidate.named.map((s) => s.span),
    project,
    isAsked: candidate.namedPath && candidate.lines.length === 0,
  };
  const prices = priced(source, limits, {
    measures: text.measures,
    ...(!drifted && { names: about.names(lines.length) }),
  });
  let wanted: readonly Region[] | undefined;
  return {
    candidate,
    text,
    source,
    prices,
    file: {
      score: candidate.score,
      lines: lines.length,
      prices,
      // Most files get no more than their signatures.
      get regions() {
        return (wanted ??=
          held.length === 0
            ? about.regions(lines.length)
            : unheld(about.regions(lines.length), held, lines.length));
      },
      signatures: about.signatures.filter((span) => !liesIn(span, held)),
      namedPath: candidate.namedPath && candidate.lines.length === 0,
      byNumber: candidate.lines.length > 0,
      weak: candidate.weak,
      drifted,
      made: [],
    },
  };
}

/** Names alone, none of which stands anywhere: what holds parts of them is no answer. */
function isLost(query: Query, ranking: Ranking): boolean {
  const unknownTerms = new Set(ranking.unknownTerms);
  const known = new Set(
    [...query.spelling].flatMap(([term, word]) =>
      unknownTerms.has(term) ? [] : word,
    ),
  );
  return query.bag && !query.names.some(({ name }) => known.has(name));
}

/** What of the question the index does not hold. @spec answer-notes */
function unknown(
  index: IndexReader,
  query: Query,
  ranking: Ranking,
  limits: Limits,
): string[] {
  const names = ranking.unknownNames.slice(0, limits.MAX_NAMES_IN_NOTE);
  const notes = names.map((name) => {
    const near = nearestNames(index, name, limits);
    return near.length === 0
      ? say(wordings.NOTE_NO_NAME, { name: printable(name) })
      : say(wordings.NOTE_NEAR_NAMES, {
          name: printable(name),
          near: quoted(near),
        });
  });
  for (const path of ranking.unknownPaths.slice(0, limits.MAX_NAMES_IN_NOTE))
    notes.push(say(wordings.NOTE_NO_PATH, { path: printable(path) }));
  const words = unknownWords(query, ranking, limits);
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
function unknownWords(
  query: Query,
  ranking: Ranking,
  limits: Limits,
): string[] {
  const told = [
    ...ranking.unknownNames,
    ...query.paths.map((p) => p.path),
    ...(query.aboutUses ? lists.USE_WORDS : []),
  ];
  return [
    ...new Set(
      ranking.unknownTerms.flatMap((term) => query.spelling.get(term) ?? []),
    ),
  ]
    .filter((word) => !told.some((name) => holds(name, word)))
    .slice(0, limits.MAX_NAMES_IN_NOTE);
}

/** Letter case ignored: a part of a name is spelt in lower case. */
const holds = (name: string, word: string): boolean =>
  name.toLowerCase().includes(word.toLowerCase());

/** A configuration file that the question names is answered by its key names. */
function keyNotes(disk: Disk, ranking: Ranking, limits: Limits): string[] {
  return ranking.candidates.flatMap(({ file, namedPath }, rank) => {
    if (!file.keysOnly || (!namedPath && rank >= limits.KEYS_NOTE_RANK))
      return [];
    const read = disk.read(file.path);
    if (typeof read === "string") return [];
    const keys = configKeys(file.path, decode(read.bytes).text);
    return [
      say(wordings.NOTE_KEYS, {
        path: printable(file.path),
        keys: few(keys.map(printable), limits.MAX_KEYS_IN_NOTE),
      }),
    ];
  });
}

interface Near {
  readonly word: string;
  readonly name: string;
}

/** Names that are spelt like a word of the question, each once. */
function nearWords(index: IndexReader, query: Query, limits: Limits): Near[] {
  const words = new Set([
    ...query.names.map((n) => n.name),
    ...query.spelling.values(),
  ]);
  const near = new Map<string, Near>();
  for (const word of words)
    for (const name of nearestNames(index, word, limits))
      if (!near.has(name)) near.set(name, { word, name });
  return [...near.values()].slice(0, limits.MAX_NAMES_IN_NOTE);
}

function nothingFound(
  index: IndexReader,
  near: readonly Near[],
  ranking: Ranking,
  chars: number,
  limits: Limits,
  notes: readonly string[] = [],
): string {
  const total = index.files().length;
  const known = vocabulary(index, limits);
  const paths = ranking.unknownPaths
    .slice(0, limits.MAX_NAMES_IN_NOTE)
    .map((path) => say(wordings.NOTE_NO_PATH, { path: printable(path) }));
  const lines = [
    ...notes,
    say(wordings.NOTHING_FOUND, { total }),
    ...paths,
    ...(near.length > 0
      ? [
          say(wordings.NOTHING_NEAR, {
            near: quoted(near.map(({ name }) => name)),
          }),
        ]
      : []),
    ...(known.length > 0
      ? [
          say(wordings.NOTHING_VOCABULARY, {
            words: known.map(printable).join(", "),
          }),
        ]
      : []),
  ];
  return `${lines
    .join("\n\n")
    .slice(0, chars - 1)
    .toWellFormed()}\n`;
}

/** The first of the sentences that together are no longer than `most`. */
function within(most: number, sentences: readonly string[]): string[] {
  let left = most;
  return sentences.filter((s) => {
    if (s.length > left) return false;
    left -= s.length;
    return true;
  });
}

const quoted = (names: readonly string[]): string =>
  names.map((name) => `\`${printable(name)}\``).join(", ");
