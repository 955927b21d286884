/**
 * Splits the lines that a call wants into those it sends and those it points at.
 *
 * Units: 1-based lines, inclusive.
 * Errs: toward sending. A held run under the limit goes out again; a line that is
 *   not held is never pointed at.
 */
import { joined, lineCount, type Span } from "../model/span.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface Cover {
  /** In line order, like `pointAt`; together they are what was wanted. */
  readonly send: readonly Span[];
  readonly pointAt: readonly Span[];
}

/**
 * Throws: RangeError on an inverted span, which is the caller's slicing bug.
 * @spec dedup-covered-run dedup-never-withholds
 */
export function cover(
  wanted: readonly Span[],
  held: readonly Span[],
  limits: Pick<Limits, "MIN_COVERED_LINES"> = fromSpec,
): Cover {
  const send: Span[] = [];
  const pointAt: Span[] = [];
  const known = joined(held);
  for (const [first, last] of wanted) {
    if (first > last) throw new RangeError(`inverted span L${first}-${last}`);
    let next = first;
    for (const [a, b] of known) {
      const run: Span = [Math.max(a, next), Math.min(b, last)];
      if (lineCount(run) < limits.MIN_COVERED_LINES) continue;
      if (next < run[0]) send.push([next, run[0] - 1]);
      pointAt.push(run);
      next = run[1] + 1;
    }
    if (next <= last) send.push([next, last]);
  }
  return { send, pointAt };
}
