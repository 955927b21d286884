/**
 * Splits the lines that a call wants into those it sends and those it points at.
 *
 * Units: 1-based lines, inclusive.
 * Errs: toward sending. A held run under the limit goes out again; a line that is
 *   not held is never pointed at.
 */
import { joined, lineCount, printSpans, type Span } from "../model/span.ts";
import { isSound, sound } from "../session/spans.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** In line order both, and joined; together they are what was wanted. */
export interface Cover {
  readonly send: readonly Span[];
  readonly pointAt: readonly Span[];
}

/**
 * Wanted spans that touch or overlap are one. Of `held`, what is no range of lines
 * is ignored.
 * Throws: RangeError on a wanted span that is none, which is the caller's slicing bug.
 * @spec dedup-covered-run dedup-never-withholds
 */
export function cover(
  wanted: readonly Span[],
  held: readonly Span[],
  limits: Pick<Limits, "MIN_COVERED_LINES"> = fromSpec,
): Cover {
  const broken = wanted.filter((span) => !isSound(span));
  if (broken.length > 0)
    throw new RangeError(`not a range of lines: ${printSpans(broken)}`);
  const send: Span[] = [];
  const pointAt: Span[] = [];
  const known = sound(held);
  for (const [first, last] of joined(wanted)) {
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
