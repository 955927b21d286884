/** Finds the project that a command is about, and opens its index. */
import { homedir } from "node:os";
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { currentIndex, nearestProject, UserError } from "../store/folder.ts";
import { SqliteReader, UnreadableIndex } from "../store/sqlite.ts";

export interface Project {
  /** With links resolved. */
  readonly root: string;
  readonly index: SqliteReader;
  /** The database file. */
  readonly file: string;
}

/** Throws: UserError where nothing is indexed at or above the path, or the index cannot be read. */
export function openProject(path: string): Project {
  const asked = resolve(path);
  if (!existsSync(asked))
    throw new UserError(say(wordings.ROOT_MISSING, { root: path }));
  const root = nearestProject(realpathSync(asked), homedir());
  if (root === undefined)
    throw new UserError(say(wordings.CLI_NOT_INDEXED, { path: asked }));
  const file = currentIndex(root)!;
  try {
    return { root, file, index: new SqliteReader(file) };
  } catch (error) {
    if (!(error instanceof UnreadableIndex)) throw error;
    throw new UserError(
      say(wordings.CLI_UNREADABLE, { path: root, reason: error.message }),
    );
  }
}
