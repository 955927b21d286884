/**
 * Bundles the product: one script an entry, code that they share in chunks beside
 * them. What a question does not need stands in chunks that it does not load.
 *
 * Nothing is written. The same sources give the same bytes and names.
 * Throws: the errors of esbuild; Error where a tool gets in.
 */
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** Tools of the repository: an import of one from the product is a slip, and a large one. */
const TOOLS: readonly string[] = [
  "@ts-morph/common",
  "esbuild",
  "fast-check",
  "prettier",
  "remark",
  "ts-morph",
  "typescript",
  "vitest",
];

export interface Bundle {
  /** Script by name. */
  readonly scripts: ReadonlyMap<string, Uint8Array>;
  readonly metafile: Metafile;
  /** Folders of the packages that are in it, relative to the root. */
  readonly packages: readonly string[];
}

/**
 * The protocol's package brings a validator of JSON schemas for what a server asks of
 * people. This one asks nothing, and each start would compile it: a third of its code.
 */
const withoutValidator: Plugin = {
  name: "without-validator",
  setup: (b) => {
    b.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: "shims",
      namespace: "without-validator",
    }));
    b.onLoad({ filter: /./, namespace: "without-validator" }, () => ({
      contents: `
        export { default as process } from "node:process";
        export class DefaultJsonSchemaValidator {
          getValidator() {
            throw new Error("this build has no validator of JSON schemas");
          }
        }`,
    }));
  },
};

/**
 * An import statement of a module of Node asks for all that it exports, and so loads
 * what stands behind each: streams and promises of files for one `existsSync`. Each
 * process and each thread would do that at its start. This takes what is used, and of
 * some modules at the first call.
 */
const usedOfNode: Plugin = {
  name: "used-of-node",
  setup: (b) => {
    b.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement"
        ? { path, namespace: BUILTIN, sideEffects: false }
        : undefined,
    );
    b.onLoad({ filter: /./, namespace: BUILTIN }, ({ path }) => {
      const module = process.getBuiltinModule(path) as Record<string, unknown>;
      const names = Object.keys(module).filter((name) => name !== "default");
      const given = `process.getBuiltinModule("${path}")`;
      // What is no function, or a class, is not there: the build says so.
      const called = names.filter(
        (name) => typeof module[name] === "function" && /^[a-z]/.test(name),
      );
      return {
        contents: WHEN_CALLED.includes(path)
          ? called
              .map((n) => `export const ${n} = (...a) => ${given}.${n}(...a);`)
              .join("\n")
          : [
              `const all = /* @__PURE__ */ ${given};`,
              "export default all;",
              ...names.map(
                (name) =>
                  `export const ${name} = /* @__PURE__ */ (() => all.${name})();`,
              ),
            ].join("\n"),
      };
    });
  },
};
const BUILTIN = "builtin";
/** Loaded at the first call, which many a process never makes: ciphers take 10 ms. */
const WHEN_CALLED: readonly string[] = ["node:crypto", "node:zlib"];

/** A bundled CommonJS module asks for what Node has by `require`. */
const REQUIRE = "const require=(name)=>process.getBuiltinModule(name);";

/** SHA-256 over what is in the files, in their order. */
export function digestOf(
  files: readonly { readonly contents: Uint8Array }[],
): string {
  const hash = createHash("sha256");
  for (const { contents } of files) hash.update(contents);
  return hash.digest("hex");
}

