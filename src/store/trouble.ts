/** What is told of trouble with the machine. */
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { SQLITE_FULL, SQLITE_IOERR, sqliteCode } from "./codes.ts";
import type { UnreadableIndex } from "./sqlite.ts";

/** What is told of a project whose index cannot be read. */
export const unreadableTold = (
  root: string,
  { message, newer }: UnreadableIndex,
): string =>
  newer
    ? say(wordings.CLI_NEWER, { path: root })
    : say(wordings.CLI_UNREADABLE, { path: root, reason: message });

/**
 * One line; undefined where the error is none of the machine's. `full` is what is told
 * of a full disk. @spec cli-names-the-machine
 */
export function machineTrouble(
  error: unknown,
  full: string = wordings.CLI_DISK_FULL,
): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const kind = sqliteCode(error);
  if (
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    code === "EFBIG" ||
    kind === SQLITE_FULL ||
    // A file system that is full in its own way.
    kind === SQLITE_IOERR
  )
    return full;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return say(wordings.CLI_NO_ACCESS, { path: path ?? "a file" });
  return undefined;
}
