/**
 * Cuts a file into passages, the units of full-text search: at the starts of its
 * definitions where those are near, else at a fixed length.
 */
import type { SymbolDefinition } from "../model/extraction.ts";
import type { Span } from "../model/span.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/**
 * Consecutive spans that cover lines 1 to `lines`; none for an empty file.
 *
 * A passage ends before the first definition that begins when it holds
 * `PASSAGE_MIN_LINES` already, and at `PASSAGE_MAX_LINES` at the latest.
 * @spec passages-follow-definitions
 */
export function passages(
  lines: number,
  symbols: readonly SymbolDefinition[],
  limits: Pick<Limits, "PASSAGE_MIN_LINES" | "PASSAGE_MAX_LINES"> = fromSpec,
): Span[] {
  const starts = new Set(symbols.map((s) => s.docSpan?.[0] ?? s.span[0]));
  const out: Span[] = [];
  let first = 1;
  for (let line = 2; line <= lines; line++) {
    const held = line - first;
    if (
      held >= limits.PASSAGE_MAX_LINES ||
      (held >= limits.PASSAGE_MIN_LINES && starts.has(line))
    ) {
      out.push([first, line - 1]);
      first = line;
    }
  }
  if (lines >= 1) out.push([first, lines]);
  return out;
}
