/**
 * What a call does with one file: which lines it sends, which it points at, and
 * which it leaves out as too little to show.
 *
 * Units: 1-based lines, inclusive; UTF-16 units.
 * Errs: toward sending.
 */
import { joined, liesIn, type Span } from "../model/span.ts";
import { sound } from "../session/spans.ts";
import type { DeliveredFile } from "../session/view.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { cover } from "./cover.ts";
import { folds } from "./gates.ts";

/** What a call would show of a file, and what is known of it. */
export interface FileWish {
  /** What an answer without history would show. */
  readonly wanted: readonly Span[];
  /** As `heldSpans` gives it; none where a gate says that history does not count. */
  readonly held: readonly Span[];
  /** The file as it is now, without line endings. */
  readonly lines: readonly string[];
  /** Lines of what the caller asked for by name. They never fold. */
  readonly named?: readonly Span[];
  /** The caller asked for lines of this file by number: they are sent whatever is held. */
  readonly again?: boolean;
}

/** The three are apart and in line order; together they are what was wanted. */
export interface FileDecision {
  readonly send: readonly Span[];
  readonly pointAt: readonly Span[];
  /** Neither sent nor recorded; empty unless `pointAt` has lines. */
  readonly folded: readonly Span[];
}

/**
 * Throws: RangeError on a wanted span that is no range of the file's lines.
 * @spec dedup-never-withholds dedup-remainder dedup-remainder-touches dedup-asked-by-number
 */
export function decideFile(
  { wanted, held, lines, named = [], again = false }: FileWish,
  limits: Pick<Limits, "MIN_COVERED_LINES" | "MIN_DELTA_CHARS"> = fromSpec,
): FileDecision {
  const beyond = wanted.find(([, last]) => last > lines.length);
  if (beyond)
    throw new RangeError(`L${beyond[1]} of a file of ${lines.length} lines`);
  const { send, pointAt } = cover(wanted, again ? [] : held, limits);
  const isLittle =
    folds(
      charsOf(send, lines, limits.MIN_DELTA_CHARS),
      pointAt.length,
      limits,
    ) &&
    areBeside(send, pointAt, sound(held)) &&
    !send.some((span) => meets(span, named));
  return isLittle
    ? { send: [], pointAt, folded: send }
    : { send, pointAt, folded: [] };
}

/** UTF-16 units of the spans' source, a line feed after each line; counted until it is `enough`. */
export function charsOf(
  spans: readonly Span[],
  lines: readonly string[],
  enough = Infinity,
): number {
  let sum = 0;
  for (const [first, last] of spans)
    for (let n = first; n <= last && sum < enough; n++)
      sum += lines[n - 1]!.length + 1;
  return sum;
}

/** Whether a line of one lies right before or after the other. */
const touches = ([first, last]: Span, others: readonly Span[]): boolean =>
  others.some(([a, b]) => b + 1 === first || last + 1 === a);

/** Whether each of the spans adds to what is pointed at, or is held itself. */
const areBeside = (
  spans: readonly Span[],
  pointAt: readonly Span[],
  held: readonly Span[],
): boolean =>
  spans.every((span) => touches(span, pointAt) || liesIn(span, held));

const meets = ([first, last]: Span, others: readonly Span[]): boolean =>
  others.some(([a, b]) => a <= last && first <= b);

/** What an answer holds of a file. */
export interface Shown {
  readonly path: string;
  /** Of the bytes that were sliced. */
  readonly fingerprint: string;
  /** What stands in the answer, from the slices that were put there. */
  readonly sent: readonly Span[];
  /** What the answer points at. */
  readonly pointedAt: readonly Span[];
  /** Bytes of UTF-8 of what was sent. */
  readonly sourceBytes: number;
}

/**
 * The entry of an emission: what the context holds of a file after the answer.
 * Lines that were pointed at are held still, and cost nothing.
 * @spec session-keeps-what-it-points-at
 */
export const delivered = ({
  path,
  fingerprint,
  sent,
  pointedAt,
  sourceBytes,
}: Shown): DeliveredFile => ({
  path,
  spans: joined([...sent, ...pointedAt]),
  fingerprint,
  sourceBytes: sent.length === 0 ? 0 : sourceBytes,
  truncated: false,
});
