/**
 * The rules of spec/architecture.md, that a record is never written, and the rules of
 * the spec itself: it, the code and the checks hold together, and what is generated is
 * fresh. All look at the syntax of all sources, so they share a file and with it what
 * is parsed.
 */
import { existsSync, readFileSync } from "node:fs";
import { createTwoFilesPatch } from "diff";
import { Node, SyntaxKind, type SourceFile } from "ts-morph";
import { expect, inject, test } from "vitest";
import { limits, lists } from "../../src/spec.gen.ts";
import { checks } from "../../tools/spec/check.ts";
import {
  citations,
  parse,
  readSources,
  type Parse,
} from "../../tools/spec/cite.ts";
import { generated } from "../../tools/spec/generated.ts";
import { heldOfCallers } from "./held.ts";
import { reads } from "./identifiers.ts";
import {
  builtin,
  importsOf,
  pathInSrc,
  target,
  type Import,
} from "./imports.ts";
import {
  invariant,
  parsed,
  pathOf,
  textInvariant,
  type Breach,
} from "./invariant.ts";
import { retyped } from "./retyped.ts";
import { moduleState } from "./state.ts";
import { machineWords, textFiles } from "./texts.ts";
import { ofKind } from "./nodes.ts";

const folderOf = (path: string): string => path.split("/")[0]!;

invariant("a folder of src imports only from folders above it", {
  rule: "folders-import-downward",
  over: "src/**/*.ts",
  caught: {
    "/src/model/up.ts": `import { store } from "../store/store.ts";`,
    "/src/index/value.ts": `import { open } from "../store/store.ts";`,
    "/src/index/lazy.ts": `const later = () => import("../serve/daemon.ts");`,
    "/src/rank/started.ts": `new Worker(new URL("../serve/w.ts", import.meta.url));`,
    "/src/dedup/again.ts": `export { plan } from "../render/plan.ts";`,
    "/src/render/typed.ts": `type Tool = import("../serve/tool.ts").Tool;`,
    "/src/utils/more.ts": `export const one = 1;`,
    "/src/loose.ts": `export const one = 1;`,
    "/src/cli/out.ts": `import { x } from "../../tools/x.ts";`,
  },
  passes: {
    "/src/render/down.ts": `import { joined } from "../model/span.ts"; import { limits } from "../spec.gen.ts"; import { plan } from "./plan.ts";`,
    "/src/index/types.ts": `import type { Store } from "../store/store.ts";`,
    "/src/index/inline.ts": `import { type Store } from "../store/store.ts";`,
    "/src/cli/version.ts": `new URL("../../package.json", import.meta.url);`,
    "/src/index/parse/deep.ts": `import { go } from "../../languages/go.ts";`,
  },
  scan: (file) => {
    const own = folderOf(pathInSrc(file));
    const rank = lists.LAYOUT.indexOf(own);
    if (rank < 0)
      return [
        { node: file, say: `"${own}" is no folder of the layout; move it` },
      ];
    return importsOf(file)
      .filter(({ specifier }) => specifier.startsWith("."))
      .filter(({ specifier, typeOnly }) => {
        const to = target(file, specifier);
        if (to === "spec.gen.ts" || to === "../package.json") return false;
        const other = lists.LAYOUT.indexOf(folderOf(to));
        if (own === "index" && folderOf(to) === "store") return !typeOnly;
        return other < 0 || other > rank;
      })
      .map(({ node, specifier }) => ({
        node,
        say: `${own} imports ${specifier}, which is not above it; move the code, or pass the value in`,
      }));
  },
});

function isPure(file: SourceFile, imported: Import): boolean {
  const { specifier, typeOnly, names } = imported;
  if (specifier.startsWith(".")) {
    const to = target(file, specifier);
    const folder = folderOf(to);
    return (
      typeOnly ||
      to === "spec.gen.ts" ||
      folder === "languages" ||
      lists.PURE_FOLDERS.includes(folder)
    );
  }
  if (builtin(specifier) === "crypto")
    return names.length > 0 && names.every((n) => HASHES.test(n));
  return lists.PURE_PACKAGES.includes(specifier);
}

