/** Finds the project that a command is about, and opens its index. */
import { homedir } from "node:os";
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { nearestProject, UserError } from "../store/folder.ts";
import { openIndex, type OpenIndex } from "../store/open.ts";

export interface Project extends OpenIndex {
  /** With links resolved. */
  readonly root: string;
}

/** Throws: UserError where nothing is indexed at or above the path; UnreadableIndex. */
export function openProject(path: string): Project {
  const asked = resolve(path);
  if (!existsSync(asked))
    throw new UserError(say(wordings.ROOT_MISSING, { root: path }));
  const root = nearestProject(realpathSync(asked), homedir());
  const open = root === undefined ? undefined : openIndex(root);
  if (root === undefined || !open)
    throw new UserError(say(wordings.CLI_NOT_INDEXED, { path: asked }));
  return { root, ...open };
}
