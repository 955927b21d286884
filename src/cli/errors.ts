/** What a person is told when a command could not do what it was asked. */
import { dirname } from "node:path";
import { ScanError } from "../index/scan.ts";
import { UserError } from "../store/place.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import { machineTrouble, unreadableTold } from "../store/trouble.ts";
import { UsageError } from "./main.ts";
import { plain } from "./plain.ts";

/**
 * One line that says what is wrong and what to do. A fault of ours comes with its stack.
 * @spec cli-says-what-to-do
 */
export function explain(error: unknown): string {
  if (
    error instanceof UsageError ||
    error instanceof UserError ||
    error instanceof ScanError
  )
    return plain(error.message);
  if (error instanceof UnreadableIndex)
    return plain(unreadableTold(dirname(dirname(error.file)), error));
  const trouble = machineTrouble(error);
  if (trouble !== undefined) return plain(trouble);
  const { stack, message } = error as Error;
  return stack ?? message;
}
