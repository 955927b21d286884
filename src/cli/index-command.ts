/** `codegraph init` and `codegraph index`. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot, scan } from "../index/scan.ts";
import { languageById } from "../languages/index.ts";
import { say } from "../model/wording.ts";
import { limits, wordings } from "../spec.gen.ts";
import { buildIndex, type BuildResult } from "../store/build.ts";
import { lock, nearestProject, UserError, type Lock } from "../store/folder.ts";
import type { Invocation } from "./main.ts";
import { showProgress } from "./progress.ts";

export async function init(invocation: Invocation): Promise<number> {
  return build(resolve(invocation.positionals[0] ?? "."), invocation, true);
}

export async function index(invocation: Invocation): Promise<number> {
  const named = invocation.positionals[0];
  const path = named ?? nearestProject(process.cwd(), homedir()) ?? ".";
  return build(resolve(path), invocation, false);
}

async function build(
  path: string,
  { values }: Invocation,
  first: boolean,
): Promise<number> {
  const force = values.force === true;
  const started = performance.now();
  // Before anything is written: a refused folder stays as it is.
  const root = projectRoot(path, { force });
  const held = await locked(root);
  const quiet = values.quiet === true || values.json === true;
  const progress = quiet ? undefined : await showProgress(root);
  let result: BuildResult;
  try {
    result = await buildIndex(await scan(root, { force }), (p) =>
      progress?.update(p),
    );
  } finally {
    progress?.stop();
    held.release();
  }
  const seconds = (performance.now() - started) / 1000;
  if (values.json === true)
    process.stdout.write(
      `${JSON.stringify({ ...result, languages: Object.fromEntries(result.languages), seconds })}\n`,
    );
  else if (!quiet) process.stdout.write(report(result, seconds, first));
  if (result.files === 0 && values.quiet !== true)
    process.stderr.write(
      `codegraph: ${say(wordings.CLI_NOTHING, { reason: result.nothing || wordings.CLI_ALL_LEFT_OUT })}\n`,
    );
  return 0;
}

/** @spec folder-one-writer */
async function locked(root: string): Promise<Lock> {
  for (let waited = 0; ; waited++) {
    const taken = lock(root);
    if ("release" in taken) return taken;
    if (waited === 0)
      process.stderr.write(
        `codegraph: ${say(wordings.CLI_WAITING, { pid: taken.heldBy })}\n`,
      );
    if (waited >= limits.LOCK_WAIT_SECONDS * 4)
      throw new UserError(
        say(wordings.CLI_STILL_LOCKED, {
          pid: taken.heldBy,
          seconds: limits.LOCK_WAIT_SECONDS,
        }),
      );
    await sleep(250);
  }
}

function report(result: BuildResult, seconds: number, first: boolean): string {
  if (result.files === 0) return "";
  const number = (n: number) => n.toLocaleString("en-US");
  const languages = [...result.languages]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(
      ([id, count]) =>
        `${id === "" ? "text" : (languageById(id)?.label ?? id)} ${number(count)}`,
    );
  const lines = [
    `Indexed ${number(result.files)} files in ${seconds.toFixed(1)} s: ${number(result.symbols)} symbols, ${number(result.references)} references.`,
    `  ${languages.join(", ")}`,
  ];
  if (result.problems > 0)
    lines.push(
      `  ${number(result.problems)} not in full: \`codegraph status --problems\` lists them.`,
    );
  if (result.leftOut > 0)
    lines.push(
      `  ${number(result.leftOut)} left out: \`codegraph status --left-out\` lists them.`,
    );
  if (first) lines.push("", 'Now ask: codegraph explore "how does ... work?"');
  return `${lines.join("\n")}\n`;
}
