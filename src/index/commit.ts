/** The commit that is checked out. */
import { execFile } from "node:child_process";
import { repositoryAround } from "./git.ts";

/**
 * Its full hash; empty outside of a repository, before the first commit and without
 * git. The repository around the folder counts, not one that the environment names,
 * as it does in a hook of git's.
 */
export async function headCommit(folder: string): Promise<string> {
  // There is nobody to ask: a process for nothing takes as long as a small scan.
  if (!repositoryAround(folder)) return "";
  const env: NodeJS.ProcessEnv = { GIT_OPTIONAL_LOCKS: "0" };
  for (const [name, value] of Object.entries(process.env))
    if (!/^GIT_(?!CONFIG|CEILING)/.test(name)) env[name] = value;
  return new Promise((resolve) => {
    execFile(
      "git",
      ["-C", folder, "rev-parse", "--verify", "-q", "HEAD"],
      { env, windowsHide: true },
      (error, stdout) => resolve(error ? "" : stdout.trim()),
    );
  });
}
