/**
 * Inclusive ranges of source lines, read and written in the notation that the
 * product prints: `L5`, `L5-9`, `L1-3, L7-8`, and `–` for none.
 *
 * Units: 1-based source lines, both ends inclusive.
 */
export type Span = readonly [first: number, last: number];

/** How many lines a span holds. */
export const lineCount = ([first, last]: Span): number => last - first + 1;

/**
 * The notation of the product: `L5`, `L5-9`, `L1-3, L7-8`, `–` for none.
 *
 * @spec span-notation
 */
export const printSpans = (spans: readonly Span[]): string =>
  spans.map(([a, b]) => (a === b ? `L${a}` : `L${a}-${b}`)).join(", ") || "–";

/**
 * The inverse of `printSpans`.
 * Throws: SyntaxError on text in another notation.
 *
 * @spec span-notation span-refuses-other-notation
 */
export function readSpans(text: string): Span[] {
  if (text === "–") return [];
  return text.split(", ").map((part) => {
    const m = /^L(\d+)(?:-(\d+))?$/.exec(part);
    if (!m) throw new SyntaxError(`not a line span: ${part}`);
    return [Number(m[1]), Number(m[2] ?? m[1])] as const;
  });
}

/**
 * Sorted, with touching and overlapping spans made one; the given array itself where
 * that is so already.
 *
 * @spec spans-are-joined
 */
export function joined(spans: readonly Span[]): readonly Span[] {
  if (areJoined(spans)) return spans;
  const out: [number, number][] = [];
  for (const [a, b] of spans.toSorted(order)) {
    const top = out.at(-1);
    if (top && a <= top[1] + 1) top[1] = Math.max(top[1], b);
    else out.push([a, b]);
  }
  return out;
}

/** A plan asks often, and mostly of a few that are. */
function areJoined(spans: readonly Span[]): boolean {
  for (let i = 1; i < spans.length; i++)
    if (spans[i]![0] <= spans[i - 1]![1] + 1) return false;
  return true;
}

/** By their first lines, then by their last. */
const order = (x: Span, y: Span): number => x[0] - y[0] || x[1] - y[1];

/** Whether every line of one lies in the others, which are joined. */
export const liesIn = ([first, last]: Span, others: readonly Span[]): boolean =>
  others.some(([a, b]) => a <= first && last <= b);
