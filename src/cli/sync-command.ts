/** `codegraph sync`. */
import { cacheFolder } from "../index/cache.ts";
import { projectRoot } from "../index/scan.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { exclusively } from "../store/exclusive.ts";
import { UserError } from "../store/place.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import { unreadableTold } from "../store/trouble.ts";
import { Syncer, type SyncOptions, type SyncResult } from "../store/sync.ts";
import { printLines, warn, type Invocation } from "./main.ts";
import { rootOf } from "./project.ts";
import { showProgress, type Progress } from "./progress.ts";
import { syncReport } from "./report.ts";

/** @spec cli-sync cli-json */
export async function sync({
  positionals,
  values,
}: Invocation): Promise<number> {
  const quiet = values.quiet === true;
  const started = performance.now();
  const root = projectRoot(rootOf(positionals[0] ?? "."), { force: true });
  const syncer = new Syncer({ once: true });
  const silent = quiet || values.json === true;
  let progress: Promise<Progress> | undefined;
  let result: SyncResult | undefined;
  try {
    result = await exclusively(
      root,
      (pid) => quiet || warn(say(wordings.CLI_WAITING, { pid })),
      async () => {
        const options: SyncOptions = {
          cache: cacheFolder(),
          // Most syncs are over before there is anything to show.
          onProgress: (p) => {
            if (!silent)
              void (progress ??= showProgress(root)).then((bar) =>
                bar.update(p),
              );
          },
        };
        const done = await syncer.sync(root, undefined, options);
        try {
          syncer.compact(root);
          return done;
        } catch (error) {
          if (!(error instanceof UnreadableIndex)) throw error;
          // Damage in what was not to be changed.
          return syncer.sync(root, undefined, options);
        }
      },
    );
  } catch (error) {
    if (!(error instanceof UnreadableIndex)) throw error;
    throw new UserError(unreadableTold(root, error), { cause: error });
  } finally {
    (await progress)?.stop();
    syncer.close();
  }
  // Removed while this waited for the lock.
  if (!result)
    throw new UserError(say(wordings.CLI_NOT_INDEXED, { path: root }));
  const seconds = (performance.now() - started) / 1000;
  if (values.json === true)
    printLines([JSON.stringify({ ...told(result), seconds })]);
  else if (!quiet) printLines(syncReport(result, seconds));
  return 0;
}

/** Without what a report of a whole build would add to it. */
function told({ rebuilt, ...counts }: SyncResult): object {
  return {
    ...counts,
    ...(rebuilt && { rebuilt: rebuilt.reason || wordings.SYNC_MOSTLY_NEW }),
  };
}
