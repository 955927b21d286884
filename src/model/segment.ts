/**
 * A segment: the full-text index of some files. A whole index is one segment a
 * worker; a later edit adds a small one and leaves the others alone, so that its
 * cost grows with the edit. A file that was indexed again has a new id, and what
 * older segments say of the old id is passed over.
 *
 * Units: lines are 1-based and inclusive. A passage's weight is the sum of its
 * term counts, after the weighting of names and paths.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { VarintReader, VarintWriter } from "./varint.ts";

export interface Passage {
  readonly file: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly weight: number;
}

/** A segment as it is stored: its passages, and a posting list for each term, terms sorted by code unit. */
export interface Segment {
  readonly passages: Uint8Array;
  readonly terms: readonly string[];
  /** Posting list `i` is `postings[ends[i - 1] .. ends[i])`. */
  readonly ends: Uint32Array;
  readonly postings: Uint8Array;
}

/** The passages of a segment, in the order of their number in its posting lists. */
export interface PassageTable {
  readonly file: Uint32Array;
  readonly firstLine: Uint32Array;
  readonly lastLine: Uint32Array;
  readonly weight: Uint32Array;
}

/** Passages of one file follow each other, in line order. */
export function encodePassages(passages: readonly Passage[]): Uint8Array {
  const out = new VarintWriter();
  out.put(passages.length);
  let file = 0;
  let line = 0;
  for (const p of passages) {
    if (p.file !== file) line = 0;
    out.put(p.file);
    out.put(p.firstLine - line);
    out.put(p.lastLine - p.firstLine);
    out.put(p.weight);
    file = p.file;
    line = p.firstLine;
  }
  return out.take();
}

/** Throws: RangeError where the bytes cannot hold what they announce. */
export function decodePassages(bytes: Uint8Array): PassageTable {
  const from = new VarintReader(bytes);
  const count = from.next();
  if (count > bytes.length) throw new RangeError(`no room for ${count}`);
  const table: PassageTable = {
    file: new Uint32Array(count),
    firstLine: new Uint32Array(count),
    lastLine: new Uint32Array(count),
    weight: new Uint32Array(count),
  };
  let file = 0;
  let line = 0;
  for (let i = 0; i < count; i++) {
    const owner = from.next();
    if (owner !== file) line = 0;
    file = owner;
    line += from.next();
    table.file[i] = file;
    table.firstLine[i] = line;
    table.lastLine[i] = line + from.next();
    table.weight[i] = from.next();
  }
  return table;
}

/**
 * Collects (term, passage, count) triples and turns them into a segment with one
 * counting sort. Terms are numbered by the caller, from 0, and a term is put once
 * a passage.
 * @spec segment-holds-postings
 */
export class SegmentWriter {
  private readonly most: number;
  /** Full chunks, then the one in hand: growing one array would hold two of them for a while. */
  private readonly terms: Uint32Array[] = [];
  private readonly counts: Uint8Array[] = [];
  private lastTerms = new Uint32Array(0);
  private lastCounts = new Uint8Array(0);
  private used = 0;
  private readonly passages: Passage[] = [];
  /** How many triples had been put when each passage ended. */
  private readonly ends: number[] = [];

  constructor(limits: Pick<Limits, "MAX_TERM_COUNT"> = fromSpec) {
    this.most = limits.MAX_TERM_COUNT;
  }

  put(term: number, count: number): void {
    const at = this.used % CHUNK;
    if (at === 0) {
      this.terms.push((this.lastTerms = new Uint32Array(CHUNK)));
      this.counts.push((this.lastCounts = new Uint8Array(CHUNK)));
    }
    this.lastTerms[at] = term;
    this.lastCounts[at] = count < this.most ? count : this.most;
    this.used++;
  }

  /** Ends the passage that the triples put since the last call belong to. */
  endPassage(passage: Passage): void {
    this.passages.push(passage);
    this.ends.push(this.used);
  }

  /** The last thing a writer does: it holds nothing after that. */
  finish(names: readonly string[]): Segment {
    const { passage, count, starts } = this.byTerm(names.length);
    this.terms.length = 0;
    this.counts.length = 0;
    this.lastTerms = new Uint32Array(0);
    this.lastCounts = new Uint8Array(0);

    const sorted = Array.from(names.keys())
      .filter((t) => starts[t]! < starts[t + 1]!)
      .sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
    const out = new VarintWriter();
    const ends = new Uint32Array(sorted.length);
    for (let at = 0; at < sorted.length; at++) {
      const end = starts[sorted[at]! + 1]!;
      let before = 0;
      for (let k = starts[sorted[at]!]!; k < end; k++) {
        putPosting(out, passage[k]! - before, count[k]!);
        before = passage[k]!;
      }
      ends[at] = out.length;
    }
    return {
      passages: encodePassages(this.passages),
      terms: sorted.map((t) => names[t]!),
      ends,
      postings: out.take(),
    };
  }

  /**
   * The triples of ended passages in the order in which they were put, those of each of
   * so many terms together; those of term `t` begin at `starts[t]`.
   */
  private byTerm(terms: number): {
    readonly starts: Uint32Array;
    readonly passage: Uint32Array;
    readonly count: Uint8Array;
  } {
    const starts = new Uint32Array(terms + 1);
    const used = this.ends.at(-1) ?? 0;
    for (let first = 0, c = 0; first < used; first += CHUNK, c++) {
      const chunk = this.terms[c]!;
      const end = Math.min(CHUNK, used - first);
      for (let i = 0; i < end; i++) starts[chunk[i]! + 1]!++;
    }
    for (let t = 0; t < terms; t++) starts[t + 1]! += starts[t]!;
    const passage = new Uint32Array(used);
    const count = new Uint8Array(used);
    const next = starts.slice();
    for (let first = 0, c = 0, p = 0; first < used; first += CHUNK, c++) {
      const chunk = this.terms[c]!;
      const counts = this.counts[c]!;
      const end = Math.min(CHUNK, used - first);
      for (let i = 0; i < end; i++) {
        while (this.ends[p]! <= first + i) p++;
        const at = next[chunk[i]!]!++;
        passage[at] = p;
        count[at] = counts[i]!;
      }
    }
    return { passage, count, starts };
  }
}

const CHUNK = 1 << 16;

/** The low bit says that the count is 1, which most are: such a posting is one number. */
export function putPosting(
  out: VarintWriter,
  gap: number,
  count: number,
): void {
  if (count === 1) out.put(gap * 2 + 1);
  else {
    out.put(gap * 2);
    out.put(count);
  }
}

/** Calls `visit` for each passage of a posting list, in ascending order. @spec segment-holds-postings */
export function eachPosting(
  bytes: Uint8Array,
  visit: (passage: number, count: number) => void,
): void {
  const from = new VarintReader(bytes);
  let passage = 0;
  while (!from.done) {
    const head = from.next();
    passage += head >>> 1;
    visit(passage, head & 1 ? 1 : from.next());
  }
}
