/** The built binary as a real process, with a home of its own. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface Options {
  readonly cwd: string;
  /** By default the folder around the current one. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
  /** A program and its arguments that run the command line they are given. */
  readonly through?: readonly string[];
  /** What it reads; nothing by default. */
  readonly input?: string;
  /** Another copy of `dist`. */
  readonly dist?: string;
}

const DIST = resolve("dist");

/**
 * A copy of the built program in a folder, beside what tells Node its kind, and with
 * those grammars alone. Gives its `dist`.
 */
export function copied(folder: string, grammars = /^$/): string {
  const copy = join(folder, "dist");
  cpSync(DIST, copy, {
    recursive: true,
    filter: (path) =>
      !path.endsWith(".d.ts") &&
      (!path.endsWith(".wasm") || grammars.test(basename(path))),
  });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return copy;
}

/** A script of the build: a thread starts five times as fast from it as from its source. */
export const script = (name: string): URL =>
  pathToFileURL(join(DIST, `${name}.js`));

function prepared(args: readonly string[], options: Options) {
  const {
    cwd,
    home = dirname(cwd),
    env = {},
    node = [],
    through = [],
    dist = DIST,
  } = options;
  const [command, ...rest] = [
    ...through,
    process.execPath,
    ...node,
    join(dist, "codegraph.js"),
    ...args,
  ];
  const inherited = { ...process.env };
  for (const name of ["CI", "TERM", "NO_COLOR", "FORCE_COLOR", "NODE_OPTIONS"])
    delete inherited[name];
  return {
    command: command!,
    args: rest,
    options: {
      cwd,
      // Daemons are for the tests that are about them.
      env: { ...inherited, HOME: home, CODEGRAPH_DAEMON: "0", ...env },
    },
  };
}

/** Runs `codegraph` to its end, without a terminal. */
export function codegraph(args: readonly string[], options: Options): Ran {
  const p = prepared(args, options);
  const { status, stdout, stderr, error } = spawnSync(p.command, p.args, {
    ...p.options,
    encoding: "utf8",
    input: options.input ?? "",
    maxBuffer: 1 << 26,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Runs on a terminal of its own, on which `typed` is typed; both outputs come as one. */
export function onTerminal(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  {
    home,
    typed = "",
  }: { readonly home?: string; readonly typed?: string } = {},
): string {
  const quoted = (words: readonly string[]) =>
    words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const command = quoted([
    process.execPath,
    join(DIST, "codegraph.js"),
    ...args,
  ]);
  const script =
    process.platform === "darwin"
      ? 'script -q /dev/null sh -c "$0"'
      : 'script -qec "$0" /dev/null';
  const through = ["sh", "-c", script, command];
  return codegraph([], {
    cwd,
    env,
    through,
    input: typed,
    ...(home && { home }),
  }).stdout;
}

/** Starts `codegraph` and lets it run. */
export function start(args: readonly string[], options: Options): ChildProcess {
  const p = prepared(args, options);
  return spawn(p.command, p.args, {
    ...p.options,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What a started process printed, when it has ended. */
export async function ended(child: ChildProcess): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  child.stdout!.on("data", (chunk) => (stdout += String(chunk)));
  child.stderr!.on("data", (chunk) => (stderr += String(chunk)));
  const status = await new Promise<number | null>((done) =>
    child.on("close", done),
  );
  return { status, stdout, stderr };
}
