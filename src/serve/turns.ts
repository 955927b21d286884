/** Which of the calls that wait a thread takes. Pure. */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** A call that waits, as one thread sees it. */
export interface Waiting {
  /**
   * Who has answered its question before: this thread; another one that is soon free
   * again; or nobody of whom that is known.
   */
  readonly answeredBy: "own" | "other" | "nobody";
  /** How many calls that came later were taken up before it. */
  readonly overtaken: number;
}

/**
 * The place of the call that is taken, from 0; undefined where all are left to others.
 * `since` counts the calls that were taken up since a thread last took one that others
 * know. There has to be one that waits.
 * @spec pool-knows-questions
 */
export function nextOf(
  waiting: readonly Waiting[],
  since: number,
  limits: Pick<Limits, "MAX_OVERTAKEN" | "LEFT_CALLS"> = fromSpec,
): number | undefined {
  if (waiting[0]!.overtaken >= limits.MAX_OVERTAKEN) return 0;
  for (const who of ["own", "nobody"] as const) {
    const place = waiting.findIndex(({ answeredBy }) => answeredBy === who);
    if (place >= 0) return place;
  }
  return since >= limits.LEFT_CALLS ? 0 : undefined;
}
