/** When history counts at all. */
import { limits as fromSpec, lists, type Limits } from "../spec.gen.ts";
import type { SessionView } from "../session/view.ts";

/** `on`: what the view holds counts. Otherwise the call is answered as if it held nothing. */
export type Gate =
  "on" | "first-call" | "switched-off" | "asked-twice" | "untracked";

/**
 * Whether the switch leaves dedup on. `value` is that of the environment's variable
 * at this call; undefined where it is not set.
 * @spec dedup-switch
 */
export function switchedOn(value: string | undefined): boolean {
  return !lists.DEDUP_OFF.includes((value ?? "").trim().toLowerCase());
}

/**
 * Why a call's history counts, or why not. `asked` is the `askedKey` of its query;
 * without a view nothing is tracked.
 * @spec dedup-first-call dedup-asked-twice dedup-switch
 */
export function gateOf(
  view: SessionView | undefined,
  asked: string,
  switchValue: string | undefined,
): Gate {
  if (!view) return "untracked";
  if (!switchedOn(switchValue)) return "switched-off";
  if (view.calls.length === 0) return "first-call";
  if (view.calls.some((call) => call.pointed && call.asked === asked))
    return "asked-twice";
  return "on";
}

/**
 * Whether the new source beside a pointer is too little for a fence of its own.
 * `newChars` counts UTF-16 units of source, line feeds included; `pointsAt` the spans
 * that the pointer names.
 * @spec dedup-remainder
 */
export function folds(
  newChars: number,
  pointsAt: number,
  limits: Pick<Limits, "MIN_DELTA_CHARS"> = fromSpec,
): boolean {
  return pointsAt > 0 && newChars > 0 && newChars < limits.MIN_DELTA_CHARS;
}
