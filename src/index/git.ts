/**
 * What git says about a folder, and where its data lies.
 *
 * Nothing here changes a repository or runs what one configures: no optional
 * locks, no file monitor, no lazy fetch; the repository that surrounds the folder
 * counts, not one that the environment names.
 * Errs: `undefined` for any failure (no git, no repository, one that belongs to
 *   somebody else), upon which the caller walks the folder itself.
 */
import { spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import { readFileSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface GitListing {
  /** As git prints them: relative, with `/`; a repository inside has a `/` at its end. May repeat. */
  readonly names: readonly string[];
  /** Folders that git could not open, relative. */
  readonly unreadable: readonly string[];
}

/** Which git, and how long it may take; it waits for ever where an ignore file is a pipe. */
export interface Git {
  readonly program: string;
  readonly patienceMs: number;
}

/** Tracked and untracked files below a folder, without ignored ones. */
export async function listWithGit(
  folder: string,
  { top }: Repository,
  git: Git,
  /** Relative to `folder`; empty for all. */
  paths: readonly string[] = [],
): Promise<GitListing | undefined> {
  const result = await run(git, top, folder, [
    "--literal-pathspecs",
    "ls-files",
    "-z",
    "-c",
    "-o",
    "--exclude-standard",
    "--",
    ...paths,
  ]);
  if (result?.status !== 0) return undefined;
  const names = result.stdout.toString("utf8").split("\0");
  names.pop();
  const unreadable = Array.from(
    result.stderr.matchAll(/^warning: could not open directory '(.*)\/': /gm),
    (match) => match[1]!,
  );
  return { names, unreadable };
}

/** Whether the repository around a folder ignores the folder itself. */
export async function isIgnoredByGit(
  folder: string,
  { top }: Repository,
  git: Git,
): Promise<boolean> {
  return (
    (await run(git, top, folder, ["check-ignore", "-q", "."]))?.status === 0
  );
}

/**
 * Those of some paths that the repository ignores, relative to a folder as they were
 * given; none where git cannot say.
 */
export async function ignoredByGit(
  folder: string,
  { top }: Repository,
  paths: readonly string[],
  git: Git = { program: "git", patienceMs: ASK_PATIENCE_MS },
): Promise<ReadonlySet<string>> {
  const result = await run(
    git,
    top,
    folder,
    ["check-ignore", "-z", "--stdin"],
    paths.map((path) => `${path}\0`).join(""),
  );
  return new Set(result?.stdout.toString("utf8").split("\0").filter(Boolean));
}

/** A question about a few paths; git reads nothing but ignore files for it. */
const ASK_PATIENCE_MS = 10_000; // exempt spec-values-are-imported: a last resort against a git that never ends; no outcome stands on it

/** Variables that point git at another repository than the one around the folder. */
const POINTERS = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_PREFIX",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
  "GIT_NAMESPACE",
  "GIT_LITERAL_PATHSPECS",
  "GIT_GLOB_PATHSPECS",
] as const;

interface Finished {
  readonly status: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

function run(
  git: Git,
  top: string,
  folder: string,
  args: readonly string[],
  input = "",
): Promise<Finished | undefined> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of POINTERS) delete env[name];
  // Outranks a work tree that the repository's settings name.
  env["GIT_WORK_TREE"] = top;
  env["GIT_OPTIONAL_LOCKS"] = "0";
  env["GIT_NO_LAZY_FETCH"] = "1";
  env["GIT_TERMINAL_PROMPT"] = "0";
  env["LC_ALL"] = "C";
  // Windows would otherwise take a git.exe that lies in the project.
  env["NoDefaultCurrentDirectoryInExePath"] = "1";
  return new Promise((done) => {
    const child = spawn(
      git.program,
      ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", ...args],
      {
        cwd: folder,
        env,
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
        timeout: git.patienceMs,
      },
    );
    // One that has ended without reading says so by its status.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", () => done(undefined));
    child.on("close", (status) =>
      done({
        status,
        stdout: Buffer.concat(out),
        stderr: Buffer.concat(err).toString("utf8"),
      }),
    );
  });
}

export interface Repository {
  /** The top of the work tree. */
  readonly top: string;
  /** Holds the index of this work tree. */
  readonly gitFolder: string;
  /** Holds `info/exclude`; shared by all worktrees of a repository. */
  readonly commonFolder: string;
}

/** The repository whose work tree has its top at this folder. */
export function repositoryAt(top: string): Repository | undefined {
  const dotGit = join(top, ".git");
  const stat = look(dotGit);
  if (!stat) return undefined;
  let gitFolder = dotGit;
  if (stat.isFile()) {
    const pointer = /^gitdir: (.*)/.exec(read(dotGit))?.[1];
    if (pointer === undefined) return undefined;
    gitFolder = resolve(top, pointer.trimEnd());
  }
  const common = read(join(gitFolder, "commondir")).trimEnd();
  const commonFolder = common === "" ? gitFolder : resolve(gitFolder, common);
  // Git, too, takes a `.git` without these for an ordinary folder.
  const isWhole =
    look(join(gitFolder, "HEAD")) && look(join(commonFolder, "objects"));
  return isWhole && { top, gitFolder, commonFolder };
}

/** The innermost repository around a folder, itself included. */
export function repositoryAround(folder: string): Repository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found || dirname(at) === at) return found;
  }
}

/**
 * The lock of a git that is changing the work tree around a folder right now: what is
 * there may be half of one state and half of another. Tells it from a later lock;
 * undefined where there is none.
 */
export function gitLock(folder: string): string | undefined {
  const around = repositoryAround(folder);
  const found = around && look(join(around.gitFolder, "index.lock"));
  return found && `${found.ino} ${found.mtimeMs} ${found.ctimeMs}`;
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