const HASHES = /^(createHash|hash|Hash)$/;

/** `Math.random`, and what else a pure folder does not read. */
const WORLD =
  /^(process|globalThis|global|window|self|Date|performance|console|fetch|crypto|navigator|require|setTimeout|setInterval|setImmediate|queueMicrotask|structuredClone|Intl|Atomics|WebSocket)$/;
const LOCAL = /^(localeCompare|toLocale\w+|random|randomUUID|now)$/;

invariant("the pure folders touch no world", {
  rule: "pure-folders",
  over: "src/**/*.ts",
  caught: {
    "/src/model/fs.ts": `import { readFileSync } from "node:fs";`,
    "/src/model/bare.ts": `import { readFileSync } from "fs";`,
    "/src/rank/package.ts": `import ignore from "ignore";`,
    "/src/rank/reader.ts": `import { openStore } from "../store/sqlite.ts";`,
    "/src/session/lazy.ts": `const os = await import("node:os");`,
    "/src/session/chance.ts": `import { randomUUID } from "node:crypto";`,
    "/src/dedup/env.ts": `export const off = () => process.env.X === "0";`,
    "/src/dedup/key.ts": `export const all = { process };`,
    "/src/render/clock.ts": `export const at = () => Date.now();`,
    "/src/render/date.ts": `export const at = () => new Date();`,
    "/src/render/dice.ts": `export const roll = () => Math.random();`,
    "/src/render/order.ts": `export const by = (a: string, b: string) => a.localeCompare(b);`,
    "/src/render/global.ts": `export const g = () => globalThis.x;`,
    "/src/render/where.ts": `export const me = import.meta.url;`,
  },
  passes: {
    "/src/model/hash.ts": `import { createHash } from "node:crypto"; import { a } from "./a.ts";`,
    "/src/rank/rows.ts": `import type { Rows } from "../store/store.ts"; import { stemmer } from "stemmer";`,
    "/src/model/word.ts": `interface Row { readonly process: string } export const of = (row: Row) => row.process;`,
  },
  scan: (file) =>
    lists.PURE_FOLDERS.includes(folderOf(pathInSrc(file))) ? impure(file) : [],
});

const impure = (file: SourceFile): Breach[] => [
  ...importsOf(file)
    .filter((imported) => !isPure(file, imported))
    .map(({ node, specifier }) => ({
      node,
      say: `a pure folder imports ${specifier}; take what it gives as an argument`,
    })),
  ...reads(file)
    .filter((id) => WORLD.test(id.getText()))
    .map((node) => ({
      node,
      say: `a pure folder reads ${node.getText()}; take its value as an argument`,
    })),
  ...ofKind(file, SyntaxKind.PropertyAccessExpression)
    .filter((access) => LOCAL.test(access.getName()))
    .map((node) => ({
      node,
      say: `${node.getText()} depends on the machine; compare code units, or take the value as an argument`,
    })),
  ...ofKind(file, SyntaxKind.MetaProperty).map((node) => ({
    node,
    say: "a pure folder does not know where it is",
  })),
];

invariant("no module in src remembers anything between calls", {
  rule: "no-module-state",
  over: "src/**/*.ts",
  caught: {
    "/src/serve/let.ts": `let calls = 0;`,
    "/src/serve/map.ts": `const seen = new Map<string, number>();`,
    "/src/serve/list.ts": `const names = ["a"];`,
    "/src/serve/object.ts": `export const state = { calls: 0 };`,
    "/src/serve/typed.ts": `interface S { calls: number } const state: S = { calls: 0 };`,
    "/src/serve/made.ts": `const cache = makeCache();`,
    "/src/serve/static.ts": `class Tool { static readonly seen = new Set<string>(); }`,
    "/src/serve/counter.ts": `class Tool { static calls = 0; }`,
    "/src/serve/either.ts": `const x = Math.PI > 3 ? "a" : [];`,
    "/src/serve/regexp.ts": `const WORD = /a/g; export const has = (t: string) => WORD.test(t);`,
  },
  passes: {
    "/src/serve/constant.ts": `const A = ["a"] as const; const B: readonly string[] = ["b"]; const C: ReadonlyMap<string, string> = new Map(); const D = Object.freeze({}); const E = 5; const F = /a/; const G = /a/g; export const all = (t: string) => t.match(G);`,
    "/src/serve/named.ts": `interface S { readonly calls: number } export const zero: S = { calls: 0 }; const f = (x: number) => x; function g() { let n = 0; return n; }`,
  },
  scan: moduleState,
});

