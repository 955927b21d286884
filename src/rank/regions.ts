/**
 * Which lines of a file answer the question: whole definitions where they are
 * short, the matching part of them where they are long.
 *
 * Units: lines are 1-based and inclusive. Scores compare within one file only.
 */
import { nameParts, stem } from "../model/terms.ts";
import type { Span } from "../model/span.ts";
import { limits as fromSpec, lists, type Limits } from "../spec.gen.ts";
import type { SymbolRow } from "../store/store.ts";
import type { Candidate } from "./candidates.ts";

export interface Region {
  readonly span: Span;
  /** With the lines around it that belong to no other definition. */
  readonly padded: Span;
  /** Where the first definition in it begins, after its comment; its first line without one. */
  readonly body: number;
  readonly score: number;
  /** The question asks for it: as much of it is shown as there is room for. */
  readonly asked: boolean;
  /** The signature of the definition in which it begins; undefined where it begins with one. */
  readonly context: Span | undefined;
}

/** Kinds whose members are definitions: one of them is no fragment. */
export const CONTAINERS: ReadonlySet<string> = new Set(lists.CONTAINER_KINDS);

type RegionLimits = Pick<
  Limits,
  | "REGION_MAX_LINES"
  | "PASSAGE_MAX_LINES"
  | "LINES_SCORE"
  | "DEFINITION_SCORE"
  | "REST_SCORE"
  | "EXACT_HIT_SHARE"
  | "CALLER_REGION_SCORE"
  | "LED_REGION_SCORE"
  | "NAMESAKE_SCORE"
  | "CLUSTER_PADDING_LINES"
>;

/** The best first; they may overlap. @spec regions-hold-definitions regions-in-order */
export function regions(
  candidate: Candidate,
  lines: number,
  limits: RegionLimits = fromSpec,
): Region[] {
  const { symbols, hits } = candidate;
  const out: Region[] = [];
  const best = hits[0]?.score ?? 1;
  const inside = ([first, last]: Span) =>
    hits
      .filter((h) => h.firstLine <= last && h.lastLine >= first)
      .reduce((most, h) => Math.max(most, h.score / best), 0);
  const add = (span: Span, score: number, asked: boolean) => {
    if (span[0] > lines) return;
    const within: Span = [span[0], Math.min(span[1], lines)];
    out.push({
      span: within,
      padded: padded(within, symbols, lines, limits.CLUSTER_PADDING_LINES),
      body: body(within, symbols),
      score,
      asked,
      context: context(within, symbols),
    });
  };
  const isLong = (span: Span) => span[1] - span[0] >= limits.REGION_MAX_LINES;
  /** A short definition whole; of a long one, its beginning. */
  const head = (s: SymbolRow): Span => {
    const span = withDoc(s);
    if (!isLong(span)) return span;
    const from = isLong([span[0], s.span[0]]) ? s.span[0] : span[0];
    return [from, from + limits.PASSAGE_MAX_LINES - 1];
  };

  for (const span of candidate.lines) add(span, limits.LINES_SCORE, true);
  for (const s of candidate.named) {
    const span = withDoc(s);
    add(head(s), limits.DEFINITION_SCORE + inside(span), true);
    if (isLong(span)) add(span, limits.REST_SCORE, true);
  }
  for (const use of candidate.users) {
    const span = use.by && withDoc(use.by);
    add(
      span && !isLong(span)
        ? span
        : around(use.line, span, limits.PASSAGE_MAX_LINES),
      limits.CALLER_REGION_SCORE,
      false,
    );
  }
  for (const s of candidate.led)
    add(
      head(s),
      limits.LED_REGION_SCORE + (isLong(withDoc(s)) ? 0 : inside(s.span)),
      false,
    );
  if (candidate.lines.length === 0)
    for (const s of namesakes(candidate))
      add(head(s), limits.NAMESAKE_SCORE, false);
  // Where lines are asked for by number, the rest of the file is not; where definitions
  // are, by their names alone, what only resembles them is not.
  const enough = candidate.isExact ? best * limits.EXACT_HIT_SHARE : 0;
  if (candidate.lines.length === 0)
    for (const hit of hits.filter((h) => h.score >= enough))
      add(
        grown([hit.firstLine, hit.lastLine], symbols, limits.REGION_MAX_LINES),
        hit.score / best,
        false,
      );
  if (candidate.namedPath && candidate.lines.length === 0)
    add([1, lines], 0, true);
  return out.sort((a, b) => b.score - a.score || a.span[0] - b.span[0]);
}

