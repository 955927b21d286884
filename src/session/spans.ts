/** Spans of which a record can be sure. Units: 1-based lines, inclusive. */
import { joined, lineCount, type Span } from "../model/span.ts";

/** Whether it is a range of lines at all. */
export const isSound = ([first, last]: Span): boolean =>
  Number.isSafeInteger(first) &&
  Number.isSafeInteger(last) &&
  first >= 1 &&
  first <= last;

/** The sound ones, joined, in line order; the others are dropped. @spec session-drops-what-it-doubts */
export const sound = (spans: readonly Span[]): readonly Span[] =>
  joined(spans.every(isSound) ? spans : spans.filter(isSound));

/** The largest `most`, in line order; of equal ones the first. */
export function largest(spans: readonly Span[], most: number): Span[] {
  return spans
    .toSorted((x, y) => lineCount(y) - lineCount(x) || x[0] - y[0])
    .slice(0, most)
    .sort((x, y) => x[0] - y[0]);
}
