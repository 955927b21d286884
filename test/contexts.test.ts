/** Whose call it is, and what ends a context. */
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { preToolUse, postCompact } from "../src/hosts/hook.ts";
import { hookWaits } from "../src/cli/hooks.ts";
import { userFolder } from "../src/index/user-folder.ts";
import { viewOf } from "../src/serve/daemon/address.ts";
import { addressNamed } from "../src/serve/daemon/names.ts";
import { readAnnouncement } from "../src/serve/announce.ts";
import { Announced } from "../src/session/announced.ts";
import { contextIdOf } from "../src/session/host.ts";
import { ownerOf } from "../src/session/owner.ts";
import { limits, wordings } from "../src/spec.gen.ts";
import { connect, type Connected } from "./client.ts";
import { caches, only, said } from "./daemons.ts";
import { folders } from "./folders.ts";
import { examples, loadBearing, ruleTest } from "./from-spec.ts";
import { indexed, pythonFunction } from "./scratch.ts";

/** A cell's value: none, a number, or a text with its blanks. */
const value = (cell: string): unknown =>
  cell === "–"
    ? undefined
    : cell === "number 7"
      ? 7
      : cell.replace(/^`|`$/g, "");

examples(
  "owner-of-a-call",
  ["given client", "given meta", "given stamp", "when announced"],
  ["then context", "then by"],
  (row) => {
    const announced = new Announced();
    const [callId, context] = row["when announced"].split("=");
    if (context !== undefined) announced.announce(callId!, { context });
    const meta = value(row["given meta"]) as string | undefined;
    const owner = ownerOf({
      client: value(row["given client"]) as string | undefined,
      meta: meta === undefined ? undefined : JSON.parse(meta),
      sessionId: value(row["given stamp"]),
      announced: (id) => announced.take(id),
    });
    return {
      "then context": owner.detached ? "detached" : owner.context || "default",
      "then by": owner.by,
    };
  },
);

examples(
  "context-of-a-host",
  ["given session", "given agent"],
  ["then id"],
  (row) => ({
    "then id":
      contextIdOf(value(row["given session"]), value(row["given agent"])) ||
      "–",
  }),
);

loadBearing("announced-calls", "MAX_ANNOUNCED", (moved) => {
  const announced = new Announced(moved);
  const many = limits.MAX_ANNOUNCED + 2;
  for (let i = 0; i < many; i++)
    announced.announce(`u${i}`, { context: `S${i}` });
  return Array.from({ length: many }, (_, i) => announced.take(`u${i}`));
});

ruleTest("announced-calls", "an announcement is for one call", () => {
  const announced = new Announced();
  announced.announce("u1", { context: "S1" });
  expect(announced.take("u1")).toEqual({ context: "S1" });
  expect(announced.take("u1")).toBeUndefined();
});

loadBearing("announced-calls", "MAX_ANNOUNCED_CHARS", (moved) =>
  ["u", "t", "p"].flatMap((name) =>
    [0, 1].map(
      (over) =>
        readAnnouncement(
          {
            s: "S1",
            u: "u1",
            [name]: "/".repeat(limits.MAX_ANNOUNCED_CHARS + over),
          },
          moved,
        ) !== undefined,
    ),
  ),
);
examples("hooks-announce", ["given announcement"], ["then it says"], (row) => {
  const said = readAnnouncement(JSON.parse(row["given announcement"]));
  if (!said) return { "then it says": "–" };
  if (said.kind === "end")
    return { "then it says": `${said.context} has ended` };
  const { callId, context, transcript } = said;
  const at = transcript?.prompt === undefined ? "" : ` at ${transcript.prompt}`;
  return {
    "then it says":
      `${callId} is of ${context}` +
      (transcript ? `, in ${transcript.path}${at}` : ""),
  };
});

examples(
  "hook-pre-tool-use",
  ["given agent", "given payload"],
  ["then answer"],
  (row) => ({
    "then answer":
      preToolUse(
        row["given payload"],
        value(row["given agent"]) as string | undefined,
      ) || "–",
  }),
);

const folder = folders();
const cache = caches();
const shared = cache();
const root = indexed(folder(), {
  "core.py": pythonFunction("settle_account", 40),
  // Each call asks about another of these too: an answer is never pointers alone.
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `part${i}.py`,
      pythonFunction(`part_${i}`, 12),
    ]),
  ),
});

const POINTER = "Already sent earlier in this conversation";
const lines = (text: string) => text.match(/^\d+\t/gm)?.length ?? 0;

