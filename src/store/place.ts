/**
 * Where the data of a project lies, and which index is in use: what can be said
 * without opening a database.
 */
import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type BigIntStats,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { READ_IN_PLACE } from "../index/read.ts";
import { userFolder, userFolderPath } from "../index/user-folder.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";

export const DATA_FOLDER = ".codegraph";
/** Names the database in use. */
export const POINTER = "current";
/** The name of a database. */
export const GENERATION = /^index-[0-9a-f]{16}\.db$/;

/** What a person can mend; the message says how. */
export class UserError extends Error {}

/**
 * The folder of a project root; absent is fine. Where the project cannot be written to
 * it is one of the user's own. Throws: UserError where it is a link or a file.
 * @spec folder-read-only
 */
export function dataFolder(root: string): string {
  const folder = join(root, DATA_FOLDER);
  const found = look(folder);
  if (found && !found.isDirectory()) throw notOurs(folder);
  const isWritable = mayWrite(found ? folder : root);
  return isWritable ? folder : (elsewhere(root) ?? folder);
}

/** The same for a question, which makes no folder. @spec folder-of-the-user */
export const askedFolder = (root: string): string =>
  existsSync(join(userFolderPath(), "projects"))
    ? dataFolder(root)
    : join(root, DATA_FOLDER);

/** Errs: toward yes; the attempt says why not. */
function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "EROFS" && code !== "EACCES" && code !== "EPERM";
  }
}

/** The user's own folder for a root; undefined where the user has none. */
function elsewhere(root: string): string | undefined {
  const folder = userFolder("projects");
  return folder === undefined ? undefined : join(folder, nameElsewhere(root));
}

const nameElsewhere = (root: string): string =>
  createHash("sha256").update(root).digest("hex").slice(0, NAME_DIGITS);

const NAME_DIGITS = 16; // exempt spec-values-are-imported: enough to tell folders apart

export const notOurs = (path: string): UserError =>
  new UserError(say(wordings.FOLDER_NOT_OURS, { path }));

/**
 * The nearest project at or above `from`: the first folder with an index in it.
 * The user's home counts for itself alone, since every folder of theirs lies below it.
 * @spec folder-nearest-project
 */
export function nearestProject(from: string, home: string): string | undefined {
  const start = resolve(from);
  // Most callers stand in their project: nothing has to be known of the home.
  if (currentIndex(start) !== undefined) return start;
  const homes = [resolve(home), realOf(home)];
  for (let at = start; dirname(at) !== at;) {
    at = dirname(at);
    if (!homes.includes(at) && currentIndex(at) !== undefined) return at;
  }
  return undefined;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** The database file in use; undefined where nothing is indexed. @spec folder-swap folder-only-ours */
export function currentIndex(root: string): string | undefined {
  const folder = join(root, DATA_FOLDER);
  const own = look(folder)?.isDirectory() === true;
  // An index in the project that cannot be brought up to date is the second choice.
  const other = mayWrite(own ? folder : root)
    ? undefined
    : indexIn(join(userFolderPath(), "projects", nameElsewhere(root)));
  return other ?? (own ? indexIn(folder) : undefined);
}

function indexIn(folder: string): string | undefined {
  const name = readOwn(join(folder, POINTER));
  if (name === undefined || !GENERATION.test(name)) return undefined;
  const path = join(folder, name);
  return look(path)?.isFile() ? path : undefined;
}

/** Undefined where there is nothing. */
export function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false, bigint: true });
  } catch (error) {
    // Below a file there is nothing.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Text of a file of ours, without its final line feed; undefined where it is absent, a link or no file. */
export function readOwn(path: string): string | undefined {
  try {
    const fd = openSync(path, READ_IN_PLACE);
    try {
      if (!fstatSync(fd).isFile()) return undefined;
      return readFileSync(fd, "utf8").trimEnd();
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}
