/**
 * The project's data folder: `.codegraph/` with the index in use, the lock of the
 * one that writes, and a `.gitignore` of its own.
 *
 * Only files that codegraph wrote are read or deleted there, and none through a
 * symbolic link, which somebody else may have put in its place.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  type BigIntStats,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { uniqueDigits } from "../index/unique.ts";
import {
  askedFolder,
  dataFolder,
  GENERATION,
  look,
  notOurs,
  POINTER,
  readOwn,
} from "./place.ts";
import {
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_NOT_A_DATABASE,
  SQLITE_READONLY,
  sqliteCode,
} from "./codes.ts";

const LOCK = "lock.db";
const IGNORE = ".gitignore";
const IGNORE_TEXT = "*\n";
/** What a crash leaves of a file that was to be put in place. */
const BESIDE = /^current\.[0-9a-f]{12,16}$/;
/** What SQLite may leave beside a database. */
const SIDE = /-(?:journal|wal|shm)$/;

/** In a root that is there: one that was deleted is not made again. */
function made(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
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
  const name = `index-${uniqueDigits()}${uniqueDigits()}.db`;
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
  const folder = askedFolder(root);
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

/**
 * Whole or not at all, and never through a link: a rename replaces the name itself.
 * Throws: UserError where a folder has that name.
 */
function writeOwn(folder: string, name: string, text: string): void {
  if (look(join(folder, name))?.isDirectory())
    throw notOurs(join(folder, name));
  const beside = join(folder, `${POINTER}.${uniqueDigits()}${uniqueDigits()}`);
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