export async function bundle(): Promise<Bundle> {
  const shared = {
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: "dist",
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "warning",
  } as const satisfies BuildOptions;
  // An old Node reads this script alone, so that it can say what it needs.
  const binary = await build({
    ...shared,
    target: "node12.20",
    entryPoints: { codegraph: "src/cli/codegraph.ts" },
    plugins: [
      {
        name: "main-beside",
        setup: (b) => {
          b.onResolve({ filter: /^\.\/(main|hooks)\.ts$/ }, ({ path }) => ({
            path: path.replace(/ts$/, "js"),
            external: true,
          }));
        },
      },
    ],
  });
  const product = {
    ...shared,
    target: "node22.16",
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [withoutValidator, usedOfNode],
    banner: { js: REQUIRE },
    // What its package has for bundlers; its other form asks for files at run time.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    define: { CODEGRAPH_VERSION: JSON.stringify(version()) },
  } satisfies BuildOptions;
  // Each file that a process or thread is made of costs it a millisecond. So what has
  // one task is one file; what the commands share is split, so that each loads its part.
  const whole = await build({
    ...product,
    entryPoints: {
      hooks: "src/cli/hooks.ts",
      "index-worker": "src/index/worker.ts",
      "explore-worker": "src/serve/explore-worker.ts",
      "sync-worker": "src/serve/sync-worker.ts",
      dedup: "src/dedup/index.ts",
    },
  });
  const split = await build({
    ...product,
    // It names its chunks by what is in them, and here what is in the others: a program
    // is known by its first file.
    banner: { js: `//${digestOf(whole.outputFiles)}\n${REQUIRE}` },
    splitting: true,
    chunkNames: "chunk-[hash]",
    entryPoints: { main: "src/cli/main.ts", daemon: "src/cli/daemon.ts" },
  });
  const metafile: Metafile = {
    inputs: { ...split.metafile.inputs, ...whole.metafile.inputs },
    outputs: { ...split.metafile.outputs, ...whole.metafile.outputs },
  };
  const packages = packagesOf(Object.keys(metafile.inputs));
  const slips = packages.map(nameOf).filter((name) => TOOLS.includes(name));
  if (slips.length > 0)
    throw new Error(
      `${slips.join(", ")} would be shipped; it is a tool, use \`import type\` or do without`,
    );
  return {
    scripts: new Map(
      [binary, whole, split].flatMap(({ outputFiles }) =>
        outputFiles.map(
          (file) => [basename(file.path), file.contents] as const,
        ),
      ),
    ),
    metafile,
    packages,
  };
}

/** The package folders that files lie in, without repeats. */
export function packagesOf(files: readonly string[]): string[] {
  return [
    ...new Set(
      files.flatMap(
        (file) =>
          /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
      ),
    ),
  ];
}

/**
 * The sources that run when `entry` is loaded: those in its script and in all
 * that this one imports at once, `import()` not followed.
 */
export const loadedWith = (entry: string, metafile: Metafile): string[] =>
  scriptsWith(entry, metafile).flatMap((path) =>
    Object.keys(metafile.outputs[path]!.inputs),
  );

/** The modules of Node that are loaded with it, as they are spelt. */
export const builtinsWith = (entry: string, metafile: Metafile): string[] =>
  loadedWith(entry, metafile).flatMap((path) =>
    path.startsWith(`${BUILTIN}:`) ? [path.slice(BUILTIN.length + 1)] : [],
  );

/**
 * The sources that run when `entry` is loaded, where its script holds others too that
 * wait for their `import()`: those that it imports by statement, and they in turn.
 */
export function runWith(entry: string, metafile: Metafile): string[] {
  const seen = new Set([entry]);
  for (const path of seen)
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? [])
      if (kind === "import-statement") seen.add(next);
  return [...seen];
}

function scriptsWith(entry: string, metafile: Metafile): string[] {
  const outputs = Object.entries(metafile.outputs);
  const first = outputs.find(([, o]) => o.entryPoint === entry)?.[0];
  if (first === undefined) throw new Error(`${entry} has no script of its own`);
  const seen = new Set([first]);
  for (const path of seen)
    for (const { path: next, kind, external } of metafile.outputs[path]!
      .imports)
      if (kind === "import-statement" && external !== true) seen.add(next);
  return [...seen];
}

const nameOf = (folder: string): string =>
  folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);

function version(): string {
  return (
    JSON.parse(readFileSync("package.json", "utf8")) as { version: string }
  ).version;
}
