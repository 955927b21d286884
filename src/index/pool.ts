/**
 * Spreads files over worker threads and hands what they find to a sink, in the
 * order in which it comes.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { IndexedFile, LeftOut } from "../model/file.ts";
import type { Segment } from "../model/segment.ts";
import { limits } from "../spec.gen.ts";
import type { FileJob, FromWorker, ToWorker, WorkerStart } from "./jobs.ts";

export interface Sink {
  files(files: readonly IndexedFile[], leftOut: readonly LeftOut[]): void;
  segment(segment: Segment): void;
}

/** A worker ended on its own. `suspects` are the files it had not answered for. */
export class WorkerLost extends Error {
  readonly suspects: readonly string[];
  constructor(suspects: readonly string[], cause: unknown) {
    super("a worker ended", { cause });
    this.suspects = suspects;
  }
}

/** How many threads parse: one a core, within `MAX_INDEX_WORKERS`; one where there is little to do. @spec index-workers */
export function workerCount(
  bytes: number,
  cores = availableParallelism(),
): number {
  const useful = Math.ceil(bytes / limits.BYTES_PER_WORKER);
  return Math.max(1, Math.min(cores, limits.MAX_INDEX_WORKERS, useful));
}

/**
 * Indexes `jobs`. Throws: WorkerLost; what the sink got until then is to be dropped.
 * @spec index-workers
 */
export async function indexFiles(
  start: WorkerStart,
  jobs: readonly FileJob[],
  sink: Sink,
): Promise<void> {
  const batches = batched(jobs);
  const bytes = jobs.reduce((sum, job) => sum + job.size, 0);
  const workers: Worker[] = [];
  let next = 0;
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(workerUrl(), { workerData: start });
      workers.push(worker);
      const open: (readonly FileJob[])[] = [];
      const feed = () => {
        const batch = batches[next];
        if (batch) {
          next++;
          open.push(batch);
          worker.postMessage({
            kind: "files",
            files: batch,
          } satisfies ToWorker);
        } else if (open.length === 0)
          worker.postMessage({ kind: "finish" } satisfies ToWorker);
      };
      const lost = (cause: unknown) =>
        reject(
          new WorkerLost(
            open.flat().map((job) => job.path),
            cause,
          ),
        );
      let done = false;
      worker.on("error", lost);
      worker.on("exit", (code) => {
        if (!done) lost(new Error(`exit code ${code}`));
      });
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "segment") {
          done = true;
          sink.segment(message.segment);
          resolve();
          void worker.terminate();
          return;
        }
        open.shift();
        // The worker goes on while this thread writes.
        feed();
        sink.files(message.files, message.leftOut);
      });
      feed();
      if (next < batches.length) feed();
    });
  try {
    await Promise.all(Array.from({ length: workerCount(bytes) }, run));
  } finally {
    for (const worker of workers) void worker.terminate();
  }
}

/** Neighbours in path order stay together, so that a batch is mostly of one language. */
function batched(jobs: readonly FileJob[]): FileJob[][] {
  const out: FileJob[][] = [];
  let batch: FileJob[] = [];
  let bytes = 0;
  for (const job of jobs) {
    batch.push(job);
    bytes += job.size;
    if (bytes >= limits.BATCH_BYTES || batch.length >= limits.BATCH_FILES) {
      out.push(batch);
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) out.push(batch);
  return out;
}

/** Run from source the worker is a module beside this one, built it is a bundle beside the bundle. */
function workerUrl(): URL {
  return new URL(
    import.meta.url.endsWith(".ts") ? "./worker.ts" : "./index-worker.js",
    import.meta.url,
  );
}
