/** `codegraph serve`. */
import { realpathSync } from "node:fs";
import { cacheFolder } from "../index/cache.ts";
import { projectRoot, scan } from "../index/scan.ts";
import { say } from "../model/wording.ts";
import { ToolHandler } from "../serve/handler.ts";
import { serveMcp } from "../serve/mcp.ts";
import { wordings } from "../spec.gen.ts";
import { buildIndex } from "../store/build.ts";
import { exclusively } from "../store/exclusive.ts";
import { currentIndex, UserError } from "../store/folder.ts";
import { UsageError, type Invocation } from "./main.ts";
import { VERSION } from "./version.ts";

/** Ends when its standard input does. @spec serve-tool serve-answers-at-once */
export async function serve({ values }: Invocation): Promise<number> {
  if (values.mcp !== true)
    throw new UsageError(
      say(wordings.CLI_USAGE, {
        problem: wordings.CLI_SERVE_WHAT,
        command: "serve",
      }),
    );
  const log = (message: string) =>
    process.stderr.write(`codegraph: ${message}\n`);
  const path = typeof values.path === "string" ? [existing(values.path)] : [];
  const handler = new ToolHandler();
  await serveMcp(process.stdin, process.stdout, {
    version: VERSION,
    handler,
    places: [...path, process.cwd()],
    log,
    ...(values["auto-init"] === true && {
      index: async (folder, onProgress, signal) => {
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
      },
    }),
  });
  handler.close();
  return 0;
}

/** Throws: UserError where the folder is not there. */
function existing(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new UserError(say(wordings.ROOT_MISSING, { root: path }));
  }
}
