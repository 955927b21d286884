/** The syncing thread: one task after the other. */
import { parentPort, type MessagePort } from "node:worker_threads";
import { cacheFolder } from "../index/cache.ts";
import { openIndex, type OpenIndex } from "../store/open.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import { currentIndex } from "../store/place.ts";
import { exclusively } from "../store/exclusive.ts";
import { Syncer } from "../store/sync.ts";
import { machineTrouble } from "../store/trouble.ts";
import { wordings } from "../spec.gen.ts";
import type { SyncAnswer, SyncDone, SyncTask } from "./sync-thread.ts";

work(parentPort!);

function work(port: MessagePort): void {
  const syncer = new Syncer();
  const answer = async (id: number, task: SyncTask): Promise<void> => {
    const say = (value: unknown) =>
      port.postMessage({ id, value } satisfies SyncAnswer);
    try {
      if (task.kind === "folders") say(foldersOf(task.root));
      // A lock would put a folder where there is nothing any more.
      else if (currentIndex(task.root) === undefined) say(undefined);
      else
        await exclusively(
          task.root,
          () => {},
          async () => {
            say(await synced(syncer, task));
            // Nobody waits for this.
            syncer.compact(task.root);
          },
        );
    } catch (error) {
      // After an answer this says nothing: the caller has gone on.
      port.postMessage({
        id,
        error:
          machineTrouble(error, wordings.SYNC_DISK_FULL) ??
          (error as Error).message,
      } satisfies SyncAnswer);
    }
  };
  let last = Promise.resolve();
  port.on("message", ({ id, task }: { id: number; task: SyncTask }) => {
    last = last.then(() => answer(id, task));
  });
}

async function synced(
  syncer: Syncer,
  { root, paths, damage, apart }: Extract<SyncTask, { kind: "sync" }>,
): Promise<SyncDone | undefined> {
  const started = performance.now();
  const done = await syncer.sync(root, paths, {
    apart,
    damage,
    cache: cacheFolder(),
  });
  return (
    done && {
      whole: done.whole,
      ms: performance.now() - started,
      ...(done.rebuilt && {
        rebuilt: done.rebuilt.reason || wordings.SYNC_MOSTLY_NEW,
      }),
    }
  );
}

function foldersOf(root: string): string[] {
  let opened: OpenIndex | undefined;
  try {
    opened = openIndex(root);
    const files = opened?.index.files() ?? [];
    return [
      ...new Set(
        files.map(({ path }) =>
          path.slice(0, Math.max(0, path.lastIndexOf("/"))),
        ),
      ),
    ];
  } catch (error) {
    // It is built anew next, and then asked again.
    if (!(error instanceof UnreadableIndex)) throw error;
    return [];
  } finally {
    opened?.index.close();
  }
}
