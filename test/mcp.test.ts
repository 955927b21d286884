/** The built server as a real process, asked by a real client. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { attach, type AttachOptions } from "./attached.ts";
import { built } from "./built.ts";
import { connect, type Connected } from "./client.ts";
import { caches } from "./daemons.ts";
import { ruleTest } from "./from-spec.ts";
import { near } from "./near.ts";
import { pythonFunction, scratch } from "./scratch.ts";

let base: string;
let root: string;
let one: Connected;
const daemon = caches()();
/** A client of a daemon that the tests share, in the project if nothing else is said. */
const enter = (options: Partial<AttachOptions> = {}): Promise<Connected> =>
  attach({ cwd: root, at: root, home: base, daemon, ...options });

beforeAll(async () => {
  base = scratch();
  root = join(base, "project");
  symlinkSync("loop", join(base, "loop"));
  mkdirSync(root);
  writeFileSync(join(root, "core.py"), pythonFunction("settle_account", 40));
  writeFileSync(join(root, "other.py"), pythonFunction("close_books", 40));
  await built(root);
  one = await connect({ cwd: root, home: base });
}, 60_000);
afterAll(() => one.client.close());

/** What a client writes before it closes the input at once, and what came of it. */
let raw: { status: number | null; stdout: string; stderr: string };
beforeAll(() => {
  const request = (id: number, method: string, params: unknown) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const call = (id: number, query: string) =>
    request(id, "tools/call", {
      name: "codegraph_explore",
      arguments: { query },
    });
  const lines = [
    "this is no message",
    "{}",
    request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    }),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    call(2, "settle_account"),
    call(3, "no_such_name"),
    request(4, "tools/call", { name: "codegraph_explore" }),
    request(5, "tools/call", 7),
    request(6, "no/such/method", {}),
  ];
  raw = spawnSync(
    process.execPath,
    [resolve("dist/codegraph.js"), "serve", "--mcp"],
    {
      cwd: root,
      encoding: "utf8",
      env: {
        ...process.env,
        HOME: base,
        CODEGRAPH_DAEMON: "0",
        CODEGRAPH_EXPLORE_DEBUG: "1",
      },
      input: lines.map((line) => `${line}\n`).join(""),
    },
  );
}, 60_000);

ruleTest("serve-tool", "a client finds one tool, told what for", async () => {
  const { tools } = await one.client.listTools();
  expect(tools).toHaveLength(1);
  expect(tools[0]).toMatchObject({
    name: "codegraph_explore",
    annotations: { readOnlyHint: true },
    _meta: { "anthropic/alwaysLoad": true },
    inputSchema: { required: ["query"] },
  });
  expect(Object.keys(tools[0]!.inputSchema.properties ?? {})).toEqual([
    "query",
    "projectPath",
    "maxFiles",
    "maxChars",
  ]);
  expect(one.client.getInstructions()).toContain("codegraph_explore");
  expect(await one.client.listResources()).toMatchObject({ resources: [] });
  expect(await one.client.listResourceTemplates()).toMatchObject({
    resourceTemplates: [],
  });
  expect(await one.client.listPrompts()).toMatchObject({ prompts: [] });
  await one.client.ping();
});

ruleTest(
  "cli-same-answer",
  "the first answer is the one that the command line prints",
  async () => {
    const fresh = await enter();
    const { text } = await fresh.explore({ query: "settle_account" });
    await fresh.client.close();
    expect(
      execFileSync(
        process.execPath,
        [resolve("dist/codegraph.js"), "explore", "settle_account"],
        {
          cwd: root,
          env: { ...process.env, HOME: base },
          encoding: "utf8",
        },
      ),
    ).toBe(text);
  },
);

ruleTest(
  "serve-answers-at-once",
  "a client of the newest revision is answered too",
  async () => {
    const modern = await enter({ modern: true });
    expect((await modern.explore({ query: "close_books" })).text).toContain(
      "1\tdef close_books(x):",
    );
    await modern.client.close();
  },
);

ruleTest(
  "serve-bad-arguments",
  "whatever a client sends, it is answered and the server stays",
  async () => {
    const odd: readonly (readonly [Record<string, unknown>, boolean])[] = [
      [{}, true],
      [{ query: 7 }, true],
      [{ query: { $gt: "" } }, true],
      [{ query: "x".repeat(10_000_000) }, true],
      [{ query: "" }, false],
      [{ query: "\u0000\u0000" }, false],
      [{ query: "settle\u0000account \ud800" }, false],
      [{ query: "settle_account", projectPath: "/no/such/folder" }, false],
      [{ query: "settle_account", projectPath: "../../../.." }, false],
      [{ query: "settle_account", projectPath: "a\u0000b" }, false],
      [{ query: "settle_account", projectPath: "x".repeat(100_000) }, true],
      [{ query: "settle_account", projectPath: join(base, "loop/x") }, false],
      [{ query: "settle_account", maxFiles: -1 }, false],
      [{ query: "settle_account", maxFiles: Number.NaN }, false],
      [{ query: "settle_account", maxFiles: 1e9, maxChars: 1e9 }, false],
      [{ query: "settle_account", maxFiles: "3" }, true],
    ];
    for (const [given, isError] of odd) {
      const answer = await one.explore(given);
      expect(answer.isError, JSON.stringify(given).slice(0, 80)).toBe(isError);
      expect(answer.text.length).toBeGreaterThan(10);
      expect(answer.text.length).toBeLessThan(25_000);
    }
    await one.client
      .callTool({ name: "nothing", arguments: {} })
      .then((r) => expect(r.isError).toBe(true));
    await one.client.ping();
  },
);

