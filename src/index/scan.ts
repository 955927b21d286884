/**
 * The files of a project: what git would track below its root.
 *
 * Units: paths are relative to the root, with `/` on every system; sizes are bytes.
 * Errs: toward leaving out, by name. Nothing outside of the root is ever opened.
 * Throws: ScanError where the root itself is the trouble; never for what lies below it.
 */
import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
} from "node:fs";
import { homedir } from "node:os";
import { relative, sep } from "node:path";
import type { LeftOut } from "../model/file.ts";
import { say } from "../model/wording.ts";
import { lists, wordings } from "../spec.gen.ts";
import {
  isIgnoredByGit,
  listWithGit,
  repositoryAround,
  repositoryAt,
  type Git,
  type Repository,
} from "./git.ts";
import { readPatterns, word, type Patterns } from "./ignore.ts";
import { READ_IN_PLACE } from "./read.ts";

export interface ScannedFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** The permission bits. */
  readonly mode: number;
}

export interface ScanResult {
  /** The root with links resolved. */
  readonly root: string;
  /** In the order of their paths' UTF-16 units. */
  readonly files: readonly ScannedFile[];
  /** In the same order. What an ignore rule speaks against is not named. */
  readonly leftOut: readonly LeftOut[];
  /** Who made the list. */
  readonly source: "git" | "walk";
  /** Why there is no file; empty where there is one. */
  readonly nothing: string;
}

export interface ScanOptions {
  /** Scans a folder that `refusal` speaks against. */
  readonly force?: boolean;
  /** The git program; false walks without asking it. */
  readonly git?: string | false;
  /** How long git may take before the folder is walked instead. */
  readonly gitPatienceMs?: number;
  /** The user's home folder. */
  readonly home?: string;
}

export type ScanTrouble = "missing" | "no-folder" | "unreadable" | "refused";