/** One client of that name; each of its calls asks something else about the same file. */
async function asking(
  name: string,
  run: (
    ask: (
      meta?: Readonly<Record<string, unknown>>,
      more?: Readonly<Record<string, unknown>>,
    ) => Promise<"whole" | "shortened">,
    one: Connected,
  ) => Promise<void>,
): Promise<void> {
  const home = dirname(root);
  const one = await connect({ cwd: root, home, name, daemon: shared });
  let asked = 0;
  try {
    await run(async (meta, more) => {
      const query = `settle_account part_${asked++}`;
      const { text } = await one.explore({ query, ...more }, meta);
      const isShort = text.includes(POINTER);
      expect(lines(text) > 40).toBe(!isShort);
      return isShort ? "shortened" : "whole";
    }, one);
  } finally {
    await one.client.close();
  }
}

ruleTest(
  "owner-decides",
  "Codex: the call names its context, and a compaction begins another",
  () =>
    asking("codex-mcp-client", async (ask) => {
      const of = (windowId: string, callId = "call_1") => ({
        threadId: windowId.split(":")[0],
        windowId,
        callId,
      });
      expect(await ask(of("T:0"))).toBe("whole");
      expect(await ask(of("T:0"))).toBe("shortened");
      expect(await ask(of("SUB:0"))).toBe("whole");
      expect(await ask(of("SUB:0"))).toBe("shortened");
      expect(await ask(of("T:1"))).toBe("whole");
      expect(await ask(of("T:1"))).toBe("shortened");
      // A script's call sees all and is not remembered.
      expect(await ask(of("T:1", "exec-1"))).toBe("whole");
      expect(await ask(of("NEW:0", "exec-2"))).toBe("whole");
      expect(await ask(of("NEW:0"))).toBe("whole");
      expect(await ask({})).toBe("whole");
      expect(await ask({})).toBe("whole");
    }),
);

ruleTest(
  "hooks-announce",
  "Claude Code: a hook tells whose the next call is, and what has ended",
  () =>
    asking("claude-code", async (ask, { client }) => {
      let calls = 0;
      const hook = async (given: Record<string, string>) => {
        const { content } = await client.callTool({
          name: "codegraph_context",
          arguments: given,
        });
        expect(content).toEqual([{ type: "text", text: "{}" }]);
      };
      const of = async (s: string, a = "") => {
        const u = `toolu_${++calls}`;
        await hook({ s, a, u });
        return ask({ "claudecode/toolUseId": u });
      };
      expect(await of("S1")).toBe("whole");
      expect(await of("S1")).toBe("shortened");
      expect(await of("S1", "a7")).toBe("whole");
      expect(await of("S1", "a7")).toBe("shortened");
      expect(await of("S1", "a8")).toBe("whole");
      // A subagent's compaction ends nobody else's context.
      await hook({ s: "S1", a: "a7", e: "compact" });
      expect(await of("S1", "a7")).toBe("whole");
      expect(await of("S1")).toBe("shortened");
      expect(await of("S1", "a8")).toBe("shortened");
      await hook({ s: "S1", a: "", e: "compact" });
      expect(await of("S1")).toBe("whole");
      expect(await of("S1", "a8")).toBe("whole");
      expect(await of("S2")).toBe("whole");
      // Without a hook a call may be anybody's.
      expect(await ask({ "claudecode/toolUseId": "unannounced" })).toBe(
        "whole",
      );
      expect(await ask({ "claudecode/toolUseId": "unannounced" })).toBe(
        "whole",
      );
      // An announcement that is none harms nothing.
      await hook({});
      expect((await client.listTools()).tools).toHaveLength(1);
    }),
);

ruleTest(
  "owner-of-a-call",
  "a stamp that no schema declares reaches the server",
  () =>
    asking("opencode", async (ask) => {
      expect(await ask({}, { sessionId: "ses_1" })).toBe("whole");
      expect(await ask({}, { sessionId: "ses_1" })).toBe("shortened");
      expect(await ask({}, { sessionId: "ses_2" })).toBe("whole");
      expect(await ask()).toBe("whole");
      expect(await ask()).toBe("whole");
    }),
);

/** A hook as a host runs it. */
const hook = (
  args: readonly string[],
  input: string | Buffer,
  env: Readonly<Record<string, string>> = {},
) =>
  spawnSync(
    process.execPath,
    [resolve("dist/codegraph.js"), "hooks", ...args],
    {
      input,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: dirname(root), ...env },
      maxBuffer: 1 << 26,
    },
  );

