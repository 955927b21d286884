/** Finds the project of a call. */
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import { currentIndex, nearestProject } from "../store/place.ts";

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
  const existing = [...new Set(places)].flatMap((place) => real(place) ?? []);
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
    const at = realpathSync.native(path);
    return statSync(at).isDirectory() ? at : resolve(at, "..");
  } catch {
    return undefined;
  }
}
