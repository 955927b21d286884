/** When the index is looked after. Pure: numbers in, numbers out; all in milliseconds. */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

const SECOND = 1000; // exempt spec-values-are-imported: a unit

/** How long a sync still waits after a change, when the first one of the burst was so long ago. @spec watch-debounce */
export function debounce(
  sinceFirstMs: number,
  limits: Pick<Limits, "DEBOUNCE_MS" | "MAX_DEBOUNCE_MS"> = fromSpec,
): number {
  const left = Math.max(0, limits.MAX_DEBOUNCE_MS - sinceFirstMs);
  return Math.min(limits.DEBOUNCE_MS, left);
}

/** Whether so many changed paths are looked at one by one. @spec watch-burst */
export const areNamed = (
  paths: number,
  limits: Pick<Limits, "MAX_NAMED_PATHS"> = fromSpec,
): boolean => paths <= limits.MAX_NAMED_PATHS;

/** Whether the whole project is looked at again, the last time so long ago. @spec watch-safety-net */
export const isLongAgo = (
  sinceMs: number,
  limits: Pick<Limits, "SAFETY_NET_SECONDS"> = fromSpec,
): boolean => sinceMs >= limits.SAFETY_NET_SECONDS * SECOND;

/** Whether one more folder may be watched. @spec watch-limit */
export const mayWatchMore = (
  folders: number,
  limits: Pick<Limits, "MAX_WATCHES"> = fromSpec,
): boolean => folders < limits.MAX_WATCHES;

/** How long the syncing thread is kept without work. @spec sync-thread */
export const keptForMs = (
  limits: Pick<Limits, "SYNC_IDLE_SECONDS"> = fromSpec,
): number => limits.SYNC_IDLE_SECONDS * SECOND;