invariant("no limit and no wording of the spec is typed into src", {
  rule: "spec-values-are-imported",
  over: "src/**/*.ts",
  caught: {
    "/src/rank/top.ts": `export const top = <T>(x: T[]) => x.slice(0, ${sample(10)});`,
    "/src/rank/cut.ts": `export const cut = (n: number) => n >= ${sample(3)};`,
    "/src/rank/named.ts": `const MAX_ROWS = 1_234_567;`,
    "/src/rank/inner.ts": `function f(n: number) { const MOST = 1_234_567; return n < MOST; }`,
    "/src/rank/bound.ts": `export const long = (n: number) => n > 1_234_567;`,
    "/src/rank/product.ts": `const MAX_BYTES = 3 * 1024 * 1024;`,
  },
  passes: {
    "/src/rank/unit.ts": `export const seconds = (ms: number) => ms / 1000; export const hex = (n: number) => n.toString(16);`,
    "/src/rank/code.ts": `export const paren = (c: number) => c === ${sample(10)};`,
    "/src/rank/hex.ts": `export const isAscii = (c: number) => c < 0x80;`,
    "/src/rank/pair.ts": `export const two = (x: string[]) => x.length > 1;`,
  },
  scan: (file) => retyped(file),
});

/** The least whole limit that is `from` or more, as somebody would retype it. */
function sample(from: number): number {
  const values: readonly number[] = Object.values(limits);
  const whole = values.filter((v) => Number.isInteger(v) && v >= from);
  return Math.min(...whole);
}

const WEB = /^(fetch|WebSocket|EventSource|XMLHttpRequest)$/;

invariant("nothing but the commands writes to standard output", {
  rule: "serve-keeps-stdout-clean",
  over: "src/**/*.ts",
  caught: {
    "/src/serve/log.ts": `console.log("here");`,
    "/src/serve/error.ts": `console.error("here");`,
    "/src/cli/log.ts": `console.info("here");`,
    "/src/index/out.ts": `process.stdout.write("here");`,
    "/src/serve/taken.ts": `const { stdout } = process;`,
    "/src/store/imported.ts": `import { stdout } from "node:process";`,
  },
  passes: {
    "/src/cli/print.ts": `process.stdout.write("asked for");`,
    "/src/serve/err.ts": `process.stderr.write("told");`,
  },
  scan: (file) => {
    const inCli = pathInSrc(file).startsWith("cli/");
    const toStdout = [
      ...ofKind(file, SyntaxKind.PropertyAccessExpression).filter((node) =>
        /^(?:globalThis\.)?process\.stdout$/.test(node.getText()),
      ),
      ...ofKind(file, SyntaxKind.BindingElement).filter(
        (node) =>
          /^stdout\b/.test(node.getText()) &&
          /= process$/.test(node.getParent().getParent().getText()),
      ),
      ...ofKind(file, SyntaxKind.ImportSpecifier).filter(
        (node) => node.getName() === "stdout",
      ),
    ];
    return [
      ...reads(file).filter((id) => id.getText() === "console"),
      ...(inCli ? [] : toStdout),
    ].map((node) => ({
      node,
      say: "this may reach standard output, which belongs to the protocol; write to standard error",
    }));
  },
});

