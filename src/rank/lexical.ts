/**
 * BM25 over the passages of all segments. The statistics are those of the whole
 * index, so that it does not matter how files are spread over segments.
 */
import { eachPosting } from "../model/segment.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { IndexReader } from "../store/store.ts";

export interface PassageHit {
  readonly file: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly score: number;
  /** How much of the question's weight occurs here, 0 to 1. */
  readonly coverage: number;
}

export interface Lexical {
  /** The best first; equal scores in order of file id and line. */
  readonly hits: readonly PassageHit[];
  /** Terms of the question that occur nowhere. */
  readonly unknown: readonly string[];
  /** The weight of each term that occurs, by its rarity. */
  readonly idf: ReadonlyMap<string, number>;
}

/** @spec rank-bm25 */
export function lexical(
  index: IndexReader,
  terms: ReadonlyMap<string, number>,
  limits: Pick<Limits, "BM25_K1" | "BM25_B" | "MAX_HITS"> = fromSpec,
): Lexical {
  const segments = index.segments();
  let passages = 0;
  let weight = 0;
  for (const { table } of segments) {
    passages += table.file.length;
    for (const w of table.weight) weight += w;
  }
  const average = weight / Math.max(1, passages);
  const lists = [...terms].map(([term, share]) => ({
    term,
    share,
    bySegment: index.postings(term),
  }));
  const scores = new Map(
    segments.map((s) => [s.id, new Float64Array(s.table.file.length)]),
  );
  const covered = new Map(
    segments.map((s) => [s.id, new Float64Array(s.table.file.length)]),
  );
  const idfs = new Map<string, number>();
  const unknown: string[] = [];
  let total = 0;
  for (const { term, share, bySegment } of lists) {
    let found = 0;
    for (const data of bySegment.values()) eachPosting(data, () => found++);
    const idf = Math.log(1 + (passages - found + 0.5) / (found + 0.5)) * share;
    if (found === 0) {
      unknown.push(term);
      total += idf;
      continue;
    }
    idfs.set(term, idf);
    total += idf;
    for (const { id, table } of segments) {
      const data = bySegment.get(id);
      if (!data) continue;
      const score = scores.get(id)!;
      const cover = covered.get(id)!;
      eachPosting(data, (passage, count) => {
        const norm =
          1 -
          limits.BM25_B +
          (limits.BM25_B * table.weight[passage]!) / average;
        score[passage]! +=
          (idf * count * (limits.BM25_K1 + 1)) /
          (count + limits.BM25_K1 * norm);
        cover[passage]! += idf;
      });
    }
  }
  const hits: PassageHit[] = [];
  for (const { id, table } of segments) {
    const score = scores.get(id)!;
    for (let p = 0; p < score.length; p++) {
      if (score[p]! <= 0 || !index.file(table.file[p]!)) continue;
      hits.push({
        file: table.file[p]!,
        firstLine: table.firstLine[p]!,
        lastLine: table.lastLine[p]!,
        score: score[p]!,
        coverage: covered.get(id)![p]! / total,
      });
    }
  }
  hits.sort(
    (a, b) => b.score - a.score || a.file - b.file || a.firstLine - b.firstLine,
  );
  return { hits: hits.slice(0, limits.MAX_HITS), unknown, idf: idfs };
}