/** The definitions at top level that have the file's name: what it is about. */
function namesakes({ file, symbols }: Candidate): SymbolRow[] {
  const letters = (name: string) => nameParts(name).join("");
  const stem = /([^/.]+)(?:\.[^/]*)?$/.exec(file.path)?.[1] ?? "";
  const wanted = letters(stem);
  return symbols.filter((s) => s.container < 0 && letters(s.name) === wanted);
}

/**
 * The definitions of a file, those first that a heading or a list of signatures
 * should name: asked for, then by what of the question their passages and their
 * names hold. Fields are left out.
 * @spec definitions-in-order
 */
export function byRelevance(
  candidate: Candidate,
  weights: ReadonlyMap<string, number>,
): SymbolRow[] {
  const { hits } = candidate;
  const best = hits[0]?.score ?? 1;
  const total = [...weights.values()].reduce((a, b) => a + b, 0) || 1;
  const first = new Map(
    [...candidate.named, ...candidate.users.flatMap((use) => use.by ?? [])].map(
      (s, i) => [s.ordinal, i],
    ),
  );
  const scored = candidate.symbols
    .filter((s) => s.kind !== "field")
    .map((symbol) => {
      const score = matching(symbol, hits) / best;
      return {
        symbol,
        first: first.get(symbol.ordinal) ?? first.size,
        score:
          score === 0 ? 0 : score + nameWeight(symbol.name, weights) / total,
      };
    });
  return scored
    .sort(
      (a, b) =>
        a.first - b.first ||
        b.score - a.score ||
        a.symbol.ordinal - b.symbol.ordinal,
    )
    .map(({ symbol }) => symbol);
}

/** The signatures that stand for the file, the most wanted first. @spec plan-signatures */
export function signatures(
  candidate: Candidate,
  ordered: readonly SymbolRow[],
): Span[] {
  const wanted = new Set(candidate.named.map((s) => s.ordinal));
  return ordered
    .filter((s) => wanted.has(s.ordinal) || matching(s, candidate.hits) > 0)
    .map((s) => s.signatureSpan);
}

/** The score of the best passage that begins the definition or lies in it; of one in a part of it, half. */
function matching(
  { span: [first, last] }: SymbolRow,
  hits: Candidate["hits"],
): number {
  let score = 0;
  for (const hit of hits) {
    if (hit.lastLine < first || hit.firstLine > last) continue;
    const begins = hit.firstLine <= first;
    score = Math.max(score, begins ? hit.score : hit.score / 2);
  }
  return score;
}

function nameWeight(
  name: string,
  weights: ReadonlyMap<string, number>,
): number {
  let sum = 0;
  for (const part of new Set(nameParts(name).map(stem)))
    sum += weights.get(part) ?? 0;
  return sum;
}

/** A definition with its doc comment. */
export function withDoc(s: SymbolRow): Span {
  return [s.docSpan?.[0] ?? s.span[0], s.span[1]];
}

/** As many lines as a passage has, the line in their middle, inside `within`. */
function around(line: number, within: Span | undefined, most: number): Span {
  const first = Math.max(within?.[0] ?? 1, line - (most >> 1));
  return [first, Math.min(within?.[1] ?? Infinity, first + most - 1)];
}

/** A passage together with the definitions that it cuts, as far as they are short. */
function grown(span: Span, symbols: readonly SymbolRow[], most: number): Span {
  let [first, last] = span;
  for (const s of symbols) {
    if (s.span[0] > span[1]) break;
    const [a, b] = withDoc(s);
    if (b < span[0] || b - a >= most) continue;
    first = Math.min(first, a);
    last = Math.max(last, b);
  }
  return [first, last];
}

function context(
  [first]: Span,
  symbols: readonly SymbolRow[],
): Span | undefined {
  let innermost: SymbolRow | undefined;
  for (const s of symbols) {
    if (s.span[0] >= first) break;
    if (s.span[1] >= first && !CONTAINERS.has(s.kind)) innermost = s;
  }
  return innermost && innermost.signatureSpan[1] < first
    ? innermost.signatureSpan
    : undefined;
}

/** Up to `most` lines on both sides, as far as they do not cut into a definition beside it. */
function padded(
  [first, last]: Span,
  symbols: readonly SymbolRow[],
  lines: number,
  most: number,
): Span {
  let from = Math.max(1, first - most);
  let to = Math.min(lines, last + most);
  for (const s of symbols) {
    const [a, b] = withDoc(s);
    if (b < first && b >= from && a < from) from = b + 1;
    if (a > last && a <= to && b > to) to = a - 1;
  }
  return [from, to];
}

function body([first, last]: Span, symbols: readonly SymbolRow[]): number {
  for (const s of symbols) {
    if (s.span[0] > last) break;
    if (s.span[0] >= first)
      return s.docSpan && s.docSpan[0] >= first ? s.span[0] : first;
  }
  return first;
}
