/** Waits for the one writer's lock of a project, and holds it while something runs. */
import { setTimeout as pause } from "node:timers/promises";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import { lock } from "./folder.ts";
import { UserError } from "./place.ts";

/**
 * Runs `run` alone of all processes that write this project. `onWaiting` is told the
 * process id of another that does, once, before the wait for it; 0 where that is unknown.
 * Throws: UserError after `LOCK_WAIT_SECONDS`; what `run` throws.
 * @spec folder-one-writer folder-waits-for-the-lock serve-waits-for-the-writer
 */
export async function exclusively<T>(
  root: string,
  onWaiting: (pid: number) => void,
  run: () => Promise<T>,
  sleep: (ms: number) => Promise<unknown> = pause,
  limits: Pick<Limits, "LOCK_RETRY_MS" | "LOCK_WAIT_SECONDS"> = fromSpec,
): Promise<T> {
  for (let waited = 0; ; waited += limits.LOCK_RETRY_MS) {
    const taken = lock(root);
    if ("release" in taken) {
      try {
        return await run();
      } finally {
        taken.release();
      }
    }
    if (waited >= limits.LOCK_WAIT_SECONDS * 1000)
      throw new UserError(
        say(wordings.CLI_STILL_LOCKED, {
          pid: taken.heldBy,
          seconds: limits.LOCK_WAIT_SECONDS,
        }),
      );
    if (waited === 0) onWaiting(taken.heldBy);
    await sleep(limits.LOCK_RETRY_MS);
  }
}
