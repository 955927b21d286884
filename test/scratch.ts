/** Folders that are gone after the last test, and small indexed projects in them. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { inject } from "vitest";
import { TextWriter } from "../src/index/text.ts";
import { passages } from "../src/index/passages.ts";
import { fingerprint } from "../src/model/fingerprint.ts";
import { splitLines } from "../src/model/lines.ts";
import { newGeneration } from "../src/store/folder.ts";
import { SqliteWriter } from "../src/store/sqlite.ts";
import type { SymbolDefinition } from "../src/model/extraction.ts";

/** An empty folder, with links resolved. */
export const scratch = (): string => mkdtempSync(join(inject("scratch"), "t"));

/**
 * Writes files and indexes the folder, in this process and without a parser: a line
 * that begins with `def NAME` is taken for a definition that lasts to the next one.
 * Gives the folder.
 */
export function indexed(
  root: string,
  files: Readonly<Record<string, string>>,
): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { path: db, done } = newGeneration(root);
  const writer = new SqliteWriter(db, done);
  const words = new TextWriter();
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.includes(".codegraph"),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
  paths.forEach((path, i) => {
    const full = join(root, path);
    const bytes = readFileSync(full);
    const text = bytes.toString("utf8");
    const lines = splitLines(text);
    const symbols = definitions(lines);
    words.add({
      id: i + 1,
      path,
      lines,
      symbols,
      passages: passages(lines.length, symbols),
    });
    writer.addFiles([
      {
        id: i + 1,
        path,
        language: "python",
        role: "product",
        generated: false,
        minified: false,
        keysOnly: false,
        size: bytes.length,
        mtimeMs: statSync(full).mtimeMs,
        fingerprint: fingerprint(bytes),
        lines: lines.length,
        problem: "",
        problemLine: 0,
        symbols,
        references: new Uint8Array(0),
        referenceCount: 0,
      },
    ]);
  });
  writer.addSegment(words.finish());
  writer.commit({ extractorVersion: 1, commit: "", source: "walk" });
  return root;
}

function definitions(lines: readonly string[]): SymbolDefinition[] {
  const starts = lines.flatMap((line, i) => {
    const name = /^def (\w+)/.exec(line)?.[1];
    return name === undefined ? [] : [{ name, line: i + 1 }];
  });
  return starts.map(({ name, line }, i) => ({
    name,
    kind: "function",
    span: [line, (starts[i + 1]?.line ?? lines.length + 1) - 1],
    signatureSpan: [line, line],
    container: -1,
    owner: "",
    signature: lines[line - 1]!,
    doc: "",
    docSpan: undefined,
    exported: true,
  }));
}

/** A Python function of `lines` lines besides its first and last; each says its name. */
export const pythonFunction = (name: string, lines: number): string =>
  [
    `def ${name}(x):`,
    ...Array.from(
      { length: lines },
      (_, i) => `    x = x + ${i}  # ${name} ${i}`,
    ),
    "    return x",
    "",
  ].join("\n");
