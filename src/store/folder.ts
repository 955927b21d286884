/**
 * The project's data folder: `.codegraph/` with the index in use, the lock of the
 * one that writes, and a `.gitignore` of its own.
 *
 * Only files that codegraph wrote are read or deleted there, and none through a
 * symbolic link, which somebody else may have put in its place.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { wordings } from "../spec.gen.ts";
import { say } from "../model/wording.ts";

export const DATA_FOLDER = ".codegraph";
const POINTER = "current";
const LOCK = "lock.db";
const GENERATION = /^index-[0-9a-f]{16}\.db$/;
/** What SQLite may leave beside a database. */
const SIDE_FILES = ["", "-journal", "-wal", "-shm"];

/** What a person can mend; the message says how. */
export class UserError extends Error {}

/** The folder of a project root; absent is fine. Throws: UserError where it is a link or a file. */
export function dataFolder(root: string): string {
  const folder = join(root, DATA_FOLDER);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory())
    throw new UserError(say(wordings.FOLDER_NOT_OURS, { path: folder }));
  return folder;
}

/**
 * The nearest project at or above `from`: the first folder with an index in it.
 * The user's home never counts, since every folder of theirs lies below it.
 * @spec folder-nearest-project
 */
export function nearestProject(from: string, home: string): string | undefined {
  for (let at = resolve(from); ; at = dirname(at)) {
    if (at !== resolve(home) && currentIndex(at) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The database file in use; undefined where nothing is indexed. */
export function currentIndex(root: string): string | undefined {
  const folder = join(root, DATA_FOLDER);
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return undefined;
  const name = readOwn(join(folder, POINTER));
  if (name === undefined || !GENERATION.test(name)) return undefined;
  const path = join(folder, name);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile()
    ? path
    : undefined;
}

/** The path of a new database, and the step that puts it in use or drops it. */
export function newGeneration(root: string): {
  path: string;
  done: (keep: boolean) => void;
} {
  const folder = dataFolder(root);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeOwn(folder, ".gitignore", "*\n");
  const name = `index-${randomBytes(8).toString("hex")}.db`;
  return {
    path: join(folder, name),
    done(keep) {
      if (keep) writeOwn(folder, POINTER, name);
      removeGenerations(folder, keep ? name : readOwn(join(folder, POINTER)));
    },
  };
}

/** Everything codegraph wrote; what else lies there stays, and is named. */
export function removeData(root: string): { removed: boolean; kept: string[] } {
  const folder = dataFolder(root);
  if (!existsSync(folder)) return { removed: false, kept: [] };
  const kept: string[] = [];
  for (const name of readdirSync(folder)) {
    if (isOurs(name)) rmSync(join(folder, name), { force: true });
    else kept.push(name);
  }
  if (kept.length === 0) rmdirSync(folder);
  return { removed: true, kept };
}

function isOurs(name: string): boolean {
  return (
    name === ".gitignore" ||
    name === POINTER ||
    name.startsWith(`${POINTER}.`) ||
    [LOCK, name.replace(/-(?:journal|wal|shm)$/, "")].some(
      (base) =>
        SIDE_FILES.some((side) => name === base + side) &&
        (base === LOCK || GENERATION.test(base)),
    )
  );
}

function removeGenerations(folder: string, but: string | undefined): void {
  for (const name of readdirSync(folder)) {
    const base = name.replace(/-(?:journal|wal|shm)$/, "");
    if (!GENERATION.test(base) || base === but) continue;
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
 * @spec folder-one-writer
 */
export function lock(root: string): Lock | { readonly heldBy: number } {
  const folder = dataFolder(root);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, LOCK);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) rmSync(path, { force: true });
  const db = new DatabaseSync(path);
  try {
    db.exec("create table if not exists holder (pid integer)");
    db.exec("begin immediate; delete from holder");
    db.prepare("insert into holder values (?)").run(process.pid);
    db.exec("commit; begin immediate");
    return {
      release() {
        db.exec("delete from holder; commit");
        db.close();
      },
    };
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== 5 /* SQLITE_BUSY */)
      throw error;
    let pid = 0;
    try {
      pid =
        (db.prepare("select pid from holder").get()?.pid as
          number | undefined) ?? 0;
    } catch {}
    db.close();
    return { heldBy: pid };
  }
}

/** Text of a file of ours, without its final line feed; undefined where it is absent or a link. */
function readOwn(path: string): string | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return readFileSync(fd, "utf8").trimEnd();
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** Whole or not at all, and never through a link: a rename replaces the name itself. */
function writeOwn(folder: string, name: string, text: string): void {
  if (readOwn(join(folder, name)) === text.trimEnd()) return;
  const beside = join(folder, `${POINTER}.${randomBytes(6).toString("hex")}`);
  const fd = openSync(beside, "wx", 0o644);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
  renameSync(beside, join(folder, name));
}
