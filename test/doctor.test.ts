/** What is found wrong with a host's entries, and how they are tried. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { atOnce } from "../src/cli/doctor-command.ts";
import {
  judge,
  type FoundFile,
  type FoundHost,
  type HookTried,
  type ServerTried,
} from "../src/hosts/doctor.ts";
import { CALL, COMPACTION } from "../src/hosts/hook-entries.ts";
import type { WiredHook, WiredServer } from "../src/hosts/host.ts";
import {
  bareEnvironment,
  patience,
  tryHook,
  tryServer,
} from "../src/hosts/probe.ts";
import { turns } from "../src/hosts/turns.ts";
import { say } from "../src/model/wording.ts";
import { TOOL } from "../src/serve/tool.ts";
import { lists, wordings } from "../src/spec.gen.ts";
import { codegraph, ended, start } from "./binary.ts";
import { gone } from "./daemons.ts";
import { examples, loadBearing, ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";
import { scratch } from "./scratch.ts";

const OWN = "1.0.0";
const server: WiredServer = {
  name: "codegraph",
  command: "cmd",
  args: ["serve", "--mcp"],
  env: {},
  enabled: true,
};
const answered: ServerTried = {
  did: "answered",
  version: OWN,
  tools: [TOOL],
  ms: 400,
  takes: true,
  ownPath: false,
};
const commandHook = (event: string): WiredHook => ({
  event,
  kind: "command",
  matcher: undefined,
  argv: ["cmd", "hooks"],
  shell: undefined,
  server: undefined,
});
const announcing = (event: string, to = "codegraph"): WiredHook => ({
  ...commandHook(event),
  kind: "mcp_tool",
  argv: undefined,
  server: to,
});
const right: HookTried = { did: "ended", code: 0, detail: "", right: true };

type Hooks = FoundFile["hooks"];
const announcingTo = (to?: string): Hooks =>
  [CALL, COMPACTION].map((event) => [announcing(event, to), undefined]);
/** The hook at a call did as is said; the other one as it should. */
const commands = (tried: HookTried = right): Hooks => [
  [commandHook(CALL), tried],
  [commandHook(COMPACTION), right],
];

const file: FoundFile = {
  path: "settings.json",
  scope: "user",
  problem: undefined,
  servers: [],
  hooks: [],
  plugin: false,
  drifted: false,
};

/** What each phrase of the table adds: to the file, or to the host. */
const PHRASES: Readonly<
  Record<
    string,
    Partial<FoundFile> & {
      readonly host?: Partial<FoundHost>;
      tried?: ServerTried;
    }
  >
> = {
  nothing: {},
  "server answers": { tried: answered },
  "of another version": { tried: { ...answered, version: "0.9.0" } },
  "on the own PATH alone": { tried: { ...answered, ownPath: true } },
  "server switched off": {
    servers: [[{ ...server, enabled: false }, undefined]],
  },
  "server not found": { tried: { did: "not found" } },
  "server ends": { tried: { did: "ended", detail: "it broke" } },
  "server silent": { tried: { did: "hung" } },
  "server another": { tried: { ...answered, tools: ["search"] } },
  "file broken": { problem: { line: 3, what: "a comma is missing" } },
  "announcing hooks": {
    hooks: announcingTo(),
    host: { id: "claude", version: "2.1.332" },
  },
  "announcing hooks that fail": {
    hooks: announcingTo(),
    host: { id: "claude", version: "2.1.400" },
    tried: { ...answered, takes: false },
  },
  "announcing hooks to another": {
    hooks: announcingTo("other"),
    host: { id: "claude", version: "3.0.0" },
  },
  "announcing hooks in an older host": {
    hooks: announcingTo(),
    host: { id: "claude", version: "2.0.0" },
  },
  "announcing hooks in an unknown host": {
    hooks: announcingTo(),
    host: { id: "claude", version: undefined },
  },
  "command hooks": { hooks: commands(), host: { id: "claude" } },
  "command hooks not found": {
    hooks: commands({ did: "not found", command: "cmd" }),
    host: { id: "claude" },
  },
  "command hooks that end with 1": {
    hooks: commands({ ...right, code: 1, detail: "it broke" }),
    host: { id: "claude" },
  },
  "command hooks that answer wrong": {
    hooks: commands({ ...right, right: false }),
    host: { id: "claude" },
  },
  "command hooks that hang": {
    hooks: commands({ did: "hung" }),
    host: { id: "claude" },
  },
  "no hooks where they are needed": { host: { id: "claude" } },
  "no plugin where it is needed": { host: { id: "opencode" } },
  "without PostCompact": {
    hooks: announcingTo().slice(0, 1),
    host: { id: "claude", version: "2.1.332" },
  },
  plugin: { plugin: true, host: { id: "opencode" } },
  hooks: { hooks: announcingTo().slice(0, 0).concat(commands()) },
  "no server": { servers: [] },
  "not as it is written now": { drifted: true },
};

examples(
  "doctor-judges",
  ["given found"],
  ["then mark", "then says"],
  (row, limits) => {
    let host: FoundHost = { id: "cursor", version: undefined, files: [] };
    let found = file;
    for (const phrase of row["given found"].split(", ")) {
      const given = PHRASES[phrase];
      if (!given) throw new Error(`no phrase ${phrase}`);
      const { host: more, tried, ...rest } = given;
      found = {
        ...found,
        ...(tried && { servers: [[server, tried]] }),
        ...rest,
      };
      host = { ...host, ...more };
    }
    const findings = judge({ ...host, files: [found] }, OWN, limits);
    // Of a server that answers and of something else, that is the one of interest.
    const finding = findings.findLast(({ says, mark }) =>
      findings.length > 1 && mark === "ok"
        ? !says.startsWith("The server")
        : true,
    )!;
    const worst = findings.find(({ mark }) => mark === "FAIL") ?? finding;
    for (const { mark, mend } of findings)
      expect(mend === undefined).toBe(mark === "ok");
    return { "then mark": worst.mark, "then says": worst.says };
  },
);

const NODE = process.execPath;
const cwd = scratch();
const surroundings = {
  cwd,
  env: { ...process.env, HOME: cwd },
  platform: process.platform,
};
const entry = (...args: readonly string[]): WiredServer => ({
  ...server,
  command: NODE,
  args,
});
const script = (code: string) => entry("-e", code);
const SOON = {
  DOCTOR_WAIT_SECONDS: 0.3,
  DOCTOR_ENDS_MS: 50,
  DOCTOR_READS_CHARS: 100,
  DOCTOR_LINE_CHARS: 1000,
};
const LATER = { ...SOON, DOCTOR_WAIT_SECONDS: 20 };

ruleTest("doctor-starts-servers", "the real one answers", async () => {
  const tried = await tryServer(
    entry(resolve("dist/codegraph.js"), "serve", "--mcp"),
    surroundings,
  );
  expect(tried).toMatchObject({
    did: "answered",
    tools: [TOOL],
    takes: true,
    ownPath: false,
  });
});

ruleTest("doctor-starts-servers", "servers that do not", async () => {
  const trying = (one: WiredServer) => tryServer(one, surroundings, SOON);
  expect(
    await Promise.all([
      trying({ ...server, command: join(cwd, "none") }),
      trying(
        script("console.error('Error: it broke\\nversion 1');process.exit(3)"),
      ),
      trying(script("setInterval(()=>{},1000)")),
      trying(script("console.log('no protocol');setInterval(()=>{},1000)")),
    ]),
  ).toEqual([
    { did: "not found" },
    { did: "ended", detail: "Error: it broke" },
    { did: "hung" },
    { did: "hung" },
  ]);
});

ruleTest("doctor-is-bounded", "servers that say anything", async () => {
  const trying = (one: WiredServer, limits = SOON) =>
    tryServer(one, surroundings, limits);
  /** Gives one result to each request. */
  const giving = (result: string) =>
    script(
      `require("readline").createInterface(process.stdin).on("line", (line) => {
        const { id } = JSON.parse(line);
        if (id !== undefined) console.log(JSON.stringify({ id, result: ${result} }));
      })`,
    );
  const [endless, nothing, silent, forked, ...odd] = await Promise.all([
    trying({ ...server, command: "cat", args: ["/dev/zero"] }),
    trying({ ...server, command: NODE, args: ["a\0b"] }),
    trying(script("process.exit(3)"), LATER),
    // What it leaves behind holds its outputs.
    trying(
      {
        ...server,
        command: "sh",
        args: ["-c", `sleep 20 & echo $! > ${join(cwd, "left")}`],
      },
      LATER,
    ),
    ...[
      "null",
      "5",
      "{tools:5}",
      "{tools:[null,7,{name:{}}],serverInfo:1}",
    ].map((result) => trying(giving(result), LATER)),
  ]);
  expect(endless).toEqual({ did: "hung" });
  expect(nothing?.did).toBe("ended");
  expect(silent).toEqual({
    did: "ended",
    detail: say(wordings.DOCTOR_EXIT_CODE, { code: 3 }),
  });
  expect(forked).toEqual({
    did: "ended",
    detail: say(wordings.DOCTOR_EXIT_CODE, { code: 0 }),
  });
  await gone(Number(readFileSync(join(cwd, "left"), "utf8")));
  expect(odd.map((tried) => tried.did)).toEqual(odd.map(() => "answered"));
  expect(
    await tryHook(
      { ...commandHook(CALL), argv: [NODE, "a\0b"] },
      surroundings,
      SOON,
    ),
  ).toEqual({ did: "not found", command: NODE });
});

ruleTest("doctor-is-bounded", "so many at a time, in their order", async () => {
  const inTurn = turns(2);
  const order: string[] = [];
  let open = 0;
  const task = (name: string) => async () => {
    order.push(name);
    expect((open += 1)).toBeLessThanOrEqual(2);
    await pause(5);
    open -= 1;
    if (name === "b") throw new Error(name);
    return name;
  };
  const done = await Promise.allSettled(
    ["a", "b", "c", "d", "e"].map((name) => inTurn(task(name))),
  );
  expect(order.join("")).toBe("abcde");
  expect(done.map(({ status }) => status === "fulfilled")).toEqual([
    true,
    false,
    true,
    true,
    true,
  ]);
});

ruleTest("doctor-is-bounded", "what it started ends with it", async () => {
  const home = scratch();
  const at = join(home, "pid");
  const codegraph = join(home, "codegraph");
  writeFileSync(codegraph, `#!/bin/sh\necho $$ > '${at}'\nexec sleep 60\n`, {
    mode: 0o755,
  });
  mkdirSync(join(home, ".cursor"));
  writeFileSync(
    join(home, ".cursor", "mcp.json"),
    JSON.stringify({
      mcpServers: { a: { command: codegraph, args: ["serve"] } },
    }),
  );
  const child = start(["doctor", "--target", "cursor"], { cwd: home, home });
  const over = ended(child);
  while (!existsSync(at) || readFileSync(at, "utf8") === "") await pause(10);
  child.kill("SIGTERM");
  await over;
  await gone(Number(readFileSync(at, "utf8")));
});

loadBearing("doctor-is-bounded", "DOCTOR_AT_ONCE", (moved) => atOnce(moved));

ruleTest("doctor-starts-servers", "in the barest environment", async () => {
  const env = {
    HOME: cwd,
    PATH: "/opt/own",
    SECRET: "x",
    CODEGRAPH_EXPLORE_DEDUP: "0",
  };
  expect(bareEnvironment(env, "linux")).toEqual({
    HOME: cwd,
    PATH: lists.BARE_PATH.join(":"),
  });
  expect(bareEnvironment(env, "win32")).toEqual({
    HOME: cwd,
    PATH: "/opt/own",
  });
  expect(bareEnvironment({}, "linux")).toEqual({
    PATH: lists.BARE_PATH.join(":"),
  });
  // What a server gets, as it tells on its standard error.
  const tried = await tryServer(
    {
      ...script("console.error(Object.keys(process.env).sort().join())"),
      env: { OWN: "1" },
    },
    { ...surroundings, env },
  );
  expect(tried).toEqual({
    did: "ended",
    detail: "CODEGRAPH_DAEMON,HOME,OWN,PATH",
  });
});

ruleTest("doctor-tries-hooks", "real ones, and others", async () => {
  const hook = (event: string, ...argv: readonly string[]): WiredHook => ({
    ...commandHook(event),
    argv,
  });
  const own = [NODE, resolve("dist/codegraph.js"), "hooks"];
  const trying = (one: WiredHook, limits?: typeof SOON) =>
    tryHook(one, surroundings, limits);
  const [stamp, reset, silent, missing, unheard, broke, hung] =
    await Promise.all([
      trying(hook(CALL, ...own, "pre-tool-use", "--agent", "claude")),
      trying(hook(COMPACTION, ...own, "post-compact")),
      trying(hook(CALL, ...own, "post-compact")),
      trying(hook(CALL, join(cwd, "none"))),
      trying({
        ...hook(CALL),
        argv: undefined,
        shell: `'${join(cwd, "no such")}' hooks`,
      }),
      trying(hook(CALL, NODE, "-e", "console.error('broke');process.exit(2)")),
      trying(hook(CALL, NODE, "-e", "setInterval(()=>{},1000)"), SOON),
    ]);
  expect(stamp).toEqual(right);
  expect(reset).toEqual(right);
  expect(silent).toEqual({ ...right, right: false });
  expect(missing).toEqual({ did: "not found", command: join(cwd, "none") });
  expect(unheard?.did).toBe("not found");
  expect(broke).toEqual({
    did: "ended",
    code: 2,
    detail: "broke",
    right: false,
  });
  expect(hung).toEqual({ did: "hung" });
});

ruleTest(
  "doctor-judges",
  "what is found on the own PATH alone is mended for the user, whose files name paths",
  () => {
    const found: FoundFile = {
      ...file,
      scope: "project",
      servers: [[server, { ...answered, ownPath: true }]],
    };
    const [finding] = judge(
      { id: "codex", version: undefined, files: [found] },
      OWN,
    );
    expect(finding!.mend).toBe("codegraph install --target codex --scope user");
  },
);

ruleTest("doctor-command", "a host, installed and then broken", async () => {
  const home = scratch();
  const project = join(home, "project");
  mkdirSync(project);
  const at = { cwd: project, home, env: { PATH: lists.BARE_PATH.join(":") } };
  const ran = (...args: string[]) => codegraph(args, at);
  expect((await here(["doctor"], at)).stdout).toContain("No host");
  expect(ran("install", "--target", "claude,codex", "--yes").status).toBe(0);
  const well = ran("doctor", "--json");
  expect(well.status).toBe(0);
  const { healthy, hosts } = JSON.parse(well.stdout) as {
    healthy: boolean;
    hosts: { host: string; findings: { mark: string; path: string }[] }[];
  };
  expect(healthy).toBe(true);
  expect(hosts.map(({ host }) => host)).toEqual(["claude", "codex"]);
  expect(
    hosts[0]!.findings.map(({ mark, path }) => [mark, relative(home, path)]),
  ).toEqual([
    ["ok", ".claude.json"],
    ["ok", join(".claude", "settings.json")],
  ]);

  // In the home itself nothing is told twice.
  expect(codegraph(["doctor", "--json"], { ...at, cwd: home })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^(?!.*config\.toml.*config\.toml)/su),
  });

  const config = join(home, ".codex", "config.toml");
  writeFileSync(
    config,
    readFileSync(config, "utf8").replace("codegraph.js", "moved/codegraph.js"),
  );
  const ill = ran("doctor", "--target", "codex");
  expect(ill.status).toBe(1);
  expect(ill.stdout).toContain(
    `FAIL  ~/.codex/config.toml: The server "codegraph" ended`,
  );
  expect(ill.stdout).toContain("codegraph install --target codex --scope user");
  expect(readFileSync(config, "utf8")).toContain("moved/");
  expect((await here(["doctor", "--target", "emacs"], at)).status).toBe(2);
});

loadBearing("doctor-starts-servers", "DOCTOR_WAIT_SECONDS", (moved) =>
  patience(moved),
);
loadBearing("doctor-starts-servers", "DOCTOR_READS_CHARS", (moved) =>
  patience(moved),
);
loadBearing("doctor-starts-servers", "DOCTOR_ENDS_MS", (moved) =>
  patience(moved),
);
loadBearing("doctor-starts-servers", "DOCTOR_LINE_CHARS", (moved) =>
  patience(moved),
);