ruleTest("hooks-harm-nothing", "whatever it is given", () => {
  const large = JSON.stringify({
    session_id: "S1",
    tool_name: "mcp__x__codegraph_explore",
    tool_input: { query: "x".repeat(5_000_000) },
  });
  for (const args of [["pre-tool-use", "--agent", "claude"], ["post-compact"]])
    for (const input of ["", "garbage", "[]", '{"session_id":"S1"}', "\0\0"])
      expect(hook(args, input)).toMatchObject({
        status: 0,
        stdout: "",
        stderr: "",
      });
  const latin = Buffer.from(large.replace("xx", "\xe9"), "latin1");
  expect(hook(["pre-tool-use", "--agent", "claude"], latin)).toMatchObject({
    status: 0,
    stdout: "",
  });
  const { status, stdout } = hook(["pre-tool-use", "--agent", "codex"], large);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    hookSpecificOutput: { updatedInput: { sessionId: "S1" } },
  });
  for (const args of [[], ["no-such-hook"], ["pre-tool-use", "--agent"]])
    expect(hook(args, large.slice(1))).toMatchObject({ status: 0, stdout: "" });
});

ruleTest(
  "control-clears-a-context",
  "the daemon forgets the context that was compacted, and no other",
  async () => {
    const home = dirname(root);
    const daemon = cache();
    const env = { CODEGRAPH_CACHE_DIR: daemon };
    const compacted = (payload: object) =>
      expect(
        // With a byte that is no UTF-8.
        hook(
          ["post-compact"],
          Buffer.from(JSON.stringify({ ...payload, x: "\xe9" }), "latin1"),
          env,
        ),
      ).toMatchObject({ status: 0, stdout: "", stderr: "" });
    // No daemon yet.
    compacted({ session_id: "S1" });
    const one = await connect({ cwd: root, home, daemon });
    const control = async (line: object) =>
      JSON.parse(
        await said(
          await only(daemon),
          `${JSON.stringify({ codegraph_control: 1, op: "clear-session-record", ...line })}\n`,
        ),
      ) as object;
    try {
      let n = 0;
      const ask = async (sessionId: string) => {
        const query = `settle_account part_${n++}`;
        const { text } = await one.explore({ query, sessionId });
        return text.includes(POINTER);
      };
      expect([await ask("S1"), await ask("S1:a7"), await ask("S2")]).toEqual([
        false,
        false,
        false,
      ]);
      compacted({ session_id: "S1", agent_id: "a7" });
      expect([await ask("S1"), await ask("S1:a7")]).toEqual([true, false]);
      compacted({ session_id: "S1" });
      expect([await ask("S1"), await ask("S1:a7")]).toEqual([false, false]);
      expect(await ask("S2")).toBe(true);
      expect(await control({ sessionId: "S2" })).toEqual({
        codegraph_control: 1,
        dropped: 1,
      });
      expect(await ask("S2")).toBe(false);
      for (const sessionId of ["", "  ", 7, null, undefined])
        expect(await control({ sessionId })).toEqual({
          codegraph_refused: wordings.CONTROL_BAD_ID,
        });
    } finally {
      await one.client.close();
    }
  },
);

ruleTest(
  "hook-post-compact",
  "a context is named as the stamp names it",
  () => {
    expect(postCompact('{"session_id":"S1","agent_id":"a7"}')).toBe("S1:a7");
    expect(postCompact('{"session_id":"S1"}')).toBe("S1");
    expect(postCompact("{}")).toBe("");
  },
);

ruleTest(
  "hook-post-compact",
  "a daemon that hangs is not waited for",
  async () => {
    const home = cache();
    const run = userFolder("run", home)!;
    const name = `${viewOf()}${"0".repeat(16)}`;
    mkdirSync(join(run, name), { mode: 0o700 });
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((done) =>
      silent.listen(addressNamed("", name, run)!.socket, done),
    );
    // The test's own process is the one that hangs: it must not block meanwhile.
    const child = spawn(
      process.execPath,
      [resolve("dist/codegraph.js"), "hooks", "post-compact"],
      {
        env: { PATH: process.env.PATH, HOME: home, CODEGRAPH_CACHE_DIR: home },
      },
    );
    const started = performance.now();
    child.stdin.end('{"session_id":"S1"}');
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(0);
    expect(performance.now() - started).toBeLessThan(
      limits.HOOK_WAIT_MS + 3_000,
    );
    await new Promise((done) => silent.close(done));
  },
);

loadBearing("hook-post-compact", "HOOK_WAIT_MS", (moved) => hookWaits(moved));
loadBearing("hooks-harm-nothing", "HOOK_INPUT_MS", (moved) => hookWaits(moved));
loadBearing("hooks-harm-nothing", "HOOK_INPUT_MB", (moved) => hookWaits(moved));