invariant("nothing in src reaches a network", {
  rule: "nothing-leaves-the-machine",
  over: "src/**/*.ts",
  caught: {
    "/src/serve/https.ts": `import { get } from "node:https";`,
    "/src/cli/bare.ts": `import http from "http";`,
    "/src/cli/dns.ts": `const dns = await import("node:dns/promises");`,
    "/src/index/fetch.ts": `export const ask = () => fetch("https://example.org");`,
    "/src/index/net.ts": `import { connect } from "node:net";`,
    "/src/serve/host.ts": `import { connect } from "node:net"; connect({ host: "example.org", port: 80 });`,
    "/src/serve/port.ts": `import { createServer } from "node:net"; createServer().listen(8080);`,
    "/src/serve/short.ts": `import { connect } from "node:net"; const port = 1; connect({ port });`,
    "/src/serve/socket.ts": `new WebSocket("wss://example.org");`,
  },
  passes: {
    "/src/serve/local.ts": `import { connect } from "node:net"; export const open = (path: string) => connect({ path });`,
    "/src/index/word.ts": `export const row = { fetch: 1 };`,
  },
  scan: (file) => {
    const imports = importsOf(file);
    const net = imports.filter(({ specifier }) => builtin(specifier) === "net");
    const inServe = pathInSrc(file).startsWith("serve/");
    return [
      ...imports
        .filter(({ specifier }) =>
          lists.NETWORK_MODULES.includes(specifier.replace(/^node:/, "")),
        )
        .map(({ node, specifier }) => ({
          node,
          say: `${specifier} reaches a network; people's source stays on their machine`,
        })),
      ...(inServe ? [] : net).map(({ node }) => ({
        node,
        say: "only serve opens sockets; call what it exports",
      })),
      ...(net.length > 0 ? hostsAndPorts(file) : []),
      ...reads(file)
        .filter((id) => WEB.test(id.getText()))
        .map((node) => ({ node, say: `${node.getText()} reaches a network` })),
    ];
  },
});

function hostsAndPorts(file: SourceFile): Breach[] {
  const say = "a socket of this product is a local path, no host and no port";
  return [
    ...ofKind(file, SyntaxKind.PropertyAssignment),
    ...ofKind(file, SyntaxKind.ShorthandPropertyAssignment),
  ]
    .filter((p) => /^(host|hostname|port)$/.test(p.getName()))
    .map((node): Breach => ({ node, say }))
    .concat(
      ofKind(file, SyntaxKind.CallExpression)
        .filter(
          (call) =>
            /\b(connect|createConnection|listen)$/.test(
              call.getExpression().getText(),
            ) && Node.isNumericLiteral(call.getArguments()[0]),
        )
        .map((node) => ({ node, say })),
    );
}

invariant("the handler, and what runs its calls, hold nothing of a caller", {
  rule: "handler-holds-no-caller",
  over: "src/serve/**/*.ts",
  caught: {
    "/src/serve/record.ts": `class ToolHandler { private readonly session = new SessionRecord(); }`,
    "/src/serve/typed.ts": `class ToolHandler { last: SessionView | undefined; }`,
    "/src/serve/map.ts": `class ToolHandler { readonly calls = new Map<string, number>(); }`,
    "/src/serve/keyed.ts": `class ToolHandler { readonly seen: Set<string>; constructor() { this.seen = new Set(); } }`,
    "/src/serve/any.ts": `class ToolHandler { state: unknown; }`,
    "/src/serve/open.ts": `class ToolHandler { readonly state = {}; }`,
    "/src/serve/parameter.ts": `class ToolHandler { constructor(private readonly caller: Caller) {} }`,
    "/src/serve/hash.ts": `class ToolHandler { #last: Emission[] = []; }`,
    "/src/serve/static.ts": `class ToolHandler { static clients: string[] = []; static last: Caller; }`,
    "/src/serve/runner.ts": `class Mine implements Runner { private readonly asked: Asked[] = []; }`,
    "/src/serve/deep.ts": `interface Job { readonly view: SessionView } class Mine implements Runner { private readonly queue: Job[] = []; }`,
    "/src/serve/beside.ts": `interface Job extends Asked { readonly id: number } class Mine implements Runner { private readonly queue: Job[] = []; }`,
    "/src/serve/below.ts": `class Mine extends ToolHandler { readonly last: Caller | undefined; }`,
  },
  passes: {
    "/src/serve/handler.ts": `class ToolHandler { private readonly runner: Runner; constructor(runner: Runner = new InThread()) { this.runner = runner; } }`,
    "/src/serve/pool.ts": `interface Thread { readonly worker: Worker; readonly tell: (asked: Asked) => void } class Mine implements Runner { private readonly threads: Thread[] = []; private calls = 0; private closed = false; }`,
    "/src/serve/projects.ts": `class OpenIndexes { private readonly open = new Map<string, OpenIndex>(); }`,
  },
  scan: heldOfCallers,
});

