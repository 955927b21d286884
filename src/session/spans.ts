/** Spans of which a record can be sure. Units: 1-based lines, inclusive. */
import { joined, lineCount, type Span } from "../model/span.ts";

/** The sound ones, joined, in line order; the others are dropped. @spec session-drops-what-it-doubts */
export function sound(spans: readonly Span[]): Span[] {
  return joined(
    spans.filter(
      ([a, b]) =>
        Number.isSafeInteger(a) && Number.isSafeInteger(b) && a >= 1 && a <= b,
    ),
  );
}

/** The largest `most`, in line order; of equal ones the first. */
export function largest(spans: readonly Span[], most: number): Span[] {
  return spans
    .toSorted((x, y) => lineCount(y) - lineCount(x) || x[0] - y[0])
    .slice(0, most)
    .sort((x, y) => x[0] - y[0]);
}