ruleTest(
  "serve-bad-arguments",
  "nothing but the protocol stands on standard output",
  () => {
    for (const line of raw.stdout.trimEnd().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    // There was something to say elsewhere.
    expect(raw.stderr).toContain('explore "settle_account"');
  },
);

ruleTest(
  "serve-finishes-calls",
  "all is asked at once, and the input closed",
  () => {
    expect(raw.status).toBe(0);
    const ids = raw.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number | null }).id);
    expect(ids.filter((id) => id !== null).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  },
);

ruleTest(
  "serve-finds-the-project",
  "roots come before --path, and --path before the working directory",
  async () => {
    const elsewhere = scratch();
    const options = { cwd: elsewhere, home: base, daemon };
    const by = async (entered: Promise<Connected>) => {
      const found = await entered;
      const { text } = await found.explore({ query: "settle_account" });
      await found.client.close();
      return text.includes("def settle_account");
    };
    expect(
      await Promise.all([
        by(enter(options)),
        by(connect({ ...options, args: ["--path", root] })),
        by(enter({ ...options, roots: [root] })),
      ]),
    ).toEqual([false, true, true]);
  },
  20_000,
);

ruleTest(
  "serve-answers-at-once",
  "with --auto-init a project is indexed, with progress, and answered",
  async () => {
    const fresh = join(scratch(), "fresh");
    mkdirSync(fresh);
    writeFileSync(join(fresh, "a.py"), pythonFunction("brand_new", 12));
    const found = await enter({ cwd: fresh, autoInit: true });
    const progress: number[] = [];
    const result = await found.client.callTool(
      { name: "codegraph_explore", arguments: { query: "brand_new" } },
      { onprogress: ({ progress: done }) => progress.push(done) },
    );
    await found.client.close();
    expect(JSON.stringify(result.content)).toContain("def brand_new");
    expect(progress.length).toBeGreaterThan(0);
  },
  20_000,
);

ruleTest(
  "session-never-persisted",
  "a restarted server knows nothing, and no file holds what was asked",
  async () => {
    const files = () =>
      readdirSync(base, { recursive: true, encoding: "utf8" }).sort();
    const before = files();
    const query = "close_books settle_account";
    const first = await enter();
    const { text } = await first.explore({ query });
    await first.client.close();
    const second = await near(root);
    expect(await second.explore({ query })).toBe(text);
    await second.close();
    expect(files()).toEqual(before);
    const pointer = readFileSync(
      join(root, ".codegraph/current"),
      "utf8",
    ).trim();
    expect(
      readFileSync(join(root, ".codegraph", pointer)).includes(
        "close_books settle_account",
      ),
    ).toBe(false);
  },
);

ruleTest(
  "dedup-shared-connections",
  "a client is known by its name, in both eras of the protocol",
  async () => {
    const pointed = async (options: Partial<AttachOptions>) => {
      const found = await enter(options);
      await found.explore({ query: "settle_account" });
      const { text } = await found.explore({
        query: "close_books settle_account",
      });
      await found.client.close();
      return text.includes("Already sent earlier");
    };
    expect(
      await Promise.all([
        pointed({}),
        pointed({ modern: true }),
        pointed({ name: "claude-code" }),
        pointed({ name: "claude-code", modern: true }),
        pointed({
          name: "claude-code",
          env: { CODEGRAPH_EXPLORE_DEDUP: "1" },
        }),
        pointed({ env: { CODEGRAPH_EXPLORE_DEDUP: "off" } }),
      ]),
    ).toEqual([true, true, false, false, true, false]);
  },
  20_000,
);

ruleTest(
  "serve-answers-at-once",
  "calls at the same time share one index; a cancelled one leaves none",
  async () => {
    const many = (folder: string, count: number) => {
      mkdirSync(folder);
      for (let i = 0; i < count; i++)
        writeFileSync(join(folder, `f${i}.py`), pythonFunction(`part_${i}`, 3));
      return folder;
    };
    const cancelled = many(join(scratch(), "cancelled"), 700);
    const one = await enter({ cwd: cancelled, autoInit: true });
    const controller = new AbortController();
    await expect(
      one.client.callTool(
        { name: "codegraph_explore", arguments: { query: "part_1" } },
        {
          onprogress: () => controller.abort(),
          signal: controller.signal,
        },
      ),
    ).rejects.toThrow();
    await one.client.ping();
    const shared = many(join(scratch(), "shared"), 60);
    const texts = await Promise.all(
      ["part_1", "part_2", "part_3"].map((query) =>
        one.explore({ query, projectPath: shared }),
      ),
    );
    expect(
      texts.map(({ text }, i) => text.includes(`def part_${i + 1}(`)),
    ).toEqual([true, true, true]);
    await one.client.close();
    expect(readdirSync(join(cancelled, ".codegraph"))).not.toContain("current");
    expect(
      readdirSync(join(shared, ".codegraph")).filter((name) =>
        /^index-.*\.db$/.test(name),
      ),
    ).toHaveLength(1);
  },
  20_000,
);
