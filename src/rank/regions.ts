/**
 * Which lines of a file answer the question: whole definitions where they are
 * short, the matching part of them where they are long.
 *
 * Units: lines are 1-based and inclusive.
 */
import type { Span } from "../model/span.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { SymbolRow } from "../store/store.ts";
import type { Candidate } from "./candidates.ts";

export interface Region {
  readonly span: Span;
  /** Compares within the file only. */
  readonly score: number;
  readonly named: boolean;
}

/** The best first; they may overlap. @spec regions-hold-definitions */
export function regions(
  candidate: Candidate,
  lines: number,
  limits: Pick<Limits, "REGION_MAX_LINES" | "PASSAGE_MAX_LINES"> = fromSpec,
): Region[] {
  const out: Region[] = [];
  const best = candidate.hits[0]?.score ?? 1;
  const inside = (span: Span) =>
    candidate.hits
      .filter((h) => h.firstLine <= span[1] && h.lastLine >= span[0])
      .reduce((s, h) => Math.max(s, h.score / best), 0);
  for (const [first, last] of candidate.lines)
    if (first <= lines)
      out.push({ span: [first, Math.min(last, lines)], score: 4, named: true });
  for (const s of candidate.named) {
    const span = withDoc(s);
    const long = span[1] - span[0] + 1 > limits.REGION_MAX_LINES;
    out.push({
      span: long
        ? [span[0], Math.min(span[1], span[0] + limits.PASSAGE_MAX_LINES - 1)]
        : span,
      score: 2 + inside(span),
      named: true,
    });
  }
  for (const hit of candidate.hits)
    out.push({
      span: grown(
        [hit.firstLine, Math.min(hit.lastLine, lines)],
        candidate.symbols,
        limits.REGION_MAX_LINES,
      ),
      score: hit.score / best,
      named: false,
    });
  if (candidate.namedPath && lines > 0)
    out.push({ span: [1, lines], score: 0, named: false });
  return out.sort((a, b) => b.score - a.score || a.span[0] - b.span[0]);
}

/** The signatures of the definitions that match, the most wanted first. @spec plan-signatures */
export function signatures(candidate: Candidate): Span[] {
  const wanted = candidate.hits.flatMap((hit) =>
    candidate.symbols.filter(
      (s) =>
        s.span[0] >= hit.firstLine &&
        s.span[0] <= hit.lastLine &&
        s.kind !== "field",
    ),
  );
  return [...candidate.named, ...wanted].map((s) => s.signatureSpan);
}

/** A definition with its doc comment. */
export function withDoc(s: SymbolRow): Span {
  return [s.docSpan?.[0] ?? s.span[0], s.span[1]];
}

/** A passage together with the definitions that it cuts, as far as they are short. */
function grown(span: Span, symbols: readonly SymbolRow[], most: number): Span {
  let [first, last] = span;
  for (const s of symbols) {
    const [a, b] = withDoc(s);
    if (b < span[0] || a > span[1] || b - a + 1 > most) continue;
    first = Math.min(first, a);
    last = Math.max(last, b);
  }
  return [first, last];
}
