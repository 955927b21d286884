/**
 * The project's data folder: `.codegraph/` with the index in use, the lock of the
 * one that writes, and a `.gitignore` of its own.
 *
 * Only files that codegraph wrote are read or deleted there, and none through a
 * symbolic link, which somebody else may have put in its place.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  type BigIntStats,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_NOT_A_DATABASE,
  SQLITE_READONLY,
  sqliteCode,
} from "./codes.ts";
import { READ_IN_PLACE } from "../index/read.ts";
import { userFolder, userFolderPath } from "../index/user-folder.ts";
import { wordings } from "../spec.gen.ts";
import { say } from "../model/wording.ts";

export const DATA_FOLDER = ".codegraph";
const POINTER = "current";
const LOCK = "lock.db";
const IGNORE = ".gitignore";
const IGNORE_TEXT = "*\n";
const GENERATION = /^index-[0-9a-f]{16}\.db$/;
/** What a crash leaves of a file that was to be put in place. */
const BESIDE = /^current\.[0-9a-f]{12}$/;
/** What SQLite may leave beside a database. */
const SIDE = /-(?:journal|wal|shm)$/;

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

/** In a root that is there: one that was deleted is not made again. */
function made(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

const notOurs = (path: string): UserError =>
  new UserError(say(wordings.FOLDER_NOT_OURS, { path }));

/**
 * The nearest project at or above `from`: the first folder with an index in it.
 * The user's home counts for itself alone, since every folder of theirs lies below it.
 * @spec folder-nearest-project
 */
export function nearestProject(from: string, home: string): string | undefined {
  const start = resolve(from);
  const homes = [resolve(home), realOf(home)];
  for (let at = start; ; at = dirname(at)) {
    const counts = at === start || !homes.includes(at);
    if (counts && currentIndex(at) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
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

/**
 * The path of a new database, and the step that puts it in use or drops it. What an
 * earlier run left behind when it was killed goes away. The caller holds the lock.
 * @spec folder-swap
 */
export function newGeneration(root: string): {
  path: string;
  done: (keep: boolean) => void;
} {
  const folder = dataFolder(root);
  made(folder);
  if (!look(join(folder, IGNORE))?.isFile())
    writeOwn(folder, IGNORE, IGNORE_TEXT);
  const inUse = (): string | undefined => readOwn(join(folder, POINTER));
  removeLeftovers(folder, inUse());
  const name = `index-${randomBytes(8).toString("hex")}.db`;
  const path = join(folder, name);
  return {
    path,
    done(keep) {
      if (keep) {
        // What the pointer names is on the disk before the pointer is.
        synced(path);
        writeOwn(folder, POINTER, `${name}\n`);
      }
      removeLeftovers(folder, inUse());
    },
  };
}

/**
 * Deletes everything codegraph wrote; what else lies there stays, and is named. The
 * caller holds the lock where there is one. @spec folder-only-ours
 */
export function removeData(root: string): {
  removed: boolean;
  /** In order of their names. */
  kept: string[];
} {
  const folder = dataFolder(root);
  if (!look(folder)) return { removed: false, kept: [] };
  const kept: string[] = [];
  let removed = false;
  for (const name of readdirSync(folder).sort())
    if (isOurs(folder, name)) {
      rmSync(join(folder, name), { force: true });
      removed = true;
    } else kept.push(name);
  if (kept.length === 0) {
    rmdirSync(folder);
    removed = true;
  }
  return { removed, kept };
}

/** Whether a run has left anything here, so that removing it has to wait for its lock. */
export function hasData(root: string): boolean {
  const folder = dataFolder(root);
  return (
    look(folder) !== undefined &&
    readdirSync(folder).some((name) => isOurs(folder, name))
  );
}

function isOurs(folder: string, name: string): boolean {
  const path = join(folder, name);
  if (!look(path)?.isFile()) return false;
  if (name === IGNORE) return readOwn(path) === IGNORE_TEXT.trimEnd();
  const base = name.replace(SIDE, "");
  return (
    name === POINTER ||
    BESIDE.test(name) ||
    base === LOCK ||
    GENERATION.test(base)
  );
}

function removeLeftovers(folder: string, inUse: string | undefined): void {
  for (const name of readdirSync(folder)) {
    const base = name.replace(SIDE, "");
    if (base === inUse) continue;
    if (!GENERATION.test(base) && !BESIDE.test(name)) continue;
    // On Windows a reader may hold it open; the next run takes it away.
    try {
      rmSync(join(folder, name), { force: true });
    } catch {}
  }
}

/** Holds the project's lock until `release`; the system lets go of it when the process ends, however that happens. */
export interface Lock {
  release(): void;
}

/**
 * Takes the one writer's lock.
 * Gives the holder's process id where another process has it; 0 where that is unknown.
 * Throws: UserError where the lock file is none of ours.
 * @spec folder-one-writer
 */
export function lock(root: string): Lock | { readonly heldBy: number } {
  const folder = dataFolder(root);
  made(folder);
  const path = join(folder, LOCK);
  for (;;) {
    const before = lockFile(path);
    const db = new DatabaseSync(path);
    let held = false;
    try {
      if (!take(db)) return { heldBy: holder(db) };
      // Whoever removed the project's data meanwhile took the file's name away.
      held = isSame(before, look(path));
    } catch (error) {
      if (sqliteCode(error) === SQLITE_NOT_A_DATABASE) throw notOurs(path);
      if (
        sqliteCode(error) === SQLITE_READONLY ||
        sqliteCode(error) === SQLITE_CANTOPEN
      )
        throw Object.assign(new Error("no access"), { code: "EACCES", path });
      throw error;
    } finally {
      if (!held) db.close();
    }
    if (held) return { release: () => db.close() };
  }
}

/** The lock's file, made where there is none: SQLite itself would follow a link. */
function lockFile(path: string): BigIntStats | undefined {
  for (const name of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`]) {
    const found = look(name);
    if (found?.isDirectory()) throw notOurs(name);
    if (found && !found.isFile()) rmSync(name, { force: true });
  }
  // An open of the file anywhere else in this process would let go of its locks.
  if (!look(path))
    try {
      closeSync(openSync(path, "wx", 0o644));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  return look(path);
}

const isSame = (
  a: BigIntStats | undefined,
  b: BigIntStats | undefined,
): boolean =>
  a?.ino === b?.ino && a?.birthtimeNs === b?.birthtimeNs && a !== undefined;

/**
 * Begins a transaction that nobody else can begin, after one that tells who holds
 * it: what is not committed is not seen. All of it is one page, so that no kill
 * leaves half of it. False where another process has it.
 */
function take(db: DatabaseSync): boolean {
  try {
    db.exec("pragma journal_mode = memory; pragma synchronous = off");
    do {
      if (db.isTransaction) db.exec("rollback");
      db.exec(
        `begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`,
      );
      // Between the two another process may have had it, and said so.
    } while (pid(db) !== process.pid);
    return true;
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    if (sqliteCode(error) === SQLITE_BUSY) return false;
    throw error;
  }
}

const pid = (db: DatabaseSync): number =>
  db.prepare("pragma user_version").get()!.user_version as number;

function holder(db: DatabaseSync): number {
  try {
    return pid(db);
  } catch {
    return 0;
  }
}

function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false, bigint: true });
  } catch (error) {
    // Below a file there is nothing.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Text of a file of ours, without its final line feed; undefined where it is absent, a link or no file. */
function readOwn(path: string): string | undefined {
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

/**
 * Whole or not at all, and never through a link: a rename replaces the name itself.
 * Throws: UserError where a folder has that name.
 */
function writeOwn(folder: string, name: string, text: string): void {
  if (look(join(folder, name))?.isDirectory())
    throw notOurs(join(folder, name));
  const beside = join(folder, `${POINTER}.${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(beside, text, { flag: "wx", mode: 0o644, flush: true });
    renameSync(beside, join(folder, name));
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

function synced(path: string): void {
  const fd = openSync(path, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
