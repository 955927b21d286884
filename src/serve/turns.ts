/** Which of the calls that wait a free thread takes. Pure. */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** A call that waits, as one thread sees it. */
export interface Waiting {
  /** Who has answered its question before: this thread, another one alone, or nobody. */
  readonly answeredBy: "own" | "other" | "nobody";
  /** How many calls that came later were taken up before it. */
  readonly overtaken: number;
}

/**
 * The place of the call that is taken, from 0. There has to be one.
 * @spec pool-knows-questions
 */
export function nextOf(
  waiting: readonly Waiting[],
  limits: Pick<Limits, "MAX_OVERTAKEN"> = fromSpec,
): number {
  if (waiting[0]!.overtaken >= limits.MAX_OVERTAKEN) return 0;
  for (const who of ["own", "nobody"] as const) {
    const place = waiting.findIndex(({ answeredBy }) => answeredBy === who);
    if (place >= 0) return place;
  }
  return 0;
}
