/** Keeps an answer from being pointers only. */
import { joined } from "../model/span.ts";
import type { FileDecision } from "./file.ts";

/** Whether new source of the file stands in the answer. */
const shows = ({ send }: FileDecision): boolean => send.length > 0;

/**
 * Which file is sent again, as its place in `decisions`, which are in rank order.
 * Undefined where some source is new, and where nothing was pointed at.
 * @spec dedup-guard
 */
export function putBack(
  decisions: readonly FileDecision[],
): number | undefined {
  if (decisions.some(shows)) return undefined;
  const first = decisions.findIndex(({ pointAt }) => pointAt.length > 0);
  return first < 0 ? undefined : first;
}

/** The decision of a file that is sent again: all that was wanted of it. @spec dedup-guard */
export const sentAgain = ({
  send,
  pointAt,
  folded,
}: FileDecision): FileDecision => ({
  send: joined([...send, ...pointAt, ...folded]),
  pointAt: [],
  folded: [],
});
