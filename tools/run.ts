/** Runs the project's own tools, with the Node that runs this, whatever the PATH is. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface Outcome {
  /** The exit code; 1 where a signal ended the process. */
  readonly code: number;
  /** Both streams, as they came; empty where `live` passed them through. */
  readonly output: string;
  readonly seconds: number;
}
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Pass the output through instead of collecting it. */
  readonly live?: boolean;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
}

/** Runs a script of JavaScript or TypeScript. */
export function run(
  script: string,
  args: readonly string[],
  { cwd = process.cwd(), env, live = false, node = [] }: RunOptions = {},
): Promise<Outcome> {
  const start = performance.now();
  const child = spawn(process.execPath, [...node, script, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: live ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) =>
      done({
        code: code ?? 1,
        output: Buffer.concat(chunks).toString("utf8"),
        seconds: (performance.now() - start) / 1000,
      }),
    );
  });
}

/** The script behind a command of an installed package: `bin("typescript", "tsc")`. */
export function bin(name: string, command: string = name): string {
  const home = resolve("node_modules", name);
  const file = readFileSync(join(home, "package.json"), "utf8");
  const bins = (JSON.parse(file) as { bin: string | Record<string, string> })
    .bin;
  const path = typeof bins === "string" ? bins : bins[command];
  if (path === undefined) throw new Error(`${name} has no command ${command}`);
  return join(dirname(join(home, "package.json")), path);
}

/** TypeScript's compiler. It lives too short to need its memory back. */
export const tsc = (...args: readonly string[]): Promise<Outcome> =>
  // More threads would check what the files share more than once.
  run(bin("typescript", "tsc"), ["--singleThreaded", ...args], {
    env: { GOGC: "off" },
  });
