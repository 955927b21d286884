/**
 * `pnpm verify`, the one gate: types, format, and one vitest run that builds and holds
 * every other check. Format has one thread, and longest to do; beside it are types, and
 * then vitest, which starts and builds on one core. So the tests have both cores nearly
 * alone, because some of them measure time.
 *
 * Exits with 1 when anything failed. The last line says how many tests passed, and
 * how many tests and steps failed; a test that did not run counts as failed.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { briefFolder } from "./memory.ts";
import { bin, run, tsc, type Outcome } from "./run.ts";

const started = performance.now();
let failedSteps = 0;

function report(step: string, { code, output, seconds }: Outcome): void {
  const mark = code === 0 ? "ok  " : "FAIL";
  console.log(`${mark}  ${step.padEnd(15)} ${seconds.toFixed(1)} s`);
  if (code === 0) return;
  failedSteps += 1;
  console.log(output.trimEnd().replace(/^/gm, "      "));
}

const format = run(
  bin("prettier"),
  ["--check", "--log-level=warn", "."],
  // What helps along on other threads takes more than it gives where cores are short.
  { node: ["--single-threaded", "--max-semi-space-size=64"] },
);
report("types", await tsc("--noEmit"));

/** What vitest's JSON report says of its run. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}
// What tests write lies in memory: a disk costs a tenth of their time.
const scratch = briefFolder("verify-");
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
const json = join(scratch, "tests.json");
const tests = await run(
  bin("vitest"),
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${json}`],
  { live: true, env: { TMPDIR: scratch } },
);
const { passed, failed } = count(
  existsSync(json)
    ? (JSON.parse(readFileSync(json, "utf8")) as Report)
    : undefined,
);
report("format", await format);
report("tests", tests);
// Vitest may fail beside its tests: an unhandled rejection, a worker that died.
const failures =
  failedSteps + failed - (tests.code !== 0 && failed > 0 ? 1 : 0);
console.log(
  `${((performance.now() - started) / 1000).toFixed(1)} s\n${passed} passed, ${failures} failed`,
);
process.exitCode = failures > 0 || passed === 0 ? 1 : 0;

/** Files that failed without running a test, and tests that were skipped, failed. */
function count(result: Report | undefined): { passed: number; failed: number } {
  if (!result) return { passed: 0, failed: 0 };
  const failed = result.testResults.map(({ status, assertionResults }) => {
    const bad = assertionResults.filter((t) => t.status !== "passed").length;
    return bad === 0 && status !== "passed" ? 1 : bad;
  });
  return {
    passed: result.numPassedTests,
    failed: failed.reduce((sum, n) => sum + n, 0),
  };
}
