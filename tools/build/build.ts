/**
 * Builds `dist/`: one bundle an entry, code they share beside them, the grammars,
 * and the licences of what is bundled. Nothing is left to install.
 */
import { build, type Metafile } from "esbuild";
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { copyGrammars } from "./grammars.ts";

const ENTRIES = {
  main: "src/cli/main.ts",
  "index-worker": "src/index/worker.ts",
};
const quiet = process.argv.includes("--quiet");

rmSync("dist", { recursive: true, force: true });
const shared = {
  bundle: true,
  platform: "node",
  format: "esm",
  outdir: "dist",
  metafile: true,
  legalComments: "none",
  logLevel: "warning",
} as const;
// The version check must run where the rest would not parse: it has a target of its own.
await build({
  ...shared,
  target: "node12.20",
  entryPoints: { codegraph: "src/cli/codegraph.ts" },
  external: ["./main.ts"],
  plugins: [
    {
      name: "main-beside",
      setup: (b) => {
        b.onResolve({ filter: /^\.\/main\.ts$/ }, () => ({
          path: "./main.js",
          external: true,
        }));
      },
    },
  ],
});
const { metafile } = await build({
  ...shared,
  target: "node22.16",
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: "chunk-[hash]",
  entryPoints: ENTRIES,
  define: { CODEGRAPH_VERSION: JSON.stringify(version()) },
});
chmodSync("dist/codegraph.js", 0o755);
const grammars = await copyGrammars("dist/grammars");
writeFileSync("dist/THIRD-PARTY-LICENSES.txt", licences(metafile));
if (!quiet)
  console.log(
    `dist: ${readdirSync("dist").filter((f) => f.endsWith(".js")).length} scripts, ${grammars.length} grammars`,
  );

function version(): string {
  return (
    JSON.parse(readFileSync("package.json", "utf8")) as { version: string }
  ).version;
}

/** The licence text of every package that is bundled or whose grammar is copied. */
function licences(meta: Metafile): string {
  const folders = new Set(
    [...Object.keys(meta.inputs), ...grammars].flatMap(
      (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    ),
  );
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Record<string, string>;
    const file = readdirSync(folder).find((f) =>
      /^(licen[cs]e|copying)/i.test(f),
    );
    const text =
      file && existsSync(join(folder, file))
        ? readFileSync(join(folder, file), "utf8")
        : `Licence: ${license}\n`;
    texts.set(`${name} ${version}`, text);
  }
  return [...texts.keys()]
    .sort()
    .map(
      (name) =>
        `${name}\n${"-".repeat(name.length)}\n\n${texts.get(name)!.trim()}\n`,
    )
    .join("\n\n");
}
