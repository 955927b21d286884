/** Says how far indexing has got: a bar on a terminal, a plain line elsewhere. */
import type { BuildProgress } from "../store/build.ts";

export interface Progress {
  update(progress: BuildProgress): void;
  stop(): void;
}

/** @spec cli-progress */
export async function showProgress(root: string): Promise<Progress> {
  if (!process.stderr.isTTY || process.env.TERM === "dumb" || process.env.CI) {
    process.stderr.write(`Indexing ${root}\n`);
    return { update() {}, stop() {} };
  }
  const { SingleBar } = (await import("cli-progress")).default;
  const bar = new SingleBar({
    format: "Indexing [{bar}] {percentage}% of {total} files",
    barCompleteChar: "=",
    barIncompleteChar: " ",
    stream: process.stderr,
    hideCursor: true,
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
