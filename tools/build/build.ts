/**
 * Builds `dist/`: scripts, the grammars that are used, and the licences of both.
 * Nothing is left to install. `--quiet` prints errors only.
 *
 * A file whose bytes would not change is not touched, and the others are replaced
 * whole, so that a build disturbs nobody who runs what the last one made.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { bundle, packagesOf } from "./bundle.ts";
import { copyGrammars } from "./grammars.ts";
import { tsc } from "../run.ts";
import { licences } from "./licences.ts";

const { scripts, packages } = await bundle();
const stage = mkdtempSync(join(tmpdir(), "codegraph-build-"));
try {
  for (const [name, bytes] of scripts) writeFileSync(join(stage, name), bytes);
  chmodSync(join(stage, "codegraph.js"), 0o755);
  // Types of the library entry; the scripts need none.
  const types = await tsc(
    "-p",
    "tsconfig.library.json",
    "--outDir",
    join(stage, "types"),
  );
  if (types.code !== 0) throw new Error(types.output);
  const grammars = await copyGrammars(join(stage, "grammars"));
  writeFileSync(
    join(stage, "THIRD-PARTY-LICENSES.txt"),
    licences([...packages, ...packagesOf(grammars)]),
  );
  mirror(stage, "dist");
  if (!process.argv.includes("--quiet"))
    console.log(
      `dist: ${scripts.size} scripts, ${grammars.length} grammars, ${(size("dist") / 1e6).toFixed(1)} MB`,
    );
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** Makes the files of `to` those of `from`. */
function mirror(from: string, to: string): void {
  const files = filesIn(from);
  for (const file of files) {
    const bytes = readFileSync(join(from, file));
    const target = join(to, file);
    if (same(target, bytes)) continue;
    mkdirSync(dirname(target), { recursive: true });
    const beside = `${target}.${process.pid}`;
    const { mode } = statSync(join(from, file));
    writeFileSync(beside, bytes, { mode });
    renameSync(beside, target);
  }
  for (const file of filesIn(to))
    if (!files.includes(file)) rmSync(join(to, file), { force: true });
}

function same(path: string, bytes: Uint8Array): boolean {
  try {
    return readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}

/** Paths from `folder`; none where it is missing. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function size(folder: string): number {
  return filesIn(folder).reduce(
    (sum, file) => sum + statSync(join(folder, file)).size,
    0,
  );
}
