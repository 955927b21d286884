/** The command line in this process: what it says and how it ends, without the start of another. */
import { dirname } from "node:path";
import { vi } from "vitest";
import { outcome } from "../src/cli/main.ts";
import type { Options, Ran } from "./binary.ts";

/**
 * As `codegraph` of binary.ts, whose folder and environment the command sees. For what
 * a command does; how a process starts, writes and ends is for that one, and threads
 * start slowly from here.
 */
export async function here(
  args: readonly string[],
  { cwd, home = dirname(cwd), env = {} }: Pick<Options, "cwd" | "home" | "env">,
): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const stand = [
    vi.spyOn(process, "cwd").mockReturnValue(cwd),
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      stdout += String(text);
      return true;
    }),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      stderr += String(text);
      return true;
    }),
  ];
  const all = { HOME: home, CODEGRAPH_DAEMON: "0", ...env };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  try {
    const status = await outcome(args);
    return { status, stdout, stderr };
  } finally {
    for (const one of stand) one.mockRestore();
    vi.unstubAllEnvs();
  }
}
