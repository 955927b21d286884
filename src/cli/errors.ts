/** What a person is told when a command could not do what it was asked. */
import { dirname } from "node:path";
import { ScanError } from "../index/scan.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { UserError } from "../store/folder.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import { UsageError } from "./main.ts";
import { plain } from "./plain.ts";

/**
 * One line that says what is wrong and what to do. A fault of ours comes with its stack.
 * @spec cli-says-what-to-do cli-names-the-machine
 */
export function explain(error: unknown): string {
  if (
    error instanceof UsageError ||
    error instanceof UserError ||
    error instanceof ScanError
  )
    return plain(error.message);
  if (error instanceof UnreadableIndex)
    return plain(
      say(wordings.CLI_UNREADABLE, {
        path: dirname(dirname(error.file)),
        reason: error.message,
      }),
    );
  const { code, path, message, stack } = error as NodeJS.ErrnoException;
  // The low byte is the kind of error, the rest says where it happened.
  const kind = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  if (
    code === "ENOSPC" ||
    code === "EDQUOT" ||
    code === "EFBIG" ||
    kind === SQLITE_FULL ||
    kind === SQLITE_IOERR
  )
    return wordings.CLI_DISK_FULL;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return plain(say(wordings.CLI_NO_ACCESS, { path: path ?? "a file" }));
  return stack ?? message;
}

const SQLITE_FULL = 13; // exempt spec-values-are-imported: a code of SQLite's
const SQLITE_IOERR = 10; // exempt spec-values-are-imported: a code of SQLite's; a file system that is full in its own way
