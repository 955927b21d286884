/** What a person is told when a command could not do what it was asked. */
import { ScanError } from "../index/scan.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { UserError } from "../store/folder.ts";
import { UsageError } from "./main.ts";

/** One line that says what is wrong and what to do. A fault of ours comes with its stack. @spec cli-says-what-to-do */
export function explain(error: unknown): string {
  if (
    error instanceof UsageError ||
    error instanceof UserError ||
    error instanceof ScanError
  )
    return error.message;
  const { code, path, message, stack } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || /database or disk is full/.test(message))
    return wordings.CLI_DISK_FULL;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return say(wordings.CLI_NO_ACCESS, { path: path ?? "a file" });
  return stack ?? message;
}
