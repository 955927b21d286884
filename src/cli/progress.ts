/** Says how far indexing has got: a bar on a terminal, a plain line elsewhere. */
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import type { BuildProgress } from "../store/build.ts";
import { plain } from "./plain.ts";

export interface Progress {
  update(progress: BuildProgress): void;
  stop(): void;
}

/** @spec cli-progress */
export async function showProgress(root: string): Promise<Progress> {
  if (!process.stderr.isTTY || process.env.TERM === "dumb" || process.env.CI) {
    process.stderr.write(`${say(wordings.INDEXING, { root: plain(root) })}\n`);
    return { update() {}, stop() {} };
  }
  const { SingleBar } = (await import("cli-progress")).default;
  const bar = new SingleBar({
    format: "Indexing [{bar}] {percentage}% of {total} files",
    barCompleteChar: "=",
    barIncompleteChar: " ",
    stream: process.stderr,
    // A run that is interrupted ends at once and has nothing to restore.
    hideCursor: false,
    gracefulExit: false,
    clearOnComplete: true,
    stopOnComplete: false,
  });
  let total = 0;
  return {
    update(progress) {
      if (total === 0) bar.start((total = progress.total), 0);
      bar.update(progress.done);
    },
    stop() {
      bar.stop();
    },
  };
}
