/**
 * BM25 over passages and over whole files. The statistics are those of the whole
 * index, so that it does not matter how files are spread over segments.
 *
 * Scores only compare within one question.
 */
import { eachPosting, type PassageTable } from "../model/segment.ts";
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

export interface FileHit {
  readonly file: number;
  /** BM25 of the whole file. */
  readonly score: number;
  /** How much of the question's weight occurs in the file, 0 to 1. */
  readonly coverage: number;
  /** Its best passages, the best first. */
  readonly passages: readonly PassageHit[];
}

export interface Lexical {
  /** By file id. */
  readonly files: ReadonlyMap<number, FileHit>;
  /** The best score of a passage, and of a file; 1 where nothing matches. */
  readonly bestPassage: number;
  readonly bestFile: number;
  /** The most that one passage holds of the question's weight, 0 to 1. */
  readonly coverage: number;
  /** Terms of the question that occur nowhere. */
  readonly unknown: readonly string[];
}

/** What is known of the passages of a segment, as far as it does not depend on the question. */
interface Ground {
  readonly id: number;
  readonly table: PassageTable;
  readonly score: Float64Array;
  readonly cover: Float64Array;
}

/** @spec rank-bm25 */
export function lexical(
  index: IndexReader,
  terms: ReadonlyMap<string, number>,
  limits: Pick<Limits, "BM25_K1" | "BM25_B" | "PASSAGES_OF_FILE"> = fromSpec,
): Lexical {
  const grounds = index.segments().map(({ id, table }): Ground => ({
    id,
    table,
    score: new Float64Array(table.file.length),
    cover: new Float64Array(table.file.length),
  }));
  const { passages, averagePassage, averageFile, fileWeight } =
    index.statistics();
  const k1 = limits.BM25_K1;
  const saturate = (count: number, length: number) =>
    (count * (k1 + 1)) /
    (count + k1 * (1 - limits.BM25_B + limits.BM25_B * length));
  const files = new Map<number, { score: number; cover: number }>();
  const unknown: string[] = [];
  let total = 0;
  for (const [term, share] of terms) {
    const lists = index.postings(term);
    let found = 0;
    for (const data of lists.values()) eachPosting(data, () => found++);
    const idf = Math.log(1 + (passages - found + 0.5) / (found + 0.5)) * share;
    total += idf;
    if (found === 0) {
      unknown.push(term);
      continue;
    }
    for (const { id, table, score, cover } of grounds) {
      const data = lists.get(id);
      if (!data) continue;
      let file = 0;
      let inFile = 0;
      const endFile = () => {
        if (inFile === 0) return;
        const known = files.get(file) ?? { score: 0, cover: 0 };
        known.score +=
          idf * saturate(inFile, (fileWeight.get(file) ?? 0) / averageFile);
        known.cover += idf;
        files.set(file, known);
        inFile = 0;
      };
      eachPosting(data, (passage, count) => {
        if (table.file[passage] !== file) {
          endFile();
          file = table.file[passage]!;
        }
        inFile += count;
        score[passage]! +=
          idf * saturate(count, table.weight[passage]! / averagePassage);
        cover[passage]! += idf;
      });
      endFile();
    }
  }
  return gathered(
    index,
    grounds,
    files,
    total,
    unknown,
    limits.PASSAGES_OF_FILE,
  );
}

function gathered(
  index: IndexReader,
  grounds: readonly Ground[],
  files: ReadonlyMap<number, { score: number; cover: number }>,
  total: number,
  unknown: readonly string[],
  most: number,
): Lexical {
  const out = new Map<number, FileHit>();
  let bestPassage = 0;
  let bestFile = 0;
  let coverage = 0;
  for (const { table, score, cover } of grounds) {
    for (let p = 0; p < score.length;) {
      const file = table.file[p]!;
      const known = files.get(file);
      const alive = known !== undefined && index.file(file) !== undefined;
      const hits: PassageHit[] = [];
      for (; p < score.length && table.file[p] === file; p++) {
        if (!alive || score[p]! <= 0) continue;
        hits.push({
          file,
          firstLine: table.firstLine[p]!,
          lastLine: table.lastLine[p]!,
          score: score[p]!,
          coverage: cover[p]! / total,
        });
      }
      if (!alive || hits.length === 0) continue;
      hits.sort((a, b) => b.score - a.score || a.firstLine - b.firstLine);
      for (const hit of hits) coverage = Math.max(coverage, hit.coverage);
      bestPassage = Math.max(bestPassage, hits[0]!.score);
      bestFile = Math.max(bestFile, known.score);
      out.set(file, {
        file,
        score: known.score,
        coverage: known.cover / total,
        passages: hits.slice(0, most),
      });
    }
  }
  return {
    files: out,
    bestPassage: bestPassage || 1,
    bestFile: bestFile || 1,
    coverage,
    unknown,
  };
}
