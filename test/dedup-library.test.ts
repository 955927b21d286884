/** The library entry: another server gets a memory, and typed declarations. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import { afterAll, expect } from "vitest";
import * as library from "../src/dedup/index.ts";
import { ruleTest } from "./from-spec.ts";

const folder = mkdtempSync(join(tmpdir(), "codegraph-library-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = (lines: number): string =>
  Array.from({ length: lines }, (_, i) => `const line${i + 1} = ${i};\n`).join(
    "",
  );

async function withServer(
  use: (show: (path: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["examples/remember/server.ts", folder],
    }),
  );
  try {
    await use(async (path) => {
      const result = await client.callTool({
        name: "show_file",
        arguments: { path },
      });
      const [content] = result.content;
      expect(result.isError).toBeFalsy();
      expect(content!.type).toBe("text");
      return (content as { text: string }).text;
    });
  } finally {
    await client.close();
  }
}

ruleTest(
  "dedup-library",
  "another server points at what it has shown, until it is edited or asked again",
  async () => {
    const [a, b] = ["a.ts", "b.ts"].map((name) => join(folder, name));
    writeFileSync(a!, source(20));
    writeFileSync(b!, source(20));
    await withServer(async (show) => {
      const first = await show("a.ts");
      expect(first.split("\n")).toHaveLength(20);
      expect(first).toContain("20\tconst line20 = 19;");
      expect(await show("a.ts")).toBe(
        library.pointer({
          path: "a.ts",
          spans: [[1, 20]],
          symbols: [],
          newFollows: false,
        }),
      );
      expect(await show("a.ts")).toBe(first);
      await show("b.ts");
      writeFileSync(b!, source(20).replace("line3 =", "third ="));
      const edited = await show("b.ts");
      expect(edited).toContain("3\tconst third = 2;");
      expect(edited.split("\n")).toHaveLength(20);
      expect(await show("b.ts")).toMatch(/^\*\*Already sent .* L1-20\. /);
    });
    // The memory ends with its connection: the next one holds nothing.
    await withServer(async (show) => {
      expect(await show("a.ts")).toContain("20\tconst line20 = 19;");
    });
  },
  30_000,
);

ruleTest("dedup-library", "what it exports is documented", () => {
  const text = readFileSync("src/dedup/index.ts", "utf8");
  const from = [...text.matchAll(/export (?:type )?\{([^}]*)\} from "(.*?)"/g)];
  const undocumented = from.flatMap(([, names, path]) => {
    const module = readFileSync(join("src/dedup", path!), "utf8");
    return names!
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== "")
      .filter(
        (name) =>
          !new RegExp(
            `\\*/\\nexport (const|function|class|interface|type) ${name}\\b`,
          ).test(module),
      )
      .map((name) => `${path}: ${name}`);
  });
  expect(from.length).toBeGreaterThan(5);
  expect(undocumented).toEqual([]);
});

ruleTest(
  "dedup-library",
  "it brings nothing but itself and hashes",
  async () => {
    const { metafile } = await build({
      entryPoints: ["src/dedup/index.ts"],
      bundle: true,
      platform: "node",
      format: "esm",
      metafile: true,
      write: false,
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(10);
    for (const path of inputs)
      expect(path).toMatch(
        /^src\/(model|session|dedup)\/|^src\/spec\.gen\.ts$/,
      );
    const outside = Object.values(metafile.outputs).flatMap((o) => o.imports);
    expect(new Set(outside.map((i) => i.path))).toEqual(
      new Set(["node:crypto"]),
    );
  },
);
