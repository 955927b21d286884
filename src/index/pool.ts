/**
 * Spreads files over worker threads and hands what they find to a sink, in the
 * order in which it comes.
 */
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { Worker, type ResourceLimits } from "node:worker_threads";
import type { IndexedFile, LeftOut } from "../model/file.ts";
import type { SharedCache } from "./cache.ts";
import { admit } from "./classify.ts";
import { scriptBeside } from "./script.ts";
import type { Segment } from "../model/segment.ts";
import { decodeSymbols } from "../model/symbols.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type {
  FileJob,
  FromWorker,
  IndexStart,
  ToWorker,
  WorkerStart,
} from "./jobs.ts";

export interface Sink {
  /** `reused` of the files were not parsed: what is in them was kept. */
  files(
    files: readonly IndexedFile[],
    leftOut: readonly LeftOut[],
    reused: number,
  ): void;
  segment(segment: Segment): void;
}

/** A worker broke. `suspect` is the file it had in hand; undefined where it had none. */
export class WorkerLost extends Error {
  readonly suspect: string | undefined;
  constructor(suspect: string | undefined, cause: unknown) {
    super(`a parsing thread broke: ${(cause as Error).message}`, { cause });
    this.suspect = suspect;
  }
}

export interface PoolOptions {
  /** How many threads parse; by default as many as `workerCount` says. */
  readonly workers?: number;
  /** What a thread may use; by default what Node gives it. */
  readonly resourceLimits?: ResourceLimits;
  /** What a thread runs; by default the script beside this one. */
  readonly script?: URL;
  /** A thread that has started before. */
  readonly early?: EarlyThread;
}

/** How many threads parse files of so many bytes together. @spec index-workers */
export function workerCount(
  bytes: number,
  cores = availableParallelism(),
  limits: Pick<Limits, "BYTES_PER_WORKER" | "MAX_INDEX_WORKERS"> = fromSpec,
): number {
  const useful = Math.ceil(bytes / limits.BYTES_PER_WORKER);
  return Math.max(1, Math.min(cores, limits.MAX_INDEX_WORKERS, useful));
}

/**
 * Indexes `jobs`. Throws: WorkerLost, and whatever the sink throws; what the sink
 * got until then is to be dropped.
 * @spec index-workers index-survives-a-crash
 */
export async function indexFiles(
  start: IndexStart,
  jobs: readonly FileJob[],
  sink: Sink,
  { workers, resourceLimits, script, early }: PoolOptions = {},
): Promise<void> {
  const queue = batched(jobs, fromSpec, readBytes);
  const bytes = jobs.reduce((sum, job) => sum + job.size, 0);
  const length = workers ?? workerCount(bytes);
  const { root, textOnly, cache } = start;
  const share = cache && { ...cache, room: Math.floor(cache.room / length) };
  const running = Array.from(
    { length },
    (_, i) =>
      (i === 0 ? early?.take(start) : undefined) ??
      startWorker({ root, textOnly }, resourceLimits, script),
  );
  try {
    await Promise.all(
      running.map((worker) => serve(worker, share, jobs, queue, sink)),
    );
  } finally {
    await Promise.all(running.map(({ thread }) => thread.terminate()));
    for (const flag of USUAL_FLAGS) setFlagsFromString(flag);
  }
}

interface Running {
  readonly thread: Worker;
  readonly hand: Int32Array;
}

function startWorker(
  start: Omit<IndexStart, "cache">,
  resourceLimits?: ResourceLimits,
  script: URL = scriptBeside(import.meta.url, "worker", "index-worker"),
): Running {
  setFlagsFromString(heapFlag());
  setFlagsFromString(compilerFlag());
  const inHand = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const workerData: WorkerStart = { ...start, inHand };
  const thread = new Worker(script, {
    workerData,
    resourceLimits: threadLimits(resourceLimits),
  });
  return { thread, hand: new Int32Array(inHand) };
}

/**
 * A thread that starts while the files are still looked for: one is always needed.
 * `drop` it at the end, whether it was taken or not.
 * @spec index-workers
 */
export class EarlyThread {
  private readonly root: string;
  private running: Running | undefined;

  /** `script` is what it runs; by default the one beside this one. */
  constructor(root: string, script?: URL) {
    this.root = root;
    this.running = startWorker({ root, textOnly: [] }, undefined, script);
    // One that broke is not handed out; another will say why.
    this.running.thread.on("error", () => {});
    this.running.thread.on("exit", () => (this.running = undefined));
  }

