/** Real folders for tests, gone when the test file is done. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Call it at the top of a test file: what it gives makes folders for that file. */
export function folders(): (files?: Files) => string {
  const made: string[] = [];
  afterAll(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });
  return (files = {}) => {
    const outer = realpathSync(mkdtempSync(join(tmpdir(), "codegraph-test-")));
    made.push(outer);
    const root = join(outer, "p");
    mkdirSync(root);
    put(root, files);
    return root;
  };
}

export function put(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A Python file with one function of so many lines. */
export const python = (name: string, lines: number): string =>
  [
    `def ${name}(x):`,
    ...Array.from({ length: lines }, (_, i) => `    x = x + ${i}`),
    "    return x",
    "",
  ].join("\n");

export const git = (folder: string, ...args: string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );

/** The names in a project's data folder, sorted, without what readers keep beside a database. */
export const dataNames = (root: string): string[] =>
  readdirSync(join(root, ".codegraph"))
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort();
