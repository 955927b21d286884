/** Indexes a project that is asked about and has no index. */
import { cacheFolder } from "../index/cache.ts";
import { projectRoot, scan } from "../index/scan.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { buildIndex } from "../store/build.ts";
import { exclusively } from "../store/exclusive.ts";
import { currentIndex } from "../store/place.ts";

/**
 * Indexes the project around a folder, alone of all processes. Throws: what `signal`
 * says; what building an index throws.
 * @spec serve-answers-at-once
 */
export async function indexAlone(
  folder: string,
  {
    log,
    onProgress,
    signal,
  }: {
    readonly log: (message: string) => void;
    readonly onProgress: (done: number, total: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const root = projectRoot(folder);
  await exclusively(
    root,
    (pid) => log(say(wordings.CLI_WAITING, { pid })),
    async () => {
      signal.throwIfAborted();
      // Another call may have indexed it while this one waited.
      if (currentIndex(root) !== undefined) return;
      await buildIndex(
        await scan(root),
        ({ done, total }) => {
          signal.throwIfAborted();
          onProgress(done, total);
        },
        { cache: cacheFolder() },
      );
    },
  );
}
