/** What `npm pack` makes, installed and run as a user would: real processes, offline. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleTest } from "./from-spec.ts";
import { languages } from "../src/languages/index.ts";
import {
  builtinsWith,
  bundle,
  digestOf,
  loadedWith,
  runWith,
  type Bundle,
} from "../tools/build/bundle.ts";

const windows = process.platform === "win32";
/** The Node that runs the tests is the one that npm and the binary find. */
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
};
const { name, version } = JSON.parse(readFileSync("package.json", "utf8")) as {
  name: string;
  version: string;
};

let scratch = "";
let binary = "";
let packed: readonly string[] = [];
/** The tarball of this tree, installed as a global tool under a prefix of its own. */
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "package-"));
  const prefix = join(scratch, "prefix");
  const [tarball] = JSON.parse(
    // `prepack` has run: it is what built for all tests (global-setup.ts).
    npm("pack", "--ignore-scripts", "--json", "--pack-destination", scratch),
  ) as [{ filename: string; files: { path: string }[] }];
  packed = tarball.files.map(({ path }) => path);
  npm(
    "install",
    "--global",
    "--prefix",
    prefix,
    "--offline",
    "--no-audit",
    "--no-fund",
    join(scratch, tarball.filename),
  );
  binary = windows
    ? join(prefix, "codegraph.cmd")
    : join(prefix, "bin", "codegraph");
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function npm(...args: readonly string[]): string {
  return execFileSync("npm", args, {
    env,
    encoding: "utf8",
    shell: windows,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function codegraph(cwd: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(binary, args, {
    cwd,
    env,
    encoding: "utf8",
    shell: windows,
  });
  return { status, stdout, stderr };
}

test("the package holds what runs, its licences, and nothing else", () => {
  const grammars = languages.flatMap(({ grammar }) => grammar ?? []);
  expect(packed).toEqual(
    expect.arrayContaining([
      "LICENSE",
      "README.md",
      "dist/THIRD-PARTY-LICENSES.txt",
      "dist/codegraph.js",
      "dist/dedup.js",
      "dist/types/dedup/index.d.ts",
      "dist/grammars/web-tree-sitter.wasm",
      ...grammars.map((grammar) => `dist/grammars/${grammar}`),
    ]),
  );
  const stray = packed.filter(
    (path) =>
      !/^(LICENSE|README\.md|package\.json|dist\/THIRD-PARTY-LICENSES\.txt|dist\/[\w-]+\.js)$/.test(
        path,
      ) &&
      !/^dist\/grammars\/(web-)?tree-sitter(-\w+)*\.wasm$/.test(path) &&
      !/^dist\/types\/[\w./-]+\.d\.ts$/.test(path),
  );
  expect(stray).toEqual([]);
  expect(
    packed.filter((path) => path.startsWith("dist/grammars/")),
  ).toHaveLength(new Set(grammars).size + 1);
});

test("the installed binary indexes a project and answers about it", () => {
  const project = join(scratch, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(
    join(project, "src", "queue.ts"),
    '/** Jobs wait here until a worker takes them. */\nexport class JobQueue {\n  take(): string {\n    return "job";\n  }\n}\n',
  );
  writeFileSync(
    join(project, "src", "worker.py"),
    "def run_worker(queue):\n    return queue.take()\n",
  );
  expect(codegraph(project, "--version")).toEqual({
    status: 0,
    stdout: `${version}\n`,
    stderr: "",
  });
  expect(codegraph(project, "init", "--quiet")).toEqual({
    status: 0,
    stdout: "",
    stderr: "",
  });
  const answer = codegraph(
    project,
    "explore",
    "where do jobs wait for a worker?",
  );
  expect(answer).toMatchObject({ status: 0, stderr: "" });
  expect(answer.stdout).toContain("**`src/queue.ts`** — JobQueue");
  expect(answer.stdout).toContain("\n2\texport class JobQueue {\n");
  expect(answer.stdout).toContain("\n2\t    return queue.take()\n");
  expect(codegraph(project, "status", "--json").stdout).toContain(
    '"typescript":1',
  );
});

describe("an older Node is told what is needed", () => {
  const script = "dist/codegraph.js";
  const asNode = (node: string) => {
    const versions = `Object.defineProperty(process,"versions",{value:{...process.versions,node:"${node}"}})`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        "--import",
        `data:text/javascript,${encodeURIComponent(versions)}`,
        join(
          scratch,
          "prefix",
          ...(windows ? [] : ["lib"]),
          "node_modules",
          name,
          script,
        ),
        "--version",
      ],
      { encoding: "utf8" },
    );
    return { status, stdout, stderr };
  };
  test.each(["14.0.0", "20.20.2", "22.15.9"])("%s", (node) => {
    expect(asNode(node)).toEqual({
      status: 1,
      stdout: "",
      stderr: `codegraph needs Node.js 22.16 or newer, but not 23; this is ${node}.\n`,
    });
  });
  test.each(["22.16.0", "24.0.0", "100.0.0"])("%s is new enough", (node) => {
    expect(asNode(node)).toEqual({
      status: 0,
      stdout: `${version}\n`,
      stderr: "",
    });
  });
  test("the script that says so loads nothing at once, and no newer syntax", () => {
    const text = readFileSync(script, "utf8");
    expect(text).toContain('import("./main.js")');
    expect(text).not.toMatch(/^\s*import\s*[\w{*"']|\?\?|\?\.|\bawait\b/m);
  });
});

test("CONTRIBUTING says of every dependency why it is here", () => {
  const { devDependencies, ...rest } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as { devDependencies: Record<string, string> };
  const table = readFileSync("CONTRIBUTING.md", "utf8").split("\n## ").at(-1)!;
  const named = [...table.matchAll(/^\| `([^`]+)` +\|/gm)].map((m) => m[1]);
  expect(named.sort()).toEqual(Object.keys(devDependencies).sort());
  expect(rest).not.toHaveProperty("dependencies");
  expect(
    Object.values(devDependencies).filter((v) => !/^\d+\.\d+\.\d+$/.test(v)),
  ).toEqual([]);
});

describe("a command loads only what it needs", () => {
  let built: Bundle;
  beforeAll(async () => {
    built = await bundle();
  });
  const loaded = (entry: string) => loadedWith(entry, built.metafile);
  const heavy = (file: string) =>
    /node_modules\/(web-tree-sitter|cli-progress|jsonc-parser|toml-eslint-parser|diff)\/|src\/index\/(parse|indexer|pool)\.ts/.test(
      file,
    );

  test("a question loads no parser, no progress bar and no editor of files", () => {
    const files = [
      ...loaded("src/cli/main.ts"),
      ...loaded("src/cli/explore-command.ts"),
    ];
    expect(files).toContain("src/serve/explore.ts");
    expect(files.filter(heavy)).toEqual([]);
  });
  test("the version and the help load no question", () => {
    expect(loaded("src/cli/main.ts")).not.toContain("src/serve/explore.ts");
  });
  test("indexing loads the parser in the worker alone", () => {
    const parser = /node_modules\/web-tree-sitter\//;
    expect(loaded("src/index/worker.ts").some((f) => parser.test(f))).toBe(
      true,
    );
    expect(
      loaded("src/cli/index-command.ts").filter((f) => parser.test(f)),
    ).toEqual([]);
  });
  ruleTest("hooks-harm-nothing", "they load next to nothing", () => {
    // No module of Node among them.
    expect(runWith("src/cli/hooks.ts", built.metafile).sort()).toEqual([
      "src/cli/hooks.ts",
      "src/hosts/hook.ts",
      "src/serve/tool.ts",
      "src/session/host.ts",
      "src/spec.gen.ts",
    ]);
    // What the end of a context runs beside them.
    const later = runWith("src/serve/daemon/ask.ts", built.metafile);
    expect(later).toContain("builtin:node:net");
    expect(later.filter(heavy)).toEqual([]);
    // A host would wait for each file that it is made of.
    const scripts = Object.entries(built.metafile.outputs).filter(
      ([, { inputs }]) => "src/cli/hooks.ts" in inputs,
    );
    expect(
      scripts.map(([path, { imports }]) => [path, imports.length]),
    ).toEqual([["dist/hooks.js", 0]]);
  });
  ruleTest("daemon-address", "a change of any script changes the first", () => {
    const { scripts } = built;
    const text = (name: string) => Buffer.from(scripts.get(name)!).toString();
    const chunks = [...scripts.keys()].filter((n) => n.startsWith("chunk-"));
    const whole = [...scripts.keys()].filter(
      (name) =>
        !chunks.includes(name) &&
        !["codegraph.js", "main.js", "daemon.js"].includes(name),
    );
    expect(whole).toContain("explore-worker.js");
    const contents = whole.map((name) => ({ contents: scripts.get(name)! }));
    expect(text("main.js")).toContain(digestOf(contents));
    // Each chunk is named by one that is named, down from the first.
    const named = new Set(["main.js"]);
    for (const name of named)
      for (const [chunk] of text(name).matchAll(/chunk-\w+\.js/g))
        named.add(chunk);
    expect(chunks.filter((chunk) => !named.has(chunk))).toEqual([]);
  });
  ruleTest("daemon-proxy-is-light", "its scripts say what they load", () => {
    const entries = ["src/cli/main.ts", "src/cli/serve-command.ts"];
    const files = entries.flatMap(loaded);
    expect(files).toContain("src/serve/daemon/proxy.ts");
    expect(
      files.filter((file) =>
        /node_modules\/|src\/(index\/(?!user-folder|read\.)|store\/(?!place)|rank|render|dedup|session)|src\/serve\/(handler|explore|mcp|here)\.ts/.test(
          file,
        ),
      ),
    ).toEqual([]);
    expect(
      entries.flatMap((entry) => builtinsWith(entry, built.metafile)),
    ).not.toContain("node:sqlite");
    expect(
      builtinsWith("src/cli/explore-command.ts", built.metafile),
    ).toContain("node:sqlite");
  });
});
