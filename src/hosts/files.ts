/**
 * The files of hosts, read and written: as a whole or not at all, through links, with
 * mode and owner kept.
 *
 * Errs: toward leaving a file alone.
 */
import {
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import type { Edited, Problem } from "./host.ts";

/** A file's text; none where it is missing. */
export type Read =
  { readonly text: string | undefined } | { readonly problem: Problem };

export const problem = (what: string): { readonly problem: Problem } => ({
  problem: { line: undefined, what },
});

/** @spec hosts-left-alone hosts-read-bounded */
export function readText(
  path: string,
  limits: Pick<Limits, "MAX_HOST_FILE_MB"> = fromSpec,
): Read {
  try {
    const bytes = readFile(path, limits.MAX_HOST_FILE_MB * MEGABYTE);
    return bytes instanceof Uint8Array
      ? {
          text: new TextDecoder("utf8", {
            fatal: true,
            ignoreBOM: true,
          }).decode(bytes),
        }
      : bytes;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { text: undefined };
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      return problem(wordings.HOST_NOT_UTF8);
    return problem(told(error));
  }
}

function readFile(path: string, most: number): Buffer | Read {
  // What is no file, a pipe say, must not keep who opens it.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const about = fstatSync(file);
    if (!about.isFile()) return problem(wordings.HOST_NO_FILE);
    if (about.size > most) return problem(wordings.HOST_TOO_LARGE);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** How many folders above a file are missing, where a link leads to it above that. */
export function missingFolders(path: string): number {
  try {
    return missingAbove(followed(path));
  } catch {
    return 0;
  }
}

function missingAbove(path: string): number {
  const folder = dirname(path);
  return folder === path || there(folder) ? 0 : 1 + missingAbove(folder);
}

/** Whether something is there, be it a link that leads nowhere. */
export const there = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

/**
 * Makes an edit true, if the file still has the text that it was made for; else it is
 * for the caller to edit again. No text removes the file and so many folders above it
 * as were made for it, if they are empty.
 * @spec hosts-written-whole
 */
export function apply(
  path: string,
  before: string | undefined,
  edit: Extract<Edited, { text: unknown }>,
): "done" | "stale" | { readonly problem: Problem } {
  try {
    const target = followed(path);
    const stat = statSync(target, { throwIfNoEntry: false });
    // A rename would replace what its owner has locked.
    if (stat && (stat.mode & WRITABLE) === 0)
      return problem(wordings.HOST_READ_ONLY);
    const stale = () => {
      const now = readText(target);
      return !("text" in now) || now.text !== before;
    };
    if (edit.text === undefined) {
      if (stale()) return "stale";
      rmSync(target, { force: true });
      removeEmpty(dirname(target), edit.folders ?? 0);
      return "done";
    }
    mkdirSync(dirname(target), { recursive: true });
    return replace(target, edit.text, stat, stale) ? "done" : "stale";
  } catch (error) {
    return problem(told(error));
  }
}

/** Gives false, and leaves the file, where it is not the one that was read. */
function replace(
  target: string,
  text: string,
  stat: Stats | undefined,
  isStale: () => boolean,
): boolean {
  const folder = dirname(target);
  const begin = `.${basename(target)}${TEMPORARY}`;
  // What a run that was killed has left.
  for (const name of readdirSync(folder))
    if (name.startsWith(begin) && !runsElse(Number(name.slice(begin.length))))
      rmSync(join(folder, name), { force: true });
  const beside = join(folder, `${begin}${process.pid}`);
  try {
    const file = openSync(beside, "wx", stat ? 0o600 : 0o666);
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length;)
        done += writeSync(file, bytes, done);
      if (stat) {
        fchmodSync(file, stat.mode & MODE);
        keepOwner(beside, stat);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (isStale()) return false;
    renameSync(beside, target);
    return true;
  } finally {
    rmSync(beside, { force: true });
  }
}

function keepOwner(path: string, { uid, gid }: Stats): void {
  const own = statSync(path);
  if (own.uid === uid && own.gid === gid) return;
  chownSync(path, uid, gid);
}

/** Where a link leads in the end, be there a file or not. */
function followed(path: string): string {
  let at = path;
  for (let links = 0; ; links++) {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true)
      return at;
    // The system says what is wrong with a link that leads to itself.
    if (links > 9) statSync(at);
    at = resolve(dirname(at), readlinkSync(at));
  }
}

function removeEmpty(folder: string, folders: number): void {
  for (let at = folder, left = folders; left > 0; at = dirname(at), left--)
    try {
      rmdirSync(at);
    } catch {
      return;
    }
}

/** Whether another process of that number runs. */
function runsElse(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const told = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" || code === "EROFS"
    ? wordings.HOST_NO_ACCESS
    : code === "ENOSPC"
      ? wordings.HOST_DISK_FULL
      : message;
};

const TEMPORARY = ".codegraph-";
const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit
const WRITABLE = 0o222;
const MODE = 0o7777;
