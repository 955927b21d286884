/**
 * Tells which paths of a project may have changed, as the system reports it.
 *
 * On Linux each folder is watched by itself, and only those that can hold files of the
 * project; elsewhere the system watches the tree. Paths are relative to the root, with
 * `/`; "" is the root itself.
 * Errs: toward telling. What is told may not have changed.
 */
import { lstatSync, readdirSync, watch, type FSWatcher } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { ignoredByGit, repositoryAround } from "./git.ts";
import { mayWatchMore } from "./timing.ts";
import { isDependencyFolder, isNeverEntered } from "./scan.ts";

export interface WatchListener {
  /** Something at the path came, went or changed. */
  changed(path: string): void;
  /** Nothing will be told any more. Said once. */
  lost(reason: WatchTrouble): void;
}

/** `many`: more folders than may be watched; `system`: the system allows no more. */
export type WatchTrouble = "many" | "system";

export class Watcher {
  private readonly root: string;
  private readonly tell: WatchListener;
  private readonly limits: Pick<Limits, "MAX_WATCHES">;
  private readonly open = new Map<
    string,
    { readonly watcher: FSWatcher; readonly identity: string }
  >();
  private readonly perFolder: boolean;
  private closed = false;

  constructor(
    root: string,
    tell: WatchListener,
    limits: Pick<Limits, "MAX_WATCHES"> = fromSpec,
    platform: string = process.platform,
  ) {
    this.root = root;
    this.tell = tell;
    this.limits = limits;
    this.perFolder = platform !== "win32" && platform !== "darwin";
  }

  /** How many folders the system was asked to watch. */
  get size(): number {
    return this.open.size;
  }

  get isOpen(): boolean {
    return !this.closed;
  }

  /**
   * Watches the folders that hold files of the project, those around them, and what
   * else lies in those and is not ignored. Ends when all are watched, and gives those
   * that were not before: what happened in them until now was not told.
   * @spec watch-folders watch-limit
   */
  async cover(folders: Iterable<string>): Promise<string[]> {
    if (!this.perFolder) {
      this.add("", true);
      return [];
    }
    const before = new Set(this.open.keys());
    const wanted = new Set<string>([""]);
    for (let folder of folders)
      while (folder !== "" && !wanted.has(folder)) {
        wanted.add(folder);
        folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
      }
    await this.enter([...wanted], wanted);
    for (const folder of this.open.keys())
      if (!wanted.has(folder)) this.leave(folder);
    return [...this.open.keys()].filter((folder) => !before.has(folder));
  }

  /**
   * Watches folders among `paths` that have come, and those below them; leaves those
   * that are gone, or have become others.
   */
  async follow(paths: readonly string[]): Promise<void> {
    if (!this.perFolder || this.closed) return;
    const come: string[] = [];
    for (const path of paths) {
      const identity = identityOf(this.root, path);
      const known = this.open.get(path);
      if (known?.identity === identity) continue;
      if (known)
        for (const folder of this.open.keys())
          if (folder === path || folder.startsWith(`${path}/`))
            this.leave(folder);
      if (identity !== "") come.push(path);
    }
    if (come.length === 0) return;
    const wanted = await this.unignored(come);
    await this.enter(wanted, new Set([...this.open.keys(), ...wanted]));
  }

  close(): void {
    this.closed = true;
    for (const folder of this.open.keys()) this.leave(folder);
  }

  /** Folders are watched before they are listed: what comes in between is told or seen. */
  private async enter(first: readonly string[], known: Set<string>) {
    let level = first;
    while (level.length > 0 && !this.closed) {
      const below: string[] = [];
      for (const [i, folder] of level.entries()) {
        if (!this.add(folder)) return;
        for (const inner of foldersIn(this.root, folder))
          if (!known.has(inner)) below.push(inner);
        // Others wait for this thread.
        if (i % TURN === TURN - 1) await turn();
      }
      level = await this.unignored(below);
      for (const folder of level) known.add(folder);
    }
  }

  private async unignored(folders: readonly string[]): Promise<string[]> {
    if (folders.length === 0) return [];
    const around = repositoryAround(this.root);
    if (!around) return folders.filter((folder) => !isDependencyFolder(folder));
    const ignored = await ignoredByGit(this.root, around, folders);
    return folders.filter((folder) => !ignored.has(folder));
  }

  /** False where watching is over. */
  private add(folder: string, recursive = false): boolean {
    if (this.closed) return false;
    if (this.open.has(folder)) return true;
    if (!mayWatchMore(this.open.size, this.limits)) return this.lose("many");
    const identity = identityOf(this.root, folder);
    try {
      const watcher = watch(
        folder === "" ? this.root : `${this.root}/${folder}`,
        { recursive, persistent: false },
        (_, name) => {
          // Without a name anything in the folder may have changed.
          const path =
            name === null
              ? folder
              : `${folder === "" ? "" : `${folder}/`}${name.replaceAll("\\", "/")}`;
          if (!path.split("/").some(isNeverEntered)) this.tell.changed(path);
        },
      );
      watcher.on("error", () => this.drop(folder));
      this.open.set(folder, { watcher, identity });
      return true;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // It went while we came.
      if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES")
        return true;
      return this.lose("system");
    }
  }

  private leave(folder: string): void {
    this.open.get(folder)?.watcher.close();
    this.open.delete(folder);
  }

  private drop(folder: string): void {
    this.leave(folder);
    if (!this.closed) this.tell.changed(folder);
  }

  /** What was taken so far is given back: other programs need it too. */
  private lose(reason: WatchTrouble): false {
    this.close();
    this.tell.lost(reason);
    return false;
  }
}

/** Folders between two turns of the event loop. */
const TURN = 9;

/** Which folder stands at a path now; empty for none. */
export function identityOf(root: string, folder: string): string {
  try {
    const stat = lstatSync(folder === "" ? root : `${root}/${folder}`, {
      bigint: true,
    });
    return stat.isDirectory()
      ? `${stat.dev} ${stat.ino} ${stat.birthtimeNs}`
      : "";
  } catch {
    return "";
  }
}

function foldersIn(root: string, folder: string): string[] {
  try {
    return readdirSync(folder === "" ? root : `${root}/${folder}`, {
      withFileTypes: true,
    })
      .filter((entry) => entry.isDirectory() && !isNeverEntered(entry.name))
      .map(({ name }) => (folder === "" ? name : `${folder}/${name}`));
  } catch {
    return [];
  }
}
