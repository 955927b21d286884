/**
 * Finds the project of a call and keeps its index open. An index that was replaced
 * since is opened anew.
 */
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import { currentIndex, nearestProject } from "../store/folder.ts";
import { openIndex, type OpenIndex } from "../store/open.ts";
import type { IndexReader } from "../store/store.ts";
import { KeptIndex } from "./kept.ts";

type Bounds = Pick<Limits, "WORKSPACE_DEPTH" | "WORKSPACE_PROJECTS">;

/** A project root with links resolved, or the folder that has no index and what to say about it. */
export type Found =
  { readonly root: string } | { readonly folder: string; readonly say: string };

/**
 * The project around `projectPath`, or else around the first of `places` that has
 * one. `places` are the client's roots, `--path` and the working directory.
 * @spec serve-finds-the-project serve-answers-at-once
 */
export function findProject(
  projectPath: string | undefined,
  places: readonly string[],
  home: string = homedir(),
  limits: Bounds = fromSpec,
): Found {
  const base = places[0] ?? process.cwd();
  if (projectPath !== undefined) {
    const folder = real(resolve(base, projectPath));
    if (folder === undefined)
      return {
        folder: base,
        say: say(wordings.SERVE_NO_PATH, { path: projectPath, root: base }),
      };
    return projectAt(folder, home, limits);
  }
  const existing = places.flatMap((place) => real(place) ?? []);
  for (const place of existing) {
    const root = nearestProject(place, home);
    if (root !== undefined) return { root };
  }
  return projectAt(existing[0] ?? base, home, limits);
}

function projectAt(folder: string, home: string, limits: Bounds): Found {
  const root = nearestProject(folder, home);
  if (root !== undefined) return { root };
  const below = projectsBelow(folder, limits);
  return {
    folder,
    say:
      below.length > 0
        ? say(wordings.SERVE_BELOW, { path: folder, folders: below.join(", ") })
        : say(wordings.SERVE_NOT_INDEXED, { path: folder }),
  };
}

/** Folders below that have an index, nearest first; links are not followed. */
function projectsBelow(folder: string, limits: Bounds): string[] {
  const found: string[] = [];
  let level = [folder];
  for (let depth = 0; depth < limits.WORKSPACE_DEPTH; depth++) {
    const next: string[] = [];
    for (const at of level) {
      let names: string[];
      try {
        names = readdirSync(at).sort();
      } catch {
        continue;
      }
      for (const name of names) {
        if (name.startsWith(".") || name === "node_modules") continue;
        const path = join(at, name);
        if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
          continue;
        if (currentIndex(path) !== undefined) found.push(path);
        else next.push(path);
        if (found.length >= limits.WORKSPACE_PROJECTS) return found;
      }
    }
    level = next;
  }
  return found;
}

/** The folder with links resolved; of a file, the folder it lies in; undefined where there is nothing. */
function real(path: string): string | undefined {
  try {
    const at = realpathSync(path);
    return statSync(at).isDirectory() ? at : resolve(at, "..");
  } catch {
    return undefined;
  }
}

interface Opened extends OpenIndex {
  /** What questions are answered from. It holds while `index` says the same. */
  readonly kept: KeptIndex;
  readonly usedAt: number;
}

export interface OpenOptions {
  /** Called whenever an index is asked something; what it throws ends the question. */
  readonly check?: (() => void) | undefined;
  /** Milliseconds of a clock that does not go back. */
  readonly now?: () => number;
  readonly limits?: Pick<Limits, "MAX_OPEN_INDEXES" | "OPEN_INDEX_MINUTES">;
}

/**
 * The open indexes of one thread by root, few, and none that was not used lately.
 * It holds nothing about any client.
 * @spec pool-open-indexes
 */
export class OpenIndexes {
  /** The least recently used first. */
  private readonly open = new Map<string, Opened>();
  private readonly options: OpenOptions;

  constructor(options: OpenOptions = {}) {
    this.options = options;
  }

  /**
   * The index of a project as it is now. Asked once a call, before anything else:
   * here, and nowhere else, what a reader keeps is given up where it is outdated.
   * Throws: UnreadableIndex.
   */
  of(root: string): IndexReader | undefined {
    const { check, now = () => performance.now() } = this.options;
    const at = now();
    const known = this.open.get(root);
    this.open.delete(root);
    this.closeUnused(at);
    if (known && known.file === currentIndex(root)) {
      this.open.set(root, { ...known, usedAt: at });
      return known.kept;
    }
    known?.index.close();
    const opened = openIndex(root, check);
    if (!opened) return undefined;
    const kept = new KeptIndex(opened.index, { check });
    this.open.set(root, { ...opened, kept, usedAt: at });
    return kept;
  }

  close(): void {
    for (const { index } of this.open.values()) index.close();
    this.open.clear();
  }

  /** Leaves room for one more. */
  private closeUnused(now: number): void {
    const { limits = fromSpec } = this.options;
    for (const [root, { index, usedAt }] of this.open) {
      const isOld = now - usedAt >= limits.OPEN_INDEX_MINUTES * MINUTE;
      if (!isOld && this.open.size < limits.MAX_OPEN_INDEXES) break;
      index.close();
      this.open.delete(root);
    }
  }
}

const MINUTE = 60 * 1000; // exempt spec-values-are-imported: a minute has sixty seconds