const named = (...parts: readonly string[]): string => parts.join("");

textInvariant("no text names the machine it was written on, or a registry", {
  rule: "texts-name-no-machine",
  over: "every text that git tracks",
  files: textFiles,
  caught: {
    "README.md": named("run it in /wo", "rk/main"),
    "notes.md": named("see /ro", "ot/.cache"),
    "package.json": named(`"registry": "https://regi`, `stry.example.org/"`),
    "docs.md": named("https://www.npm", "js.com/package/x"),
  },
  passes: {
    "docs.md": "a relative path such as docs/work/plan.md or ./root/x",
    "rules.md": "the registry. Any of them will do",
  },
  scan: (text) => machineWords(text),
});

invariant("every test runs, on the real thing", {
  rule: "checks-run",
  over: "test/**/*.ts",
  caught: {
    "/test/skip.test.ts": `test.skip("x", () => {});`,
    "/test/only.test.ts": `describe.only("x", () => {});`,
    "/test/if.test.ts": `test.skipIf(true)("x", () => {});`,
    "/test/option.test.ts": `test("x", { skip: true }, () => {});`,
    "/test/context.test.ts": `test("x", (context) => context.skip());`,
    "/test/mock.test.ts": `vi.mock("../src/store/store.ts");`,
    "/test/snapshot.test.ts": `expect(1).toMatchSnapshot();`,
  },
  passes: { "/test/plain.test.ts": `test("skip", () => { rows.fails; });` },
  scan: (file) => [
    ...ofKind(file, SyntaxKind.PropertyAccessExpression)
      .filter(
        (access) =>
          /^to(Match|ThrowError\w*Matching).*Snapshot$/.test(
            access.getName(),
          ) ||
          /^(skip|skipIf|runIf|only|todo)$/.test(access.getName()) ||
          /^(test|it|describe|suite)\.fails$/.test(access.getText()) ||
          /^vi\.(mock|doMock|hoisted)$/.test(access.getText()),
      )
      .map((node) => ({
        node,
        say: `${node.getText()}: run it, run all, on the real thing, and compare bytes with a golden`,
      })),
    ...ofKind(file, SyntaxKind.PropertyAssignment)
      .filter((p) => /^(skip|only|todo|fails)$/.test(p.getName()))
      .filter((p) => p.getInitializer()?.getText() === "true")
      .map((node) => ({ node, say: `${node.getText()}: run every test` })),
  ],
});

