/**
 * What an answer works out on its way that hangs on the index and the question, or on
 * a file's bytes, and on nobody's history: the next one that comes to the same need
 * not work it out again.
 *
 * It says nothing about what the files hold now: each answer reads them itself.
 */
import { decode } from "../index/decode.ts";
import { splitLines } from "../model/lines.ts";
import type { Span } from "../model/span.ts";
import { rank, type Candidate, type Ranking } from "../rank/candidates.ts";
import { readQuery, type Query } from "../rank/query.ts";
import {
  byRelevance,
  CONTAINERS,
  regions,
  signatures,
  type Region,
} from "../rank/regions.ts";
import {
  measured,
  namesBegun,
  type Measures,
  type Named,
  type NamesLength,
} from "../render/section.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { IndexReader, SymbolRow } from "../store/store.ts";
import { Recent } from "./recent.ts";

/** What the index says to a question. What is not asked of it is not worked out. */
export class Question {
  readonly query: Query;
  private readonly index: IndexReader;
  private readonly limits: Limits;
  private readonly names: NamesOf;
  private ranked: Ranking | undefined;
  private readonly abouts = new Map<number, About>();
  private noted: readonly string[] | undefined;

  constructor(
    index: IndexReader,
    text: string,
    limits: Limits,
    names = new NamesOf(),
  ) {
    this.names = names;
    this.index = index;
    this.limits = limits;
    this.query = readQuery(text, limits);
  }

  /** Whoever asks the same next finds what was worked out, and not all that it took. */
  rest(): void {
    this.ranked?.graph.rest();
  }

  get ranking(): Ranking {
    return (this.ranked ??= rank(this.index, this.query, this.limits));
  }

  about(candidate: Candidate): About {
    const { id } = candidate.file;
    let about = this.abouts.get(id);
    if (!about)
      this.abouts.set(
        id,
        (about = new About(candidate, this.ranking, this.names, this.limits)),
      );
    return about;
  }

  /** The sentences that `write` gives, which hang on the index and the question alone. */
  notes(write: () => readonly string[]): readonly string[] {
    return (this.noted ??= write());
  }
}

/** What headings have to know of definitions: the same for all questions. */
class NamesOf {
  private readonly known = new WeakMap<
    readonly SymbolRow[],
    readonly Named[]
  >();

  /** By their place in the file. */
  of(symbols: readonly SymbolRow[]): readonly Named[] {
    let named = this.known.get(symbols);
    if (!named) {
      named = symbols.map(({ name, span, kind }) => ({
        name,
        span,
        container: CONTAINERS.has(kind),
      }));
      this.known.set(symbols, named);
    }
    return named;
  }
}

/** What of a file is about a question, as it was indexed. */
export class About {
  /** Those first that a heading should name. */
  readonly definitions: readonly Named[];
  /** The most wanted first. */
  readonly signatures: readonly Span[];
  private readonly candidate: Candidate;
  private readonly limits: Limits;
  private readonly byLines = new Map<
    number,
    { readonly regions: readonly Region[]; readonly names: NamesLength }
  >();

  constructor(
    candidate: Candidate,
    ranking: Ranking,
    names: NamesOf,
    limits: Limits,
  ) {
    this.candidate = candidate;
    this.limits = limits;
    const { symbols } = candidate;
    const ordered = byRelevance(candidate, ranking.weights);
    const named = names.of(symbols);
    this.definitions = ordered.map(({ ordinal }) => named[ordinal]!);
    this.signatures = signatures(candidate, ordered);
  }

  /** The best first. */
  regions(lineTotal: number): readonly Region[] {
    return this.of(lineTotal).regions;
  }

  names(lineTotal: number): NamesLength {
    return this.of(lineTotal).names;
  }

  private of(lineTotal: number) {
    let found = this.byLines.get(lineTotal);
    if (!found) {
      const { candidate, definitions, limits } = this;
      let wanted: readonly Region[] | undefined;
      found = {
        // Most files get no more than their signatures.
        get regions() {
          return (wanted ??= regions(candidate, lineTotal, limits));
        },
        names: namesBegun(
          definitions,
          lineTotal,
          limits.MAX_SYMBOLS_IN_HEADING,
        ),
      };
      // Drifted files come in any length.
      this.byLines.clear();
      this.byLines.set(lineTotal, found);
    }
    return found;
  }
}

/** A file's bytes as lines. */
export class Text {
  readonly fingerprint: string;
  readonly lines: readonly string[];
  /** The lines are the bytes themselves. */
  readonly exact: boolean;
  /** UTF-16 units. */
  readonly length: number;
  private readonly limits: Pick<Limits, "MAX_LINE_CHARS">;
  private measures_: Measures | undefined;
  private readonly byAbout = new WeakMap<About, unknown>();

  constructor(
    bytes: Uint8Array,
    fingerprint: string,
    limits: Pick<Limits, "MAX_LINE_CHARS">,
  ) {
    const { text, exact } = decode(bytes);
    this.fingerprint = fingerprint;
    this.lines = splitLines(text);
    this.exact = exact;
    this.length = text.length;
    this.limits = limits;
  }

  get measures(): Measures {
    return (this.measures_ ??= measured(this.lines, this.limits));
  }

  /** What `make` gives, where `isRight` does not say that of what was made before. */
  once<T>(about: About, isRight: (made: T) => boolean, make: () => T): T {
    const known = this.byAbout.get(about) as T | undefined;
    if (known !== undefined && isRight(known)) return known;
    const made = make();
    this.byAbout.set(about, made);
    return made;
  }
}

export interface Workings {
  question(index: IndexReader, text: string, limits: Limits): Question;
  text(bytes: Uint8Array, fingerprint: string, limits: Limits): Text;
}

/** Everything is worked out anew. */
export const anew: Workings = {
  question: (index, text, limits) => new Question(index, text, limits),
  text: (bytes, fingerprint, limits) => new Text(bytes, fingerprint, limits),
};

/** Remembers the last ones. Hand in the same limits always. @spec pool-keeps-workings */
export class KeptWorkings implements Workings {
  private readonly limits: Pick<Limits, "KEPT_QUESTIONS">;
  /** By the state of an index, which is one object as long as it says the same. */
  private readonly byIndex = new WeakMap<
    IndexReader,
    Recent<string, Question>
  >();
  private readonly names = new NamesOf();
  /** By their fingerprint. */
  private readonly texts: Recent<string, Text>;

  constructor(
    limits: Pick<Limits, "KEPT_QUESTIONS" | "KEPT_SOURCE_MB"> = fromSpec,
  ) {
    this.limits = limits;
    this.texts = new Recent(
      limits.KEPT_SOURCE_MB * MEGABYTE,
      ({ length }) => length,
    );
  }

  question(index: IndexReader, text: string, limits: Limits): Question {
    let questions = this.byIndex.get(index);
    if (!questions)
      this.byIndex.set(
        index,
        (questions = new Recent(this.limits.KEPT_QUESTIONS)),
      );
    return questions.get(
      text,
      () => new Question(index, text, limits, this.names),
    );
  }

  text(bytes: Uint8Array, fingerprint: string, limits: Limits): Text {
    return this.texts.get(
      fingerprint,
      () => new Text(bytes, fingerprint, limits),
    );
  }
}

const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit
