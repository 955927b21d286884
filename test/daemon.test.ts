/** Daemons as real processes, asked by real clients through real proxies. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect } from "vitest";
import { endDaemon } from "../src/serve/daemon/registry.ts";
import { wordings } from "../src/spec.gen.ts";
import { addressFor, attach, type AttachOptions } from "./attached.ts";
import { codegraph, copied } from "./binary.ts";
import { connect, type Connected, type ConnectOptions } from "./client.ts";
import {
  caches,
  gone,
  isAlive,
  only,
  running,
  said,
  soon,
  SHORT,
} from "./daemons.ts";
import { ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";
import { indexed, pythonFunction, scratch } from "./scratch.ts";

const newCache = caches();
let home: string;
let root: string;
/** A folder without an index: its daemon gets nothing ready. */
let bare: string;
/** Of the tests that leave a daemon to the next. */
let shared: string;

beforeAll(() => {
  home = scratch();
  root = project("project");
  bare = join(home, "bare");
  mkdirSync(bare);
  shared = newCache();
}, 60_000);

const project = (name: string) =>
  indexed(join(home, name), {
    "core.py": pythonFunction("settle_account", 40),
    "other.py": pythonFunction("close_books", 40),
  });

/** A client whose proxy is a process, as a host starts it. */
const enter = (options: Partial<ConnectOptions> = {}): Promise<Connected> =>
  connect({ cwd: root, home, daemon: shared, ...options });
/** A client that comes to the same daemon from here. */
const near = (options: Partial<AttachOptions> = {}): Promise<Connected> =>
  attach({ cwd: root, home, daemon: shared, ...options });

const POINTED = "Already sent earlier";

ruleTest(
  "daemon-same-answers",
  "both eras of the protocol find the same through a daemon",
  async () => {
    const seen = async (entered: Promise<Connected>) => {
      const found = await entered;
      const { client } = found;
      const answers = [
        client.getServerVersion(),
        client.getInstructions(),
        await client.listTools(),
        await client.listPrompts(),
        await client.listResources(),
        await client.listResourceTemplates(),
        await client.callTool({ name: "nothing", arguments: {} }),
        await found.explore({ query: "settle_account" }),
        await found.explore({ query: "close_books settle_account" }),
        await found.explore({}),
      ];
      await client.close();
      expect(found.stderr()).toBe("");
      return answers;
    };
    for (const modern of [false, true]) {
      const [through, alone] = await Promise.all([
        seen(modern ? near({ modern }) : enter()),
        seen(enter({ modern, env: { CODEGRAPH_DAEMON: "off" } })),
      ]);
      expect(through).toEqual(alone);
      expect(JSON.stringify(through)).toContain(POINTED);
    }
  },
  30_000,
);

ruleTest(
  "daemon-same-answers",
  "lines that are no message are refused as without a daemon",
  async () => {
    const script =
      [
        "this is no message",
        "{}",
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":"a","method":"prompts/list"}',
        '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":7}',
        '{"jsonrpc":"2.0","id":5,"method":"no/such/method"}',
        // Its answer comes after the end of the input.
        '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"codegraph_explore","arguments":{"query":"no_such_name"}}}',
      ].join("\n") + "\n";
    const piped = async (env: Record<string, string>) => {
      const child = spawn(
        process.execPath,
        [resolve("dist/codegraph.js"), "serve", "--mcp"],
        { cwd: root, env: { ...process.env, HOME: home, ...env } },
      );
      let out = "";
      child.stdout.on("data", (chunk) => (out += String(chunk)));
      child.stdin.end(script);
      const [code] = (await once(child, "close")) as [number];
      return { code, lines: out.split("\n").sort() };
    };
    const through = await piped({ CODEGRAPH_CACHE_DIR: shared });
    expect(through).toEqual(await piped({ CODEGRAPH_DAEMON: "no" }));
    expect(through.lines).toHaveLength(8);
  },
);

ruleTest(
  "daemon-settings-travel",
  "one daemon does what each client's environment says",
  async () => {
    const folder = join(root, "deep");
    mkdirSync(folder);
    const [off, on] = await Promise.all([
      enter({
        cwd: folder,
        env: {
          CODEGRAPH_EXPLORE_DEDUP: "0",
          CODEGRAPH_EXPLORE_DEBUG: "seen.jsonl",
        },
      }),
      enter({
        name: "claude-code",
        env: {
          CODEGRAPH_EXPLORE_DEDUP: "1",
          CODEGRAPH_EXPLORE_DEBUG: "1",
          CODEGRAPH_MCP_EXPLORE_SESSION_PARAM: "1",
        },
      }),
    ]);
    const named = [off, on].map(async ({ client }) => {
      const { tools } = await client.listTools();
      return Object.keys(tools[0]!.inputSchema.properties ?? {}).at(-1);
    });
    expect(await Promise.all(named)).toEqual(["maxChars", "sessionId"]);
    for (const one of [off, on]) await one.explore({ query: "settle_account" });
    const texts = [off, on].map(async (one) =>
      (
        await one.explore({ query: "close_books settle_account" })
      ).text.includes(POINTED),
    );
    expect(await Promise.all(texts)).toEqual([false, true]);
    expect((await only(shared)).status?.clients).toBe(2);
    await Promise.all([off, on].map((one) => one.client.close()));
    expect(readFileSync(join(folder, "seen.jsonl"), "utf8")).toMatch(
      /^\{"query":"settle_account".*\n\{.*"gate":"switched-off".*\n$/,
    );
    expect(off.stderr()).toBe("");
    expect(on.stderr()).toContain('explore "settle_account"');
    expect(on.stderr().match(/^ {2}dedup /gm)).toHaveLength(2);
  },
  20_000,
);

ruleTest(
  "daemon-clients-are-apart",
  "what one client was sent is news to the next",
  async () => {
    const [one, two] = await Promise.all([near(), near()]);
    await one.explore({ query: "settle_account" });
    const wide = { query: "close_books settle_account" };
    expect((await two.explore(wide)).text).not.toContain(POINTED);
    expect((await one.explore(wide)).text).toContain(POINTED);
    await one.client.close();
    const three = await near();
    // Other words: what is asked twice is sent again in any case.
    const other = { query: "which of settle_account, close_books is first?" };
    expect((await three.explore(other)).text).not.toContain(POINTED);
    await Promise.all([two, three].map((c) => c.client.close()));
  },
  20_000,
);

ruleTest(
  "daemon-control",
  "a control line is answered once, and is no client",
  async () => {
    const one = await near();
    const daemon = await only(shared);
    const line = (fields: object) =>
      `${JSON.stringify({ codegraph_control: 1, ...fields })}\n`;
    const status = await said(daemon, line({ op: "status" }));
    expect(status).toMatch(/^\{"codegraph_control":1,.*\}\n$/);
    expect(JSON.parse(status)).toMatchObject({
      pid: daemon.pid,
      root,
      clients: 1,
      version: expect.stringMatching(/^\d/),
    });
    const refused = (reason: string) =>
      `${JSON.stringify({ codegraph_refused: reason })}\n`;
    for (const op of ["frobnicate", "toString", "__proto__", ""])
      expect(await said(daemon, line({ op }))).toBe(
        refused(wordings.CONTROL_UNKNOWN),
      );
    for (const bytes of [
      line({}),
      "hello\n",
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
      `${"x".repeat(70_000)}`,
    ])
      expect(await said(daemon, bytes)).toBe(
        refused(wordings.FIRST_LINE_MALFORMED),
      );
    expect(await said(daemon, '{"codegraph_hello":2}\n')).toBe(
      refused(wordings.FIRST_LINE_OTHER),
    );
    await one.client.ping();
    await one.client.close();
  },
  20_000,
);

ruleTest(
  "daemon-is-replaced",
  "a client sees nothing of a daemon that is killed",
  async () => {
    const cache = newCache();
    const roots = [root];
    // Of both eras of the protocol.
    const both = await Promise.all([
      enter({ daemon: cache, modern: true, roots }),
      near({ daemon: cache, roots }),
    ]);
    const answers = async (query: string) =>
      (await Promise.all(both.map((one) => one.explore({ query })))).map(
        ({ text }) => text,
      );
    await answers("settle_account");
    const first = await only(cache);
    process.kill(first.pid, "SIGKILL");
    await gone(first.pid);
    // Between two calls; the new daemon has no record.
    for (const text of await answers("close_books settle_account")) {
      expect(text).toContain("def settle_account");
      expect(text).not.toContain(POINTED);
    }
    // In the middle of a call, which the stopped process never answers.
    const second = await only(cache);
    expect(second.pid).not.toBe(first.pid);
    process.kill(second.pid, "SIGSTOP");
    const late = answers("close_books");
    await new Promise((done) => setTimeout(done, 100));
    process.kill(second.pid, "SIGKILL");
    for (const text of await late) expect(text).toContain("def close_books");
    expect(both.map((one) => one.stderr())).toEqual(["", ""]);
    await Promise.all(both.map((one) => one.client.close()));
  },
  40_000,
);

ruleTest(
  "daemon-is-one",
  "what a killed daemon left behind keeps nobody from the next",
  async () => {
    const cache = newCache();
    const one = await near({ cwd: bare, daemon: cache });
    await one.client.close();
    const { pid, address } = await only(cache);
    process.kill(pid, "SIGKILL");
    await gone(pid);
    expect(readdirSync(address.folder).sort()).toEqual([
      ".codegraph",
      "about.json",
      "socket",
    ]);
    // Notes may name any process: it is not taken for the daemon.
    const bystander = spawn("sleep", ["1000"]);
    writeFileSync(
      join(address.folder, "about.json"),
      JSON.stringify({ pid: bystander.pid, root: bare }),
    );
    const two = await near({ cwd: bare, daemon: cache });
    await two.client.ping();
    expect(two.stderr()).toBe("");
    const second = await only(cache);
    expect(second.address.name).toBe(address.name);
    expect(second.pid).not.toBe(pid);
    await two.client.close();
    expect(await endDaemon(second, SHORT)).toBe(true);
    expect(isAlive(bystander.pid!)).toBe(true);
    bystander.kill();
    expect(existsSync(address.folder)).toBe(false);
  },
  20_000,
);

ruleTest(
  "daemon-is-reached",
  "a lock that is none, a folder for all and a path too long: the server answers by itself",
  async () => {
    const damaged = newCache();
    const { folder } = addressFor({ cwd: root, home, daemon: damaged });
    const lock = join(folder, ".codegraph", "lock.db");
    mkdirSync(join(lock, ".."), { recursive: true });
    writeFileSync(lock, `${process.pid}\n`.repeat(100));
    const open = newCache();
    mkdirSync(join(open, "run"));
    chmodSync(join(open, "run"), 0o755);
    const long = join(newCache(), "x".repeat(100));
    const answered = await Promise.all(
      (
        [
          [damaged, root, "def settle_account"],
          [open, bare, "codegraph init"],
          [long, bare, "codegraph init"],
        ] as const
      ).map(async ([daemon, cwd, answer]) => {
        const one = await enter({ cwd, daemon });
        const { text } = await one.explore({ query: "settle_account" });
        await one.client.close();
        expect(text).toContain(answer);
        return one.stderr();
      }),
    );
    for (const told of answered)
      expect(told).toMatch(
        /^codegraph: No daemon \(.*\); this process answers by itself\.\n$/,
      );
    expect(answered[0]).toContain(lock);
    expect(answered[1]).toContain(wordings.DAEMON_NO_FOLDER);
    expect(answered[2]).toContain(wordings.DAEMON_NO_FOLDER);
    expect(readFileSync(lock, "utf8")).toContain(`${process.pid}`);
  },
  20_000,
);

ruleTest(
  "daemon-address",
  "another program file has a daemon of its own, which ends when the file is gone",
  async () => {
    const copy = copied(scratch());
    const [one, other] = await Promise.all([near(), near({ dist: copy })]);
    await Promise.all([one, other].map((c) => c.explore({ query: "x" })));
    const both = await running(shared);
    expect(both.map((found) => found.root)).toEqual([root, root]);
    expect(both[0]!.address.name).not.toBe(both[1]!.address.name);
    rmSync(copy, { recursive: true });
    // With a client it serves on.
    expect((await other.explore({ query: "settle_account" })).text).toContain(
      "def settle_account",
    );
    await other.client.close();
    await soon(() => running(shared).then((found) => found.length)).toBe(1);
    await one.client.ping();
    await one.client.close();
  },
  30_000,
);

ruleTest(
  "daemon-proxy-ends",
  "with its input, and with its parent where another holds the input",
  async () => {
    const one = await enter();
    const ended = gone(one.pid, 1_500);
    await one.client.close();
    await ended;
    // The test itself holds the other end of this input.
    const pipe = join(scratch(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const held = openSync(pipe, "r+");
    const started = async (env: Record<string, string>) => {
      const shell = spawn(
        "sh",
        [
          "-c",
          'exec 3<&0; "$0" "$1" serve --mcp <&3 & echo $!; wait',
          process.execPath,
          resolve("dist/codegraph.js"),
        ],
        {
          cwd: root,
          env: { ...process.env, HOME: home, ...env },
          stdio: [held, "pipe", "inherit"],
        },
      );
      const [chunk] = (await once(shell.stdout!, "data")) as [Buffer];
      return { shell, pid: Number(String(chunk)) };
    };
    const both = await Promise.all([
      started({ CODEGRAPH_CACHE_DIR: shared }),
      started({ CODEGRAPH_DAEMON: "0" }),
    ]);
    const clients = async () => (await only(shared)).status?.clients;
    await soon(clients).toBe(1);
    // The one without a daemon has nothing to tell that it is up.
    await new Promise((done) => setTimeout(done, 300));
    for (const { shell } of both) shell.kill("SIGKILL");
    for (const { pid } of both) await gone(pid);
    closeSync(held);
    await soon(clients).toBe(0);
  },
  20_000,
);

ruleTest(
  "daemon-ends",
  "idle for as long as it may be, or told to by a signal, it leaves nothing",
  async () => {
    const cache = newCache();
    const env = { CODEGRAPH_DAEMON_IDLE_SECONDS: "0.3" };
    const one = await near({ cwd: bare, daemon: cache, env });
    const { pid } = await only(cache);
    await new Promise((done) => setTimeout(done, 500));
    expect(isAlive(pid)).toBe(true);
    await one.client.close();
    await gone(pid, 2_000);
    expect(readdirSync(join(cache, "run"))).toEqual([]);
    const two = await enter({ cwd: bare, daemon: cache });
    const second = await only(cache);
    process.kill(second.pid, "SIGTERM");
    await gone(second.pid);
    expect(readdirSync(join(cache, "run"))).toEqual([]);
    // The proxy waits for something to ask; then there is a daemon again.
    expect(isAlive(two.pid)).toBe(true);
    await two.client.ping();
    expect((await only(cache)).pid).not.toBe(second.pid);
    await two.client.close();
  },
  20_000,
);

ruleTest(
  "daemon-ends",
  "when its root is gone and no client is left",
  async () => {
    const cache = newCache();
    const brief = join(home, "brief");
    mkdirSync(brief);
    const one = await near({ cwd: brief, daemon: cache });
    const { pid } = await only(cache);
    rmSync(brief, { recursive: true });
    await one.client.close();
    await gone(pid, 2_000);
  },
  20_000,
);

ruleTest(
  "daemon-command",
  "it lists and ends daemons, and nothing else",
  async () => {
    const cache = newCache();
    const other = project("other");
    const at = { cwd: bare, home, env: { CODEGRAPH_CACHE_DIR: cache } };
    expect(await here(["daemon", "status"], at)).toEqual({
      status: 0,
      stdout: `${wordings.DAEMON_NONE_RUNS}\n`,
      stderr: "",
    });
    // A question makes no folder.
    expect(readdirSync(cache)).toEqual([]);
    for (const args of [["daemon"], ["daemon", "toString"]])
      expect(await here(args, at)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(wordings.DAEMON_WHAT),
      });
    const [one, two] = await Promise.all([
      near({ daemon: cache, cwd: bare }),
      near({ daemon: cache, cwd: other }),
    ]);
    await one.explore({ query: "settle_account" });
    expect(codegraph(["daemon", "status"], at).stdout).toMatch(
      /bare: process \d+, version \S+, 1 client, 1 call, \d+ MB, up 0 min\.\n.*other: process \d+, version \S+, 1 client, 0 calls, \d+ MB, up 0 min\.\n$/,
    );
    const told = JSON.parse(
      (await here(["daemon", "status", "--json"], at)).stdout,
    ) as {
      daemons: Record<string, unknown>[];
    };
    expect(told.daemons).toMatchObject([
      { root: bare, answers: true, clients: 1, calls: 1 },
      { root: other, answers: true, clients: 1 },
    ]);
    expect((await here(["uninit", other], at)).status).toBe(0);
    expect((await only(cache)).root).toBe(bare);
    const stopped = await here(["daemon", "stop", "--path", other], at);
    expect(stopped.stdout).toBe(`${wordings.DAEMON_NONE_RUNS}\n`);
    const { pid } = await only(cache);
    const ended = await here(["daemon", "stop", "--path", bare], at);
    expect(ended.stdout).toBe(`${bare}: process ${pid} ended.\n`);
    await gone(pid);
    await Promise.all([one, two].map((c) => c.client.close()));
    expect(await running(cache)).toEqual([]);
  },
  30_000,
);

ruleTest(
  "daemon-command",
  "a daemon that does not answer is named by the process that holds its lock",
  async () => {
    const cache = newCache();
    const one = await near({ cwd: bare, daemon: cache });
    const { pid, address } = await only(cache);
    await one.client.close();
    process.kill(pid, "SIGSTOP");
    const notes = join(address.folder, "about.json");
    writeFileSync(notes, JSON.stringify({ pid: process.pid, root: bare }));
    const hung = await only(cache);
    expect(hung).toEqual({ pid, root: bare, address });
    expect(await endDaemon(hung, { ...SHORT, check: 200 })).toBe(true);
    expect(isAlive(pid)).toBe(false);
  },
  20_000,
);

ruleTest(
  "daemon-ends",
  "what is open is answered first, also an index that a client waits for",
  async () => {
    const cache = newCache();
    const fresh = join(scratch(), "fresh");
    mkdirSync(fresh);
    for (let i = 0; i < 300; i++)
      writeFileSync(join(fresh, `f${i}.py`), pythonFunction(`part_${i}`, 3));
    const [one, idle] = await Promise.all([
      near({ cwd: fresh, daemon: cache, autoInit: true }),
      near({ cwd: fresh, daemon: cache }),
    ]);
    const { address, pid } = await only(cache);
    const begun = new Promise<void>((done) => {
      void one.client
        .callTool(
          { name: "codegraph_explore", arguments: { query: "part_7" } },
          { onprogress: () => done() },
        )
        .then(({ content }) => (text = JSON.stringify(content)));
    });
    let text = "";
    await begun;
    // The client that is not to index is told what to do, by the same daemon.
    expect((await idle.explore({ query: "part_7" })).text).toContain(
      "codegraph init",
    );
    process.kill(pid, "SIGTERM");
    await soon(() => existsSync(address.folder)).toBe(false);
    await gone(pid);
    await soon(() => text).toContain("def part_7");
    expect(await running(cache)).toEqual([]);
    await Promise.all([one, idle].map((c) => c.client.close()));
  },
  20_000,
);