  /** Undefined where it was taken before, or is none for this start. */
  take({ root, textOnly }: IndexStart): Running | undefined {
    if (root !== this.root || textOnly.length > 0) return undefined;
    const { running } = this;
    this.running = undefined;
    return running;
  }

  async drop(): Promise<void> {
    await this.running?.thread.terminate();
  }
}

/** The flag for heaps while threads parse. @spec index-memory */
export const heapFlag = (
  limits: Pick<Limits, "HEAP_GROWTH_PERCENT"> = fromSpec,
): string => `--heap-growing-percent=${limits.HEAP_GROWTH_PERCENT}`;

const ALL_COMPILERS = "--turbofan";

/** What Node starts with. @spec index-memory index-without-the-last-compiler */
export const USUAL_FLAGS = ["--heap-growing-percent=0", ALL_COMPILERS] as const;

/** The flag for scripts that run after it is set; those of this thread are few. @spec index-without-the-last-compiler */
export function compilerFlag(
  v8 = process.versions.v8,
  machine: string = process.arch,
  limits: Pick<Limits, "MIDDLE_COMPILER_V8"> = fromSpec,
): string {
  const hasMiddle =
    parseInt(v8) >= limits.MIDDLE_COMPILER_V8 &&
    (machine === "x64" || machine === "arm64");
  return hasMiddle ? "--no-turbofan" : ALL_COMPILERS;
}

/** What a thread may use; what is asked for goes before what the spec says. @spec index-memory */
export const threadLimits = (
  asked: ResourceLimits = {},
  limits: Pick<Limits, "THREAD_YOUNG_MB"> = fromSpec,
): ResourceLimits => ({
  maxYoungGenerationSizeMb: limits.THREAD_YOUNG_MB,
  ...asked,
});

/** Feeds one worker from the common queue until it has given its segment. */
function serve(
  { thread, hand }: Running,
  cache: SharedCache | undefined,
  jobs: readonly FileJob[],
  queue: Iterator<readonly FileJob[]>,
  sink: Sink,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const tell = (message: ToWorker) => thread.postMessage(message);
    let open = 0;
    const feed = () => {
      const { value: files, done } = queue.next();
      if (!done) {
        open++;
        tell({ kind: "files", files });
      } else if (open === 0) tell({ kind: "finish" });
    };
    const lost = (cause: unknown) => {
      const id = Atomics.load(hand, 0);
      reject(new WorkerLost(jobs.find((job) => job.id === id)?.path, cause));
    };
    thread.on("error", lost);
    thread.on("messageerror", lost);
    thread.on("exit", (code) => lost(new Error(`exit code ${code}`)));
    thread.on("message", (message: FromWorker) => {
      // What is thrown in here would be nobody's.
      try {
        if (message.kind === "segment") {
          // Its memory is free before the next segment comes.
          void thread.terminate();
          sink.segment(message.segment);
          resolve();
          return;
        }
        open--;
        // The worker goes on while this thread writes.
        feed();
        const files = message.files.map((file) => ({
          ...file,
          symbols: decodeSymbols(file.symbols),
        }));
        sink.files(files, message.leftOut, message.reused);
      } catch (error) {
        reject(error as Error);
      }
    });
    tell({ kind: "begin", cache });
    // Two at a time: the worker does not wait for this thread.
    feed();
    if (open > 0) feed();
  });
}

/** What a thread reads of a file: nothing of one that its name or size leaves out. */
const readBytes = ({ path, size }: FileJob): number =>
  admit(path, size).take === "nothing" ? 0 : size;

/**
 * Neighbours in path order stay together, so that a batch is mostly of one language.
 * A batch is made when it is asked for: the threads work meanwhile.
 * @spec index-workers
 */
export function* batched<J extends Pick<FileJob, "size">>(
  jobs: readonly J[],
  limits: Pick<Limits, "BATCH_BYTES" | "BATCH_FILES"> = fromSpec,
  bytesOf: (job: J) => number = ({ size }) => size,
): Generator<J[]> {
  let batch: J[] = [];
  let bytes = 0;
  for (const job of jobs) {
    batch.push(job);
    bytes += bytesOf(job);
    if (bytes >= limits.BATCH_BYTES || batch.length >= limits.BATCH_FILES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}
