/**
 * The bench that drives real agent hosts against a scripted model: a folder outside of
 * this repository, named by `HOSTS_BENCH`. Its runners start a client with a home of its
 * own; what is used of it is typed here.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** A tool's result, as the model first saw it. */
export interface Seen {
  /** The agent that called. */
  readonly context: string;
  readonly text: string;
  readonly error: boolean;
}

/** A run's folders. */
export interface Folders {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly logs: string;
  readonly tmp: string;
}

/** A call, some at once, or what the model says. */
export type Step =
  | { readonly tool: string; readonly input: object; readonly usage?: number }
  | { readonly text: string };

interface Mock {
  readonly port: number;
  readonly stop: () => void;
}

export interface Bench {
  readonly folder: string;
  readonly scratch: (name: string) => Folders;
  readonly startMock: (script: string, folders: Folders) => Promise<Mock>;
  readonly seen: (folders: Folders) => Promise<readonly Seen[]>;
  /** A prompt that makes the model do these steps. */
  readonly script64: (text: string, steps: readonly Step[]) => string;
  readonly opencode: string;
  readonly gemini: string;
  /** Of the clients, for the installer to find. */
  readonly path: string;
}

/** Throws: Error that says what to set. */
export async function openBench(): Promise<Bench> {
  const named = process.env.HOSTS_BENCH;
  if (!named)
    throw new Error(
      "HOSTS_BENCH names no folder: it is to hold the bench that runs real hosts (CONTRIBUTING.md says what that is)",
    );
  const folder = resolve(named);
  const load = async (name: string) =>
    (await import(pathToFileURL(join(folder, "lib", name)).href)) as object;
  const clients: Record<string, string> = Object.assign(
    {},
    await load("claude.mjs"),
    await load("codex.mjs"),
    await load("opencode.mjs"),
    await load("gemini.mjs"),
  );
  const bin = mkdtempSync(join(tmpdir(), "hosts-bin-"));
  for (const name of ["CLAUDE", "CODEX", "OPENCODE"] as const)
    symlinkSync(clients[name]!, join(bin, name.toLowerCase()));
  return {
    ...((await load("bench.mjs")) as Pick<
      Bench,
      "scratch" | "startMock" | "seen" | "script64"
    >),
    folder,
    opencode: clients.OPENCODE!,
    gemini: clients.GEMINI!,
    path: [bin, process.env.PATH].join(delimiter),
  };
}

/** This program. */
export const PROGRAM: readonly string[] = [
  process.execPath,
  resolve("dist/codegraph.js"),
];

/** The command line that wires a host, for its runner and for a shell. */
export const installing = (target: string): string =>
  [
    [...PROGRAM, "install", "--target", target, "--yes"],
    [...PROGRAM, "init", "--quiet"],
    // What a person would answer when Claude Code asks; it is never installed.
    ...(target === "claude" ? ALLOW : []),
  ]
    .map((words) => words.map((word) => `'${word}'`).join(" "))
    .join(" && ");

const ALLOW = [
  ["mkdir", "-p", ".claude"],
  [
    process.execPath,
    "-e",
    'fs.writeFileSync(".claude/settings.local.json", `{"permissions":{"allow":["mcp__codegraph"]}}`)',
  ],
];

/** Wires a host in a run's own home, and indexes its project. */
export function install(
  target: string,
  { home, project }: Folders,
  path: string,
) {
  execFileSync("sh", ["-c", installing(target)], {
    cwd: project,
    env: { HOME: home, PATH: path },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** All that a host is given of an environment, beside what is its own. */
export const environment = ({ home, tmp }: Folders) => ({
  HOME: home,
  TMPDIR: tmp,
  PATH: "/usr/bin:/bin",
  LANG: "C.UTF-8",
});

/** The question that is asked each time. */
export const QUERY = "settle account";

/** Writes a project with more source about the question than one answer holds. */
export function project(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < 12; i++) {
    const name = `settle_account_${i}`;
    const steps = Array.from(
      { length: 60 },
      (_, step) => `    x = x + ${step}  # step ${step} of ${name}`,
    );
    writeFileSync(
      join(folder, `core${i}.py`),
      [`def ${name}(x):`, ...steps, "    return x", ""].join("\n"),
    );
  }
  return folder;
}
