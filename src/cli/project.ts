/** Finds the project that a command is about, and opens its index. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { nearestProject, UserError } from "../store/place.ts";
import { openIndex, type OpenIndex } from "../store/open.ts";
import { existing } from "./existing.ts";

export interface Project extends OpenIndex {
  /** With links resolved. */
  readonly root: string;
}

/** The root of the project around a path. Throws: UserError where nothing is indexed at or above it. */
export function rootOf(path: string): string {
  const root = nearestProject(existing(path), homedir());
  if (root === undefined)
    throw new UserError(say(wordings.CLI_NOT_INDEXED, { path: resolve(path) }));
  return root;
}

/** Throws: UserError where nothing is indexed at or above the path; UnreadableIndex. */
export function openProject(path: string): Project {
  const root = rootOf(path);
  const open = openIndex(root);
  // Removed since it was found.
  if (!open)
    throw new UserError(say(wordings.CLI_NOT_INDEXED, { path: resolve(path) }));
  return { root, ...open };
}