invariant("no test leaves a trace in its process", {
  rule: "tests-leave-no-trace",
  over: "test/**/*.ts",
  caught: {
    "/test/env.test.ts": `process.env.CI = "1";`,
    "/test/key.test.ts": `process.env["CI"] = "1";`,
    "/test/delete.test.ts": `delete process.env.CI;`,
    "/test/assign.test.ts": `Object.assign(process.env, { CI: "1" });`,
    "/test/folder.test.ts": `process.chdir("x");`,
    "/test/global.test.ts": `globalThis.x = 1;`,
    "/test/stub.test.ts": `vi.stubGlobal("x", 1);`,
  },
  passes: {
    "/test/plain.test.ts": `vi.stubEnv("CI", "1"); const env = { ...process.env, CI: "1" }; if (process.env.CI === "1") spawn("x", { env });`,
  },
  scan: (file) =>
    [
      ...ofKind(file, SyntaxKind.BinaryExpression)
        .filter((b) => /^(\S+)?=$/.test(b.getOperatorToken().getText()))
        .filter(
          (b) => !/^([!=]==?|[<>]=)$/.test(b.getOperatorToken().getText()),
        )
        .filter((b) => SHARED.test(b.getLeft().getText())),
      ...ofKind(file, SyntaxKind.DeleteExpression).filter((d) =>
        SHARED.test(d.getExpression().getText()),
      ),
      ...ofKind(file, SyntaxKind.CallExpression).filter(
        (call) =>
          /^(process\.chdir|process\.umask|vi\.stubGlobal)$/.test(
            call.getExpression().getText(),
          ) ||
          (/^Object\.(assign|defineProperty)$/.test(
            call.getExpression().getText(),
          ) &&
            SHARED.test(call.getArguments()[0]?.getText() ?? "")),
      ),
    ].map((node) => ({
      node,
      say: `${node.getText()} is seen by the test files after this one; pass it to the process you start, or use vi.stubEnv`,
    })),
});

const SHARED = /^(process\.env|globalThis|global)\b/;

invariant("sessions and dedup have neither files nor a console", {
  rule: "session-never-persisted",
  over: "src/{session,dedup}/**/*.ts",
  caught: {
    "/src/session/save.ts": `import { writeFileSync } from "node:fs";`,
    "/src/session/cache.ts": `import { DatabaseSync } from "node:sqlite";`,
    "/src/session/store.ts": `import { openStore } from "../store/sqlite.ts";`,
    "/src/dedup/said.ts": `export const say = (view: object) => console.error(view);`,
    "/src/dedup/out.ts": `export const say = (text: string) => process.stdout.write(text);`,
  },
  passes: {
    "/src/session/key.ts": `import { createHash } from "node:crypto"; import { joined } from "../model/span.ts";`,
  },
  scan: (file) => [
    ...importsOf(file)
      .filter(
        ({ specifier }) =>
          builtin(specifier) !== "crypto" &&
          !/^\.\.?\/((model|session|dedup)\/)?[\w-]+(\.gen)?\.ts$/.test(
            specifier,
          ),
      )
      .map(({ node, specifier }) => ({
        node,
        say: `a record is never written; what it needs of ${specifier} comes as an argument`,
      })),
    ...reads(file)
      .filter((name) => /^(console|process)$/.test(name.getText()))
      .map((node) => ({
        node,
        say: `a record is never told; return what ${node.getText()} would say`,
      })),
  ],
});

const rules = inject("rules");
const sources = readSources();
const files = new Map(
  ["src/**/*.ts", "test/**/*.ts"]
    .flatMap(parsed)
    .map((file) => [pathOf(file), file.compilerNode]),
);
const syntax: Parse = (path, text) => files.get(path) ?? parse(path, text);
const cited = citations(sources, syntax);

test("there are rules, code and checks to compare", () => {
  expect(rules.length).toBeGreaterThan(5);
  expect(cited.code.size).toBeGreaterThan(5);
  expect(cited.checks.length).toBeGreaterThan(5);
});

for (const { path, text } of await generated(rules, cited))
  test(`${path} is fresh`, () => {
    const found = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    if (!found.equals(Buffer.from(text)))
      expect.fail(
        `${path} is stale; read the patch, then run: pnpm spec\n` +
          createTwoFilesPatch(path, "from spec", found.toString(), text),
      );
  });

for (const [sentence, complaints] of Object.entries(checks))
  test(sentence, () => {
    expect(complaints({ rules, cited, sources, syntax })).toEqual([]);
  });
