/**
 * Finds the project of a call and keeps its index open. An index that was replaced
 * since is opened anew.
 */
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import { currentIndex, nearestProject } from "../store/place.ts";
import { openIndex, type OpenIndex } from "../store/open.ts";
import type { IndexReader } from "../store/store.ts";
import { KeptIndex } from "./kept.ts";

type Bounds = Pick<Limits, "WORKSPACE_DEPTH" | "WORKSPACE_PROJECTS">;

/** A project root with links resolved, or the folder that has no index and what to say about it. */
export type Found =
  | { readonly root: string }
  | {
      readonly folder: string;
      readonly say: string;
      /** What was asked about is not there. */
      readonly isMissing?: true;
    };

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
        isMissing: true,
      };
    return projectAt(folder, home, limits);
  }
  const existing = places.flatMap((place) => real(place) ?? []);
  for (const place of existing) {
    const root = nearestProject(place, home);
    if (root !== undefined) return { root };
  }
  const [first] = existing;
  if (first !== undefined) return projectAt(first, home, limits);
  const root = nearestProject(base, home);
  return root === undefined
    ? {
        folder: base,
        say: say(wordings.SERVE_GONE, { path: base }),
        isMissing: true,
      }
    : { root };
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
  /** What questions are answered from, and the state of the index that it holds for. */
  kept: { readonly state: number; readonly index: KeptIndex } | undefined;
  usedAt: number;
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
   * Runs `ask` on one state of a project's index, the newest there is. Asked once a
   * call: here, and nowhere else, what was kept is given up where it is outdated.
   * Undefined where nothing is indexed. Throws: UnreadableIndex; what `ask` throws.
   */
  ask<T>(root: string, ask: (index: IndexReader) => T): T | undefined {
    const opened = this.opened(root);
    if (!opened) return undefined;
    return opened.index.snapshot(() => {
      const { check } = this.options;
      if (opened.kept?.state !== opened.index.state)
        opened.kept = {
          state: opened.index.state,
          index: new KeptIndex(opened.index, { check }),
        };
      return ask(opened.kept.index);
    });
  }

  private opened(root: string): Opened | undefined {
    const { check, now = () => performance.now() } = this.options;
    const at = now();
    const known = this.open.get(root);
    this.open.delete(root);
    this.closeUnused(at);
    if (known && !known.index.isFixed && known.file === currentIndex(root)) {
      known.usedAt = at;
      this.open.set(root, known);
      return known;
    }
    known?.index.close();
    const found = openIndex(root, check);
    if (!found) return undefined;
    const opened: Opened = { ...found, kept: undefined, usedAt: at };
    this.open.set(root, opened);
    return opened;
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
