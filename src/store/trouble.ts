/** What is told of trouble with the machine. */
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { SQLITE_FULL, SQLITE_IOERR, sqliteCode } from "./codes.ts";

/** One line; undefined where the error is none of the machine's. @spec cli-names-the-machine */
export function machineTrouble(error: unknown): string | undefined {
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
    return wordings.CLI_DISK_FULL;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return say(wordings.CLI_NO_ACCESS, { path: path ?? "a file" });
  return undefined;
}
