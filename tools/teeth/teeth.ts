/**
 * `pnpm teeth`: does the gate bite? Ten faults are injected one at a time into a
 * scratch copy of the working tree, and the checks concerned have to turn red for
 * the right reason. Without a fault they have to be green.
 *
 * Exits with 1 unless all ten are caught. `pnpm teeth WORD…` runs the faults whose
 * name holds one of the words.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { bin, run, type Outcome } from "../run.ts";
import { citations, readSources } from "../spec/cite.ts";
import { faults, type Fault, type Variant } from "./faults.ts";
import { inject } from "./inject.ts";

/** What holds spec, code and checks together, whichever rule a fault concerns. */
const ALWAYS = ["test/invariants/architecture.test.ts"];
const { checks } = citations(readSources());
const filesFor = ({ rule, files = [] }: Variant): string[] => [
  ...new Set([
    ...ALWAYS,
    ...files,
    ...checks.filter((c) => c.rule === rule).map((c) => c.path),
  ]),
];

const words = process.argv.slice(2);
const chosen = faults.filter(
  ({ name }) => words.length === 0 || words.some((w) => name.includes(w)),
);
const copy = mkdtempSync(join(tmpdir(), "teeth-"));
try {
  copyTree(copy);
  const files = chosen.flatMap((f) => f.variants.flatMap(filesFor));
  const clean = await tests([...new Set(files)]);
  if (clean.code !== 0) {
    console.log(clean.output);
    throw new Error("red without a fault; make the gate green first");
  }
  console.log(`green without a fault (${clean.seconds.toFixed(1)} s)`);
  let caught = 0;
  for (const fault of chosen) if (await bites(fault)) caught += 1;
  console.log(`${caught} of ${chosen.length}`);
  process.exitCode = caught === chosen.length && caught > 0 ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Tracked and new files, with the packages linked; a repository, so that git lists them. */
function copyTree(to: string): void {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", list, { encoding: "utf8" }).split("\0");
  for (const path of paths) {
    if (path === "" || path === "node_modules" || !existsSync(path)) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(path, join(to, path), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(resolve("node_modules"), join(to, "node_modules"));
  if (existsSync("dist") && statSync("dist").isDirectory())
    cpSync("dist", join(to, "dist"), { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: to });
}

/** Not as CI: a fault may accept a golden, which CI never does. */
function tests(files: readonly string[]): Promise<Outcome> {
  return run(bin("vitest"), ["run", ...files], {
    cwd: copy,
    env: { CI: undefined, NO_COLOR: "1", FORCE_COLOR: undefined },
  });
}

/** Whether every variant of a fault turns the checks red for its own reason. */
async function bites({ name, variants }: Fault): Promise<boolean> {
  const missed: string[] = [];
  for (const [i, variant] of variants.entries()) {
    const putBack = inject(copy, variant.edits);
    const why = await escapes(variant);
    putBack();
    if (why) missed.push(`variant ${i + 1} of ${variants.length}: ${why}`);
  }
  console.log(`${missed.length === 0 ? "caught" : "MISSED"}  ${name}`);
  for (const why of missed) console.log(why.replace(/^/gm, "        "));
  return missed.length === 0;
}

async function escapes(variant: Variant): Promise<string | undefined> {
  const files = filesFor(variant);
  const first = await tests(files);
  const wrong = unlike(first, variant.red);
  if (wrong || !variant.acceptGoldens) return wrong;
  const names = globSync("**/*.md", { cwd: join(copy, "goldens/.actual") }).map(
    (path) => path.replaceAll("\\", "/").replace(/\.md$/, ""),
  );
  if (names.length === 0) return "no golden differs";
  cpSync(join(copy, "goldens"), join(copy, ".goldens"), { recursive: true });
  const accepted = await run("tools/golden/accept.ts", names, {
    cwd: copy,
    env: { CI: undefined },
  });
  const second = await tests(files);
  rmSync(join(copy, "goldens"), { recursive: true });
  cpSync(join(copy, ".goldens"), join(copy, "goldens"), { recursive: true });
  rmSync(join(copy, ".goldens"), { recursive: true });
  rmSync(join(copy, "goldens/.actual"), { recursive: true, force: true });
  if (accepted.code !== 0) return accepted.output;
  return unlike(second, variant.acceptGoldens);
}

function unlike({ code, output }: Outcome, red: RegExp): string | undefined {
  if (code === 0) return "the checks stay green";
  if (red.test(output)) return undefined;
  return `red, but nothing says ${red}:\n${output.slice(-2000)}`;
}
