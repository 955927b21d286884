/** `codegraph init` and `codegraph index`. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { cacheFolder } from "../index/cache.ts";
import { EarlyThread } from "../index/pool.ts";
import { projectRoot, scan } from "../index/scan.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { buildIndex } from "../store/build.ts";
import { exclusively } from "../store/exclusive.ts";
import { nearestProject } from "../store/place.ts";
import { printLines, warn, type Invocation } from "./main.ts";
import { showProgress } from "./progress.ts";
import { indexReport } from "./report.ts";

export async function init(invocation: Invocation): Promise<number> {
  return build(resolve(invocation.positionals[0] ?? "."), invocation, true);
}

export async function index(invocation: Invocation): Promise<number> {
  const named = invocation.positionals[0];
  const path = named ?? nearestProject(process.cwd(), homedir()) ?? ".";
  return build(resolve(path), invocation, false);
}

/** @spec cli-progress cli-json cli-index-report */
async function build(
  path: string,
  { values }: Invocation,
  first: boolean,
): Promise<number> {
  const force = values.force === true;
  const quiet = values.quiet === true;
  const started = performance.now();
  // Before anything is written: a refused folder stays as it is.
  const root = projectRoot(path, { force });
  // It starts while the lock is taken and the files are looked for.
  const early = new EarlyThread(root);
  const building = exclusively(
    root,
    (pid) => quiet || warn(say(wordings.CLI_WAITING, { pid })),
    async () => {
      const progress =
        quiet || values.json === true ? undefined : await showProgress(root);
      try {
        return await buildIndex(
          await scan(root, { force }),
          (p) => progress?.update(p),
          { early, cache: cacheFolder() },
        );
      } finally {
        progress?.stop();
      }
    },
  );
  const result = await building.finally(() => early.drop());
  const seconds = (performance.now() - started) / 1000;
  if (values.json === true)
    printLines([
      JSON.stringify({
        ...result,
        languages: Object.fromEntries(result.languages),
        seconds,
      }),
    ]);
  else if (!quiet) printLines(indexReport(result, seconds, first));
  if (result.files === 0 && !quiet)
    warn(
      say(wordings.CLI_NOTHING, {
        reason: result.nothing || wordings.CLI_ALL_LEFT_OUT,
      }),
    );
  return 0;
}
