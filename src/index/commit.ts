/** The commit that is checked out. */
import { execFile } from "node:child_process";

/** Its full hash; empty outside of a repository, before the first commit and without git. */
export function headCommit(folder: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      "git",
      ["-C", folder, "rev-parse", "--verify", "-q", "HEAD"],
      { env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" } },
      (error, stdout) => resolve(error ? "" : stdout.trim()),
    );
  });
}