export class ScanError extends Error {
  override readonly name = "ScanError";
  readonly trouble: ScanTrouble;
  constructor(trouble: ScanTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/** @spec scan-tracked-files scan-names-the-cause */
export async function scan(
  root: string,
  options: ScanOptions = {},
): Promise<ScanResult> {
  const real = projectRoot(root, options);
  const found = new Findings(real);
  const around = repositoryAround(real);
  const git = gitOf(options);
  const listed = around && git && (await addRepository(found, "", around, git));
  // A folder that the repository ignores is no part of it; whoever names it wants it.
  const isIgnored =
    listed &&
    found.isEmpty &&
    around.top !== real &&
    (await isIgnoredByGit(real, around, git));
  const source = listed && !isIgnored ? "git" : "walk";
  if (source === "walk")
    await walkAll(found, "", isIgnored ? undefined : around, git);
  const { files, leftOut } = found.sorted();
  return {
    root: real,
    files,
    leftOut,
    source,
    nothing: files.length > 0 ? "" : whyNothing(real),
  };
}

/**
 * The files that git would track among `paths` (files, or all below a folder), relative
 * to a root that git lists. Undefined where git cannot say, or not for all of them:
 * then the whole project has to be scanned.
 * @spec sync-named-paths
 */
export async function scanPaths(
  root: string,
  paths: readonly string[],
  options: ScanOptions = {},
): Promise<readonly ScannedFile[] | undefined> {
  const around = repositoryAround(root);
  const git = gitOf(options);
  // A repository inside has rules of its own.
  if (!around || !git || paths.some((path) => isInInner(root, path)))
    return undefined;
  const listing = await listWithGit(root, around, git, paths);
  if (!listing || listing.names.some((name) => name.endsWith("/")))
    return undefined;
  const found = new Findings(root);
  for (const name of listing.names) if (found.add(name)) return undefined;
  const { files, leftOut } = found.sorted();
  return leftOut.length > 0 ? undefined : files;
}

/** Whether a folder on the way to the path, or the path itself, is a repository. */
function isInInner(root: string, path: string): boolean {
  for (let at = path; at !== ""; at = parentOf(at))
    if (repositoryAt(`${root}/${at}`)) return true;
  return false;
}

/** How long git may take on the largest repository before something must be wrong. */
const PATIENCE_MS = 5 * 60 * 1000; // exempt spec-values-are-imported: a last resort against a git that never ends; no outcome stands on it

function gitOf({
  git = "git",
  gitPatienceMs = PATIENCE_MS,
}: ScanOptions): Git | undefined {
  return git === false
    ? undefined
    : { program: git, patienceMs: gitPatienceMs };
}

/**
 * The root with links resolved.
 * Throws: ScanError where it is missing, no folder, not readable, or refused.
 */
export function projectRoot(
  root: string,
  options: Pick<ScanOptions, "force" | "home"> = {},
): string {
  let real: string;
  try {
    real = realpathSync.native(root);
    if (!statSync(real).isDirectory())
      throw new ScanError("no-folder", say(wordings.ROOT_NO_FOLDER, { root }));
    accessSync(real, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof ScanError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new ScanError("missing", say(wordings.ROOT_MISSING, { root }));
    throw new ScanError("unreadable", say(wordings.ROOT_UNREADABLE, { root }));
  }
  const refused = options.force
    ? undefined
    : refusal(real, resolvedHome(options.home ?? homedir()));
  if (refused)
    throw new ScanError("refused", say(REFUSALS[refused], { root: real }));
  return real;
}

export type Refusal = "root" | "home" | "above" | "system";
const REFUSALS = {
  root: wordings.REFUSE_ROOT,
  home: wordings.REFUSE_HOME,
  above: wordings.REFUSE_ABOVE,
  system: wordings.REFUSE_SYSTEM,
} as const;

/** Why a folder is no project, both paths absolute and resolved. @spec scan-refuses-everything */
export function refusal(root: string, home: string): Refusal | undefined {
  const at = comparable(root);
  const mine = comparable(home);
  if (at === "" || /^[a-z]:$/.test(at) || /^\/\/[^/]+(\/[^/]+)?$/.test(at))
    return "root";
  if (at === mine) return "home";
  if (mine.startsWith(`${at}/`)) return "above";
  return lists.SYSTEM_FOLDERS.includes(at) ? "system" : undefined;
}

/** With `/`, without one at the end; in lower case on a system whose paths begin with a drive. */
function comparable(path: string): string {
  const windows = /^[A-Za-z]:|^\\\\/.test(path);
  const slashes = windows ? path.replaceAll("\\", "/").toLowerCase() : path;
  return slashes.replace(/\/+$/, "");
}

function resolvedHome(home: string): string {
  try {
    return realpathSync.native(home);
  } catch {
    return home;
  }
}

function whyNothing(root: string): string {
  const entries = readdirSync(root).filter((name) => !isNeverEntered(name));
  return entries.length === 0 ? wordings.NOTHING_THERE : wordings.NOTHING_LEFT;
}

/** One ignore file, and the path to the folders above that have one too. */
interface Level {
  readonly patterns: Patterns;
  /** Turns a path below the root into one below the ignore file: cut this many units off, put that text before. */
  readonly cut: number;
  readonly before: string;
  readonly above: Level | undefined;
  /** Why what it leaves out is named; empty where it is not. */
  readonly reason: string;
}

interface Inner {
  readonly path: string;
  readonly repository: Repository;
}

const FOLD_CASE = process.platform === "win32" || process.platform === "darwin";

/** The nearest ignore file that speaks about a path, where it leaves it out. */
function whatLeavesOut(
  level: Level | undefined,
  path: string,
  isFolder: boolean,
): Level | undefined {
  for (let at = level; at; at = at.above) {
    const said = word(
      at.patterns,
      at.before + path.slice(at.cut),
      isFolder,
      FOLD_CASE,
    );
    if (said) return said === "out" ? at : undefined;
  }
  return undefined;
}

const isOut = (
  level: Level | undefined,
  path: string,
  isFolder: boolean,
): boolean => whatLeavesOut(level, path, isFolder) !== undefined;

function below(
  above: Level | undefined,
  text: string | undefined,
  cut: number,
  before = "",
): Level | undefined {
  if (text === undefined) return above;
  const patterns = readPatterns(text, FOLD_CASE);
  return patterns.length === 0
    ? above
    : { patterns, cut, before, above, reason: "" };
}

/** Where git would not follow a link to an ignore file, neither do we. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, { encoding: "utf8", flag: READ_IN_PLACE });
  } catch {
    return undefined;
  }
}

/** Whether an entry of this name is passed over, whatever any rule says. @spec scan-own-folders */
export const isNeverEntered = (name: string): boolean =>
  lists.NEVER_ENTERED.includes(FOLD_CASE ? name.toLowerCase() : name);

/** A folder on the way to a file that git lists. */
interface Folder {
  /** Reached without a link, not left out by one of our own ignore files. */
  readonly usable: boolean;
  readonly own: Level | undefined;
}

class Findings {
  readonly root: string;
  private readonly files = new Map<string, ScannedFile>();
  private readonly left = new Map<string, string>();
  private readonly folders = new Map<string, Folder>();

  constructor(root: string) {
    this.root = root.endsWith(sep) ? root.slice(0, -1) : root;
    this.folders.set("", {
      usable: true,
      own: below(undefined, textOf(`${root}/.codegraphignore`), 0),
    });
  }

  get isEmpty(): boolean {
    return this.files.size === 0;
  }

  absolute(path: string): string {
    return path === "" ? this.root || "/" : `${this.root}/${path}`;
  }

  leave(path: string, reason: string): void {
    this.left.set(path, reason);
  }

  /** What a folder below the root is, found out once. @spec scan-stays-inside scan-own-ignore */
  folder(path: string): Folder {
    const known = this.folders.get(path);
    if (known) return known;
    const above = this.folder(parentOf(path));
    const folder = above.usable
      ? this.look(path, above.own)
      : { usable: false, own: undefined };
    this.folders.set(path, folder);
    return folder;
  }

  private look(path: string, own: Level | undefined): Folder {
    const unusable = { usable: false, own: undefined };
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (isNeverEntered(name) || isOut(own, path, true)) return unusable;
    const stat = this.stat(path);
    if (!stat?.isDirectory()) {
      if (stat?.isSymbolicLink()) this.leave(path, wordings.LEFT_SYMLINK);
      return unusable;
    }
    return {
      usable: true,
      own: below(
        own,
        textOf(`${this.root}/${path}/.codegraphignore`),
        path.length + 1,
      ),
    };
  }

  /** Takes in a path that git or the walk came upon. True where it turns out to be a folder. */
  add(path: string): boolean {
    const slash = path.lastIndexOf("/");
    const folder = this.folder(slash === -1 ? "" : path.slice(0, slash));
    if (!folder.usable || isNeverEntered(path.slice(slash + 1))) return false;
    const out = isOut(folder.own, path, false);
    const stat = this.stat(path, !out);
    if (stat?.isDirectory()) return true;
    if (!stat || out) return false;
    if (stat.isSymbolicLink()) this.leave(path, wordings.LEFT_SYMLINK);
    else if (!stat.isFile()) this.leave(path, wordings.LEFT_SPECIAL);
    else if (!this.isReadable(path, stat))
      this.leave(path, wordings.LEFT_UNREADABLE);
    else
      this.files.set(path, {
        path,
        size: stat.size,
        mtimeMs: stat.mtimeMs,
        mode: stat.mode & 0o777,
      });
    return false;
  }

  /** Undefined for what is not there or cannot be looked at; the latter is named. */
  private stat(path: string, name = true): Stats | undefined {
    try {
      const stat = lstatSync(`${this.root}/${path}`, { throwIfNoEntry: false });
      // A name that is not UTF-8 has become another one on its way here.
      if (!stat && name && path.includes("\uFFFD"))
        this.leave(path, wordings.LEFT_NAME);
      return stat;
    } catch {
      if (name) this.leave(path, wordings.LEFT_UNREADABLE);
      return undefined;
    }
  }

  /** Asks the system only where somebody lacks the right: one call less for nearly every file. */
  private isReadable(path: string, { mode }: Stats): boolean {
    if ((mode & 0o444) === 0o444) return true;
    try {
      accessSync(`${this.root}/${path}`, constants.R_OK);
      return true;
    } catch {
      return false;
    }
  }

  sorted(): { files: ScannedFile[]; leftOut: LeftOut[] } {
    return {
      files: Array.from(this.files.values()).sort(byPath),
      leftOut: Array.from(this.left, ([path, reason]) => ({
        path,
        reason,
      })).sort(byPath),
    };
  }
}

const parentOf = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf("/")));
const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

/** Lists the repository around a folder, and those inside it. False where git cannot. */
async function addRepository(
  found: Findings,
  folder: string,
  repository: Repository,
  git: Git,
): Promise<boolean> {
  const listing = await listWithGit(found.absolute(folder), repository, git);
  if (!listing) return false;
  const prefix = folder === "" ? "" : `${folder}/`;
  for (const name of listing.unreadable)
    found.leave(prefix + name, wordings.LEFT_UNREADABLE);
  const inner = new Set<string>();
  for (const name of listing.names) {
    if (name.endsWith("/")) inner.add(prefix + name.slice(0, -1));
    else if (found.add(prefix + name)) inner.add(prefix + name);
  }
  for (const path of inner)
    if (found.folder(path).usable)
      await addInner(found, path, git, listing.names, prefix);
  return true;
}

/** A folder that git lists as one entry: a repository in the repository, or the place of one. */
async function addInner(
  found: Findings,
  path: string,
  git: Git,
  names: readonly string[],
  prefix: string,
): Promise<void> {
  const repository = repositoryAt(found.absolute(path));
  if (repository) {
    if (!(await addRepository(found, path, repository, git)))
      await walkAll(found, path, repository, git);
    return;
  }
  const inside = `${path.slice(prefix.length)}/`;
  // A tracked file whose place a folder has taken: its files have been listed one by one.
  if (names.some((name) => name !== inside && name.startsWith(inside))) return;
  if (entriesOf(found, path)?.length === 0)
    found.leave(path, wordings.LEFT_SUBMODULE);
  else await walkAll(found, path, undefined, git);
}

/** Walks a folder, and lists the repositories inside it by git where that works. */
async function walkAll(
  found: Findings,
  start: string,
  repository: Repository | undefined,
  git: Git | undefined,
): Promise<void> {
  for (const inner of walk(found, start, repository))
    if (
      !git ||
      !(await addRepository(found, inner.path, inner.repository, git))
    )
      await walkAll(found, inner.path, inner.repository, git);
}

function entriesOf(
  found: Findings,
  path: string,
): { name: string; isFolder: boolean }[] | undefined {
  try {
    return readdirSync(found.absolute(path), { withFileTypes: true }).map(
      (entry) => ({
        name: entry.name,
        isFolder: entry.isDirectory(),
      }),
    );
  } catch {
    found.leave(path === "" ? "." : path, wordings.LEFT_UNREADABLE);
    return undefined;
  }
}

/**
 * Lists a folder by the rules that git would apply to it, all but the repositories
 * inside, which it hands back. @spec scan-walks-alike
 */
function walk(
  found: Findings,
  start: string,
  repository: Repository | undefined,
): Inner[] {
  const inner: Inner[] = [];
  const stack: { path: string; rules: Level | undefined }[] = [
    { path: start, rules: rulesAbove(found, start, repository) },
  ];
  for (let at = stack.pop(); at; at = stack.pop()) {
    const entries = entriesOf(found, at.path);
    if (!entries) continue;
    const prefix = at.path === "" ? "" : `${at.path}/`;
    let rules = at.rules;
    if (entries.some(({ name }) => name === ".gitignore"))
      rules = below(
        rules,
        textOf(`${found.absolute(at.path)}/.gitignore`),
        prefix.length,
      );
    for (const { name, isFolder } of entries) {
      if (isNeverEntered(name)) continue;
      const path = prefix + name;
      const by = whatLeavesOut(rules, path, isFolder);
      if (by) {
        if (by.reason) found.leave(path, by.reason);
      } else if (!isFolder) found.add(path);
      else if (found.add(path) && found.folder(path).usable) {
        const repository = repositoryAt(found.absolute(path));
        if (repository) inner.push({ path, repository });
        else stack.push({ path, rules });
      }
    }
  }
  return inner;
}

/** The rules that hold in a folder before its own ignore file is read. */
function rulesAbove(
  found: Findings,
  start: string,
  repository: Repository | undefined,
): Level | undefined {
  const cut = start === "" ? 0 : start.length + 1;
  const byName: Level = {
    patterns: DEPENDENCIES,
    cut,
    before: "",
    above: undefined,
    reason: wordings.LEFT_DEPENDENCIES,
  };
  if (!repository) return byName;
  const way = relative(repository.top, found.absolute(start))
    .split(sep)
    .filter(Boolean);
  /** A path below the start, as seen from the folder of the way that is so many steps down. */
  const before = (steps: number): string =>
    way
      .slice(steps)
      .map((name) => `${name}/`)
      .join("");
  let rules = below(
    undefined,
    textOf(`${repository.commonFolder}/info/exclude`),
    cut,
    before(0),
  );
  let folder = repository.top;
  for (const [i, name] of way.entries()) {
    rules = below(rules, textOf(`${folder}/.gitignore`), cut, before(i));
    // Each rule sees this folder as the start of every path below; cut the rest off again.
    const rest = before(i + 1).length;
    for (let at = rules; at; at = at.above) {
      const said = word(
        at.patterns,
        at.before.slice(0, at.before.length - rest - 1),
        true,
        FOLD_CASE,
      );
      if (said === "out") return byName;
      if (said) break;
    }
    folder = `${folder}/${name}`;
  }
  return rules;
}

const DEPENDENCIES: Patterns = readPatterns(
  lists.DEPENDENCY_FOLDERS.map((name) => `${name}/`).join("\n"),
);

/** Whether a folder's name alone says that its files were installed or built. @spec scan-dependency-folders */
export const isDependencyFolder = (path: string): boolean =>
  word(DEPENDENCIES, path, true) === "out";
