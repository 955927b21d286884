/** Serves one client in this process, as a daemon serves many. */
import type { Readable, Writable } from "node:stream";
import { ToolHandler, type Settings } from "./handler.ts";
import { Keeper } from "./keeper.ts";
import { WorkerPool } from "./pool.ts";
import { serveMcp, type McpOptions } from "./mcp.ts";

export interface HereOptions {
  readonly version: string;
  /** `--path` and the working directory. */
  readonly places: readonly string[];
  readonly settings: () => Settings;
  /** Index a project that has no index. */
  readonly autoInit: boolean;
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
}

/** Serves until `input` ends. @spec serve-tool */
export async function serveHere(
  input: Readable,
  output: Writable,
  { autoInit, ...options }: HereOptions,
): Promise<void> {
  const log = (message: string) => options.tell(`codegraph: ${message}\n`);
  const handler = freshHandler(log);
  await serveMcp(input, output, {
    ...options,
    isAlone: true,
    handler,
    log,
    ...(autoInit && { index: indexing(log) }),
  });
  await handler.close();
}

/** A handler whose calls run in threads, from indexes that are kept fresh. `log` gets what no call carries. */
export const freshHandler = (log: (message: string) => void): ToolHandler =>
  new ToolHandler(new WorkerPool(), new Keeper({ log }));

/** Indexes the project around a folder. What that needs is loaded when it is done. */
export const indexing =
  (log: (message: string) => void): NonNullable<McpOptions["index"]> =>
  async (folder, onProgress, signal) => {
    const { indexAlone } = await import("./auto-init.ts");
    await indexAlone(folder, { log, onProgress, signal });
  };
