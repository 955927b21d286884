/**
 * A thread that answers calls, one at a time, over read-only handles of its own.
 * What it keeps of them changes no later answer: rows of the index, and answers for
 * whoever asks the very same.
 */
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { answered } from "./answered.ts";
import { Answers } from "./answers.ts";
import { OpenIndexes } from "./open-indexes.ts";
import { Cancelled, type Asked, type RawResult } from "./runner.ts";

/** What a thread is started with. */
export interface ThreadStart {
  /** Two Int32: ids of calls in hand that nobody waits for any more. */
  readonly given: SharedArrayBuffer;
}

export interface CallDown {
  /** From 1; no two calls of a thread have the same. */
  readonly id: number;
  readonly root: string;
  /** What is asked, an `Asked`, as JSON: that is read in half the time of its clone. */
  readonly asked: string;
  /** It is worked out, and nobody is told. */
  readonly isLesson: boolean;
}

export type CallUp =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly id: number; readonly result: RawResult }
  | { readonly kind: "learnt"; readonly id: number }
  | { readonly kind: "cancelled"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly error: unknown };

// The types are for whoever starts the thread; that one is not a thread itself.
if (parentPort) serve(parentPort, workerData as ThreadStart);

function serve(port: MessagePort, start: ThreadStart): void {
  const given = new Int32Array(start.given);
  let running = 0;
  const indexes = new OpenIndexes({
    check: () => {
      const isGiven = (i: number) => Atomics.load(given, i) === running;
      if (isGiven(0) || isGiven(1)) throw new Cancelled();
    },
  });
  const answers = new Answers();
  port.on("message", ({ id, root, asked, isLesson }: CallDown) => {
    running = id;
    const told = up(id, () =>
      answered(
        indexes,
        root,
        JSON.parse(asked) as Asked,
        (at, index, request) => answers.of(at, index, request, asked),
      ),
    );
    port.postMessage(
      isLesson && told.kind === "answer"
        ? ({ kind: "learnt", id } satisfies CallUp)
        : told,
    );
  });
  port.postMessage({ kind: "ready" } satisfies CallUp);
}

/** @spec pool-cancels */
function up(id: number, run: () => RawResult): CallUp {
  try {
    return { kind: "answer", id, result: run() };
  } catch (error) {
    return error instanceof Cancelled
      ? { kind: "cancelled", id }
      : { kind: "failed", id, error };
  }
}
