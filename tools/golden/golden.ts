/**
 * Goldens: the exact bytes of a response, nothing added, `goldens/NAME.md`.
 *
 * They are compared as bytes, because a matcher that forgives line endings does not
 * pin them. What differs is left in `goldens/.actual/NAME.md`, to be read and then
 * accepted by name. A CI run writes nothing and accepts nothing.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { createTwoFilesPatch } from "diff";

export interface GoldenHome {
  /** The folder of the goldens. */
  readonly dir: string;
  /** In CI nothing is written. */
  readonly ci: boolean;
}

/** The project's goldens, seen from its root. */
export const home = (): GoldenHome => ({
  dir: "goldens",
  ci: !["", "0", "false"].includes(process.env.CI ?? ""),
});

const NAME = /^[a-z0-9]+([-.][a-z0-9]+)*(\/[a-z0-9]+([-.][a-z0-9]+)*)*$/;

/** Throws: RangeError on a name that could lead out of the folder. */
function paths(name: string, dir: string): { golden: string; actual: string } {
  if (!NAME.test(name))
    throw new RangeError(`"${name}" is no golden's name; write folder/case`);
  return {
    golden: `${dir}/${name}.md`,
    actual: `${dir}/.actual/${name}.md`,
  };
}

/**
 * Compares bytes with a golden: undefined where they are the same, else the patch
 * and the command that accepts it. Leaves the new bytes beside the goldens.
 */
export function differs(
  name: string,
  actual: string | Uint8Array,
  { dir, ci }: GoldenHome = home(),
): string | undefined {
  const path = paths(name, dir);
  const found = Buffer.from(actual as string);
  const exists = existsSync(path.golden);
  const golden = exists ? readFileSync(path.golden) : Buffer.alloc(0);
  if (exists && golden.equals(found)) {
    // Bytes of an earlier run would otherwise wait there to be accepted.
    if (!ci) rmSync(path.actual, { force: true });
    return undefined;
  }
  if (!ci) {
    mkdirSync(dirname(path.actual), { recursive: true });
    writeFileSync(path.actual, found);
  }
  return (
    createTwoFilesPatch(path.golden, path.actual, seen(golden), seen(found)) +
    `\nRead the patch. If the spec says so: pnpm golden ${name}\n`
  );
}

/** Text in which a carriage return or a byte that is no UTF-8 shows. */
const seen = (bytes: Buffer): string =>
  bytes.toString("utf8").replaceAll("\r", "␍");

/**
 * Makes the bytes left by the last run the goldens of these names: all of them, or
 * none when one cannot be.
 * Throws: Error with the reason, in CI, without names, and without new bytes.
 */
export function accept(
  names: readonly string[],
  { dir, ci }: GoldenHome = home(),
): void {
  if (ci) throw new Error("CI accepts no golden; do it where you can read it");
  if (names.length === 0)
    throw new Error("name the goldens you have read: pnpm golden folder/case");
  const moves = names.map((name) => paths(name, dir));
  for (const [i, { actual }] of moves.entries())
    if (!existsSync(actual))
      throw new Error(
        `${names[i]} has no new bytes; run the tests, read the patch, then accept`,
      );
  for (const { golden, actual } of moves) {
    mkdirSync(dirname(golden), { recursive: true });
    renameSync(actual, golden);
  }
}

/** The names of all golden files, sorted. */
export function goldenNames({ dir }: GoldenHome = home()): string[] {
  return globSync("**", { cwd: dir, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      `${entry.parentPath}/${entry.name}`
        .replaceAll("\\", "/")
        .slice(dir.length + 1),
    )
    .filter((path) => !path.startsWith(".actual/"))
    .map((path) => path.replace(/\.md$/, ""))
    .sort();
}
