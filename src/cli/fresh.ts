/** Opens a project's index when it has caught up with the files. */
import { cacheFolder } from "../index/cache.ts";
import { changes, type Changes } from "../index/changes.ts";
import { scan } from "../index/scan.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { lock } from "../store/folder.ts";
import { openIndex } from "../store/open.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import type { Damage } from "../store/sync.ts";
import { explain } from "./errors.ts";
import { warn } from "./main.ts";
import { openProject, rootOf, type Project } from "./project.ts";

/**
 * As `openProject`, with what has changed taken in. Where another process writes, or
 * it cannot be taken in, the index is opened as it is: answers mark what has changed.
 * Throws: what `openProject` throws.
 * @spec cli-explore-fresh
 */
export async function openFresh(path: string): Promise<Project> {
  const project = opened(path);
  if (project && !(await isBehind(project))) return project;
  project?.index.close();
  const root = project?.root ?? rootOf(path);
  try {
    await takeIn(root);
  } catch (error) {
    if (!project) throw error;
    warn(explain(error));
  }
  const index = openIndex(root);
  return index ? { root, ...index } : openProject(path);
}

/** Undefined where the index cannot be read, which building it anew mends. */
function opened(path: string): Project | undefined {
  try {
    return openProject(path);
  } catch (error) {
    if (error instanceof UnreadableIndex && !error.newer) return undefined;
    throw error;
  }
}

/**
 * The project with an index that was built anew, since a question met damage in it.
 * Throws: `error` where that cannot be done now.
 */
export async function mended(
  root: string,
  error: UnreadableIndex,
): Promise<Project> {
  if (error.newer) throw error;
  await takeIn(root, { file: error.file, reason: error.message });
  const index = openIndex(root);
  if (!index || index.file === error.file) throw error;
  return { root, ...index };
}

async function isBehind({ root, index }: Project): Promise<boolean> {
  const scanned = await scan(root, { force: true });
  let found: Changes;
  try {
    found = changes(scanned, index.files(), index.leftOut());
  } catch (error) {
    if (!(error instanceof UnreadableIndex)) throw error;
    return true;
  }
  return [found.added, found.changed, found.removed].some(
    (some) => some.length > 0,
  );
}

async function takeIn(root: string, damage?: Damage): Promise<void> {
  const held = lock(root);
  if (!("release" in held)) return;
  try {
    const { Syncer } = await import("../store/sync.ts");
    const syncer = new Syncer({ once: true });
    const done = await syncer.sync(root, undefined, {
      damage,
      cache: cacheFolder(),
    });
    syncer.compact(root);
    syncer.close();
    if (done?.rebuilt?.reason)
      warn(say(wordings.NOTE_REBUILT, { reason: done.rebuilt.reason }));
  } finally {
    held.release();
  }
}
