/** Claude Code and Codex, by the bench's own runners and our installer. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import {
  installing,
  QUERY,
  type Bench,
  type Folders,
  type Seen,
} from "./bench.ts";

/** What one run of a runner showed, in the order of its runs. */
export async function run(
  bench: Bench,
  runner: string,
  target: string,
  project: string,
): Promise<readonly (readonly Seen[])[]> {
  const child = spawn(
    process.execPath,
    [
      join(bench.folder, runner),
      ...["--install", installing(target)],
      ...["--project", project],
      ...["--query", QUERY],
    ],
    {
      env: { ...process.env, PATH: bench.path },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    output += part;
  });
  await new Promise((resolve) => child.on("close", resolve));
  const roots = output.match(/\/\S+\/runs\/[\w-]+/g) ?? [];
  return Promise.all(
    [...new Set(roots)].map((root) =>
      bench.seen({ root, logs: join(root, "logs") } as Folders),
    ),
  );
}
