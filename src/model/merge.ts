/** Makes one segment of several, and leaves out what belongs to files that are gone. */
import {
  encodePassages,
  eachPosting,
  putPosting,
  type Passage,
  type PassageTable,
  type Segment,
} from "./segment.ts";
import { VarintWriter } from "./varint.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface MergedSegment {
  readonly table: PassageTable;
  readonly postings: Iterable<{
    readonly term: string;
    readonly data: Uint8Array;
  }>;
}

/**
 * What all `parts` say about files that are `alive`, as one segment. Their passages
 * follow each other in the order of the parts.
 * @spec segment-merge
 */
export function mergeSegments(
  parts: readonly MergedSegment[],
  alive: (file: number) => boolean,
): Segment {
  const passages: Passage[] = [];
  const lists = new Map<string, { numbers: Int32Array; data: Uint8Array }[]>();
  for (const { table, postings } of parts) {
    const numbers = renumbered(table, alive, passages);
    for (const { term, data } of postings) {
      const known = lists.get(term);
      if (known) known.push({ numbers, data });
      else lists.set(term, [{ numbers, data }]);
    }
  }
  const out = new VarintWriter();
  const terms: string[] = [];
  const ends: number[] = [];
  for (const term of [...lists.keys()].sort(byUnits)) {
    const start = out.length;
    let before = 0;
    for (const { numbers, data } of lists.get(term)!)
      eachPosting(data, (passage, count) => {
        const number = numbers[passage]!;
        if (number < 0) return;
        putPosting(out, number - before, count);
        before = number;
      });
    if (out.length === start) continue;
    terms.push(term);
    ends.push(out.length);
  }
  return {
    passages: encodePassages(passages),
    terms,
    ends: Uint32Array.from(ends),
    postings: out.take(),
  };
}

/** The new number of each passage of a part, -1 for one that goes; the new passages are added to `passages`. */
function renumbered(
  table: PassageTable,
  alive: (file: number) => boolean,
  passages: Passage[],
): Int32Array {
  const numbers = new Int32Array(table.file.length).fill(-1);
  let owner = -1;
  let lives = false;
  for (let p = 0; p < numbers.length; p++) {
    const file = table.file[p]!;
    if (file !== owner) {
      owner = file;
      lives = alive(file);
    }
    if (!lives) continue;
    numbers[p] = passages.length;
    passages.push({
      file,
      firstLine: table.firstLine[p]!,
      lastLine: table.lastLine[p]!,
      weight: table.weight[p]!,
    });
  }
  return numbers;
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A segment's passages in all, and those of files that are still there. */
export interface SegmentUse {
  readonly id: number;
  readonly passages: number;
  readonly alive: number;
}

/**
 * Which segments become one, so that a question looks into few: the smallest ones
 * together where there are more than `MAX_SEGMENTS`, else one of which less than half
 * is alive. None for nothing to do.
 * @spec segment-merge
 */
export function segmentsToMerge(
  segments: readonly SegmentUse[],
  limits: Pick<Limits, "MAX_SEGMENTS"> = fromSpec,
): number[] {
  if (segments.length > limits.MAX_SEGMENTS)
    return [...segments]
      .sort((a, b) => a.alive - b.alive || a.id - b.id)
      .slice(0, segments.length - Math.floor(limits.MAX_SEGMENTS / 2) + 1)
      .map(({ id }) => id);
  const wasted = segments.find(({ passages, alive }) => alive * 2 < passages);
  return wasted ? [wasted.id] : [];
}
