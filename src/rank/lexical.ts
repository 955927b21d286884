/**
 * BM25 over passages and over whole files. The statistics are those of the files
 * that the index holds now, so that it matters neither how files are spread over
 * segments nor what older segments still say of files that were indexed again.
 *
 * Scores only compare within one question.
 */
import { eachPosting, type PassageTable } from "../model/segment.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { IndexReader } from "../store/store.ts";

export interface PassageHit {
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
  /** Its best passage, and a falling share of those after it. */
  readonly passages: number;
}

export interface Lexical {
  /** The files that match, by id; a file that the index no longer holds is not among them. */
  readonly files: ReadonlyMap<number, FileHit>;
  /** The passages of a file that match, the best first, at most `PASSAGES_OF_FILE`. */
  hits(file: number): readonly PassageHit[];
  /** The best score of a passage, and of a file; 1 where nothing matches. */
  readonly bestPassage: number;
  readonly bestFile: number;
  /** The most of the question's terms that one passage holds, 0 to 1. Rarity does not count: in a small project every word is common. */
  readonly coverage: number;
  /** What each term of the question weighs. */
  readonly weights: ReadonlyMap<string, number>;
  /** Terms of the question that occur nowhere. */
  readonly unknown: readonly string[];
}

type LexicalLimits = Pick<
  Limits,
  "BM25_K1" | "BM25_B" | "PASSAGES_OF_FILE" | "NEXT_PASSAGE_SHARE"
>;

/** The passages of a segment, with what the question gives each of them. */
interface Ground {
  readonly id: number;
  readonly table: PassageTable;
  readonly score: Float64Array;
  readonly cover: Float64Array;
  /** How many of the terms occur. */
  readonly terms: Uint16Array;
}

interface Draft {
  file: number;
  score: number;
  passages: number;
  ground: Ground;
  /** Its first passage in the segment. */
  first: number;
}

/** The postings of one term in one segment, those of files that are gone left out. */
interface Occurrences {
  readonly ground: Ground;
  readonly passage: Uint32Array;
  readonly count: Uint8Array;
  readonly used: number;
}

/** @spec rank-bm25 rank-several-passages */
export function lexical(
  index: IndexReader,
  terms: ReadonlyMap<string, number>,
  limits: LexicalLimits = fromSpec,
): Lexical {
  const grounds = index.segments().map(({ id, table }): Ground => ({
    id,
    table,
    score: new Float64Array(table.file.length),
    cover: new Float64Array(table.file.length),
    terms: new Uint16Array(table.file.length),
  }));
  const { passages, averagePassage, averageFile, fileWeight } =
    index.statistics();
  const k1 = limits.BM25_K1;
  const rest = 1 - limits.BM25_B;
  const perPassage = limits.BM25_B / averagePassage;
  const perFile = limits.BM25_B / averageFile;
  const files = new Map<number, Draft>();
  const weights = new Map<string, number>();
  const unknown: string[] = [];
  let total = 0;
  for (const [term, share] of terms) {
    const lists = index.postings(term);
    const found = grounds.flatMap(
      (ground) => occurrences(ground, lists.get(ground.id), fileWeight) ?? [],
    );
    const count = found.reduce((sum, { used }) => sum + used, 0);
    const idf = Math.log(1 + (passages - count + 0.5) / (count + 0.5)) * share;
    total += idf;
    weights.set(term, idf);
    if (count === 0) unknown.push(term);
    for (const { ground, passage, count: counts, used } of found) {
      const { table, score, cover, terms: held } = ground;
      for (let i = 0; i < used;) {
        const file = table.file[passage[i]!]!;
        let inFile = 0;
        for (; i < used && table.file[passage[i]!] === file; i++) {
          const p = passage[i]!;
          const n = counts[i]!;
          inFile += n;
          score[p]! +=
            (idf * n * (k1 + 1)) /
            (n + k1 * (rest + perPassage * table.weight[p]!));
          cover[p]! += idf;
          held[p]!++;
        }
        let known = files.get(file);
        if (!known)
          files.set(
            file,
            (known = { file, score: 0, passages: 0, ground, first: 0 }),
          );
        known.score +=
          (idf * inFile * (k1 + 1)) /
          (inFile + k1 * (rest + perFile * fileWeight.get(file)!));
      }
    }
  }
  const best = bestOf(grounds, files, limits);
  return {
    files,
    hits: (file) => hitsOf(files.get(file), total, limits.PASSAGES_OF_FILE),
    bestPassage: best.passage || 1,
    bestFile: best.file || 1,
    coverage: terms.size === 0 ? 0 : best.terms / terms.size,
    weights,
    unknown,
  };
}

/** Undefined where the segment has none. */
function occurrences(
  ground: Ground,
  data: Uint8Array | undefined,
  alive: ReadonlyMap<number, number>,
): Occurrences | undefined {
  if (!data) return undefined;
  const { file } = ground.table;
  const passage = new Uint32Array(data.length);
  const count = new Uint8Array(data.length);
  let used = 0;
  let owner = -1;
  let lives = false;
  eachPosting(data, (p, n) => {
    if (file[p] !== owner) {
      owner = file[p]!;
      lives = alive.has(owner);
    }
    if (!lives) return;
    passage[used] = p;
    count[used++] = n;
  });
  return { ground, passage, count, used };
}

/** Gives each file the score of its passages; the best of all, for comparison. */
function bestOf(
  grounds: readonly Ground[],
  files: ReadonlyMap<number, Draft>,
  limits: LexicalLimits,
): { passage: number; file: number; terms: number } {
  const best = { passage: 0, file: 0, terms: 0 };
  const top = new Float64Array(limits.PASSAGES_OF_FILE);
  for (const { table, score, terms } of grounds)
    for (let p = 0; p < score.length;) {
      const file = table.file[p]!;
      const known = files.get(file);
      let held = 0;
      if (known) known.first = p;
      for (; p < score.length && table.file[p] === file; p++) {
        const s = score[p]!;
        if (s <= 0 || !known) continue;
        if (terms[p]! > best.terms) best.terms = terms[p]!;
        let at = held;
        if (held < top.length) held++;
        else if (top[--at]! >= s) continue;
        for (; at > 0 && top[at - 1]! < s; at--) top[at] = top[at - 1]!;
        top[at] = s;
      }
      if (!known || held === 0) continue;
      let share = 1;
      for (let i = 0; i < held; i++) {
        known.passages += top[i]! * share;
        share *= limits.NEXT_PASSAGE_SHARE;
      }
      best.file = Math.max(best.file, known.score);
    }
  for (const { score } of grounds)
    for (const s of score) if (s > best.passage) best.passage = s;
  return best;
}

function hitsOf(
  draft: Draft | undefined,
  total: number,
  most: number,
): PassageHit[] {
  if (!draft) return [];
  const { table, score, cover } = draft.ground;
  const out: PassageHit[] = [];
  for (let p = draft.first; table.file[p] === draft.file; p++)
    if (score[p]! > 0)
      out.push({
        firstLine: table.firstLine[p]!,
        lastLine: table.lastLine[p]!,
        score: score[p]!,
        coverage: cover[p]! / total,
      });
  return out
    .sort((a, b) => b.score - a.score || a.firstLine - b.firstLine)
    .slice(0, most);
}
