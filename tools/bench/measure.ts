/**
 * Measures a command as a whole process: wall time from its start to its end, CPU
 * time of it and of all that it started, peak memory of its largest Node process.
 *
 * Units: seconds and bytes. CPU time is the system's own account of ended children
 * where there is `/proc` (in steps of 10 ms); elsewhere what the Node processes say
 * of themselves at their end, without the end itself and without other programs.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Usage {
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
}

/** A program and its arguments, or a line for the shell. */
export type Command = readonly [program: string, ...args: string[]] | string;

const PRELOAD = fileURLToPath(new URL("./preload.cjs", import.meta.url));

/** Wall time alone: nothing is loaded into the command. Throws: Error with what a failed command printed. */
export async function seconds(command: Command): Promise<number> {
  return run(command, {});
}

/** Throws: Error with what a failed command printed. */
export async function usage(command: Command): Promise<Usage> {
  const scratch = mkdtempSync(join(tmpdir(), "bench-"));
  const file = join(scratch, "usage");
  try {
    const before = childrenCpu();
    const wall = await run(command, {
      NODE_OPTIONS: `--require ${JSON.stringify(PRELOAD)}`,
      CODEGRAPH_BENCH_USAGE: file,
    });
    const after = childrenCpu();
    const told = existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => line.split(" ").map(Number))
      : [];
    return {
      wall,
      cpu:
        before === undefined || after === undefined
          ? told.reduce((sum, [, cpu]) => sum + cpu! / 1e6, 0)
          : after - before,
      memory: Math.max(0, ...told.map(([memory]) => memory! * 1024)),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** CPU seconds of all children of this process that have ended, theirs included. */
function childrenCpu(): number | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The second field, the name, may hold blanks; cutime and cstime are fields 16 and 17.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return undefined;
  }
}

function run(
  command: Command,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const [program, ...args] =
    typeof command === "string" ? [command] : [...command];
  const start = performance.now();
  const child = spawn(program!, args, {
    shell: typeof command === "string",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const tail: Buffer[] = [];
  child.stdout.resume();
  child.stderr.on("data", (chunk: Buffer) => tail.push(chunk));
  return new Promise((done, failed) => {
    child.on("error", failed);
    let wall = 0;
    child.on("exit", () => (wall = (performance.now() - start) / 1000));
    child.on("close", (code) =>
      code === 0
        ? done(wall)
        : failed(
            new Error(
              `${[program, ...args].join(" ")} ended with ${code}:\n${Buffer.concat(tail).toString("utf8").slice(-2_000)}`,
            ),
          ),
    );
  });
}

export const median = (values: readonly number[]): number =>
  quantile(values, 0.5);

/** The value below which that share of the values lies; the nearest of them. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * share)] ?? NaN;
}
