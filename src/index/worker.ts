/** A parsing thread: files in, what they hold out; at the end the text of all of them as one segment. */
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { encodeSymbols } from "../model/symbols.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./jobs.ts";
import { createIndexer, type Indexer } from "./indexer.ts";
import { createExtractor, grammarsOnDisk } from "./parse.ts";

work(parentPort!, workerData as WorkerStart);

function work(port: MessagePort, start: WorkerStart): void {
  const hand = new Int32Array(start.inHand);
  // Made while the files are still looked for.
  const extractor = createExtractor(grammarsOnDisk());
  let indexer: Indexer;
  const answer = async (message: ToWorker): Promise<void> => {
    if (message.kind === "begin") {
      const { cache } = message;
      indexer = await createIndexer(
        { ...start, cache },
        (id) => void Atomics.store(hand, 0, id),
        () => extractor,
      );
      return;
    }
    if (message.kind === "finish") {
      const segment = indexer.finish();
      port.postMessage({ kind: "segment", segment } satisfies FromWorker, [
        segment.postings.buffer as ArrayBuffer,
        segment.passages.buffer as ArrayBuffer,
      ]);
      return;
    }
    const found = await indexer.add(message.files);
    const files = found.files.map((file) => ({
      ...file,
      symbols: encodeSymbols(file.symbols),
    }));
    port.postMessage({ kind: "files", ...found, files } satisfies FromWorker);
    Atomics.store(hand, 0, 0);
  };
  // Preparing a grammar waits; messages must not overtake each other there.
  let last = Promise.resolve();
  port.on("message", (message: ToWorker) => {
    last = last.then(() => answer(message));
  });
}
