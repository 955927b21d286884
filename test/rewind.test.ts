/** Turns that are taken back, as the transcript tells them. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { ToolHandler } from "../src/serve/handler.ts";
import { TOOL } from "../src/serve/tool.ts";
import { readOn, Transcripts } from "../src/serve/transcript.ts";
import { Chain, readRecord, type ChainRecord } from "../src/session/chain.ts";
import { limits } from "../src/spec.gen.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { near, NO_SETTINGS, type Near } from "./near.ts";
import { indexed, pythonFunction, scratch } from "./scratch.ts";
import { Transcript } from "./transcript.ts";

examples(
  "rewound-calls",
  ["given records", "when asked"],
  ["then gone"],
  (row) => {
    const chain = new Chain();
    for (const word of row["given records"].split(" ")) {
      const [, id, parent, call, message] =
        /^(\w+)(?:<(\w+))?(?::(\w+))?(?:=(\w+))?$/.exec(word)!;
      if (id === "cut") chain.cut();
      else
        chain.take({
          id: id!,
          parent,
          message: message ?? id!,
          calls: call === undefined ? [] : [call],
          prompt: undefined,
        });
    }
    return { "then gone": chain.isGone(row["when asked"]) ? "yes" : "no" };
  },
);

law(
  "rewound-calls",
  "a call is gone exactly if no call of its message is on the way from the newest record",
  () => {
    const record = fc.record({
      back: fc.nat(6),
      isRoot: fc.boolean(),
      withPrevious: fc.boolean(),
      calls: fc.nat(2),
    });
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 30 }),
        (given) => {
          const chain = new Chain();
          const all: ChainRecord[] = [];
          for (const [
            n,
            { back, isRoot, withPrevious, calls },
          ] of given.entries()) {
            const parent = isRoot && back === 0 ? undefined : all[n - 1 - back];
            all.push({
              id: `r${n}`,
              parent: parent?.id,
              // Records of one message follow upon each other.
              message:
                withPrevious && parent && parent === all[n - 1]
                  ? parent.message
                  : `m${n}`,
              calls: Array.from({ length: calls }, (_, i) => `u${n}.${i}`),
              prompt: undefined,
            });
            chain.take(all[n]!);
          }
          const byId = new Map(all.map((r) => [r.id, r]));
          const alive = new Set<string>();
          for (
            let at: ChainRecord | undefined = all.at(-1);
            at;
            at = byId.get(at.parent ?? "")
          )
            if (at.calls.length > 0) alive.add(at.message);
          for (const { calls, message } of all)
            for (const call of calls)
              expect(chain.isGone(call)).toBe(!alive.has(message));
        },
      ),
      { numRuns: 300 },
    );
  },
);

ruleTest(
  "rewound-calls",
  "a record is read as the host writes it, and nothing else is one",
  () => {
    const isOurs = (tool: string) => tool.endsWith("__codegraph_explore");
    const read = (record: unknown) =>
      readRecord(
        typeof record === "string" ? record : JSON.stringify(record),
        isOurs,
      );
    const use = (name: string, id: unknown) => ({ type: "tool_use", name, id });
    const assistant = {
      parentUuid: "r1",
      isSidechain: false,
      type: "assistant",
      message: {
        id: "msg_1",
        content: [
          { type: "text", text: "let me see" },
          use("mcp__cg__codegraph_explore", "toolu_1"),
          use("mcp__cg__codegraph_explore", 7),
          use("Read", "toolu_2"),
        ],
      },
      uuid: "r2",
    };
    const record = { id: "r2", parent: "r1", message: "msg_1" };
    expect(read(assistant)).toEqual({
      ...record,
      calls: ["toolu_1"],
      prompt: undefined,
    });
    // A result quotes calls; what a person pastes may look like one.
    expect(
      read({
        ...assistant,
        type: "user",
        promptId: "P",
        message: { role: "user", content: assistant.message.content },
      }),
    ).toEqual({ ...record, message: "r2", calls: [], prompt: "P" });
    expect(read({ ...assistant, parentUuid: null })?.parent).toBeUndefined();
    for (const other of [
      { ...assistant, isSidechain: true },
      { ...assistant, uuid: 7 },
      { ...assistant, parentUuid: undefined },
      { type: "last-prompt", leafUuid: "r1" },
      [],
      null,
      '{"uuid":"r2","parentUuid":"r1"',
    ])
      expect(read(other)).toBeUndefined();
  },
);

examples(
  "transcripts-read-on",
  ["given read up to", "given size"],
  ["then read from", "then left out"],
  (row, moved) => {
    const upTo = row["given read up to"];
    const { from, isCut } = readOn(
      upTo === "–" ? undefined : Number(upTo),
      Number(row["given size"]),
      moved,
    );
    return {
      "then read from": String(from),
      "then left out": isCut ? "yes" : "no",
    };
  },
);

const transcript = () => new Transcript(join(scratch(), "S1.jsonl"));

ruleTest(
  "transcripts-read-on",
  "what was appended is read on, line by line, whatever else stands there",
  async () => {
    const one = transcript();
    const all = new Transcripts();
    const gone = async (call: string) =>
      (await all.read({ path: one.path, prompt: undefined }, false))?.(call);
    // It is written with the first turn.
    expect(await gone("u1")).toBeUndefined();
    one.ask("x".repeat(3_000_000));
    const before = one.place();
    one.calls(["u1", "u2"]);
    expect(await gone("u1")).toBe(false);
    one.goBack(before);
    expect(await gone("u1")).toBe(false);
    one.ask();
    expect([await gone("u1"), await gone("u2")]).toEqual([true, true]);
    // A line that is being written counts when it is whole.
    const line = JSON.stringify({
      parentUuid: null,
      uuid: "late",
      type: "assistant",
      message: {
        content: [
          { type: "tool_use", id: "u3", name: "mcp__a__codegraph_explore" },
        ],
      },
    });
    appendFileSync(one.path, `not JSON, "parentUuid"\n${line.slice(0, 40)}`);
    expect(await gone("u3")).toBe(false);
    appendFileSync(one.path, `${line.slice(40)}\n`);
    one.ask();
    expect(await gone("u3")).toBe(true);
    // Another file in its place says nothing of what was before.
    const other = new Transcript(join(scratch(), "other.jsonl"));
    other.ask();
    renameSync(other.path, one.path);
    expect(await gone("u1")).toBe(false);
    writeFileSync(one.path, "");
    expect(await gone("u1")).toBe(false);
  },
);

ruleTest(
  "transcripts-are-followed",
  "what is no transcript is not read",
  async () => {
    const folder = scratch();
    const all = new Transcripts();
    const read = (path: string) => all.read({ path, prompt: undefined }, true);
    mkdirSync(join(folder, "folder.jsonl"));
    execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
    writeFileSync(join(folder, "secret.txt"), "x\n");
    writeFileSync(join(folder, "real.jsonl"), "\0\n[]\n");
    // Nor is it waited for.
    const waits: number[] = [];
    const waiting = new Transcripts(limits, async (ms) => waits.push(ms));
    const path = join(folder, "none.jsonl");
    expect(await waiting.read({ path, prompt: "P" }, true)).toBeUndefined();
    expect(waits).toEqual([]);
    for (const name of [
      "folder.jsonl",
      "pipe.jsonl",
      "secret.txt",
      "none.jsonl",
    ])
      expect(await read(join(folder, name)), name).toBeUndefined();
    expect(await read("real.jsonl")).toBeUndefined();
    expect(await read(join(folder, "real.jsonl"))).toBeDefined();
    expect(await read("/a\0b.jsonl")).toBeUndefined();
  },
);

/** How long a call waits for a prompt that never comes, look by look. */
const waitsOf = async (
  moved: ConstructorParameters<typeof Transcripts>[0],
  isAwaited = true,
) => {
  const one = transcript();
  one.ask();
  const waits: number[] = [];
  const all = new Transcripts(moved, async (ms) => waits.push(ms));
  // Each prompt is waited for once.
  for (const prompt of ["another", "another", "a third"])
    expect(
      await all.read({ path: one.path, prompt }, isAwaited),
    ).toBeUndefined();
  return waits;
};
loadBearing("transcripts-are-followed", "TRANSCRIPT_WAIT_MS", waitsOf);
loadBearing("transcripts-are-followed", "TRANSCRIPT_POLL_MS", waitsOf);
loadBearing("transcripts-are-followed", "MAX_CHAIN_RECORDS", (moved) => {
  const chain = new Chain(moved);
  const take = (id: string, parent: string | undefined, calls: string[] = []) =>
    chain.take({ id, parent, message: id, calls, prompt: undefined });
  const goneFrom = (records: number) => {
    const own = `${records}`;
    take(own, undefined, [own]);
    for (let n = 1; n < records; n++) take(`${own}.${n}`, undefined);
    take(`${own}.back`, own);
    return chain.isGone(own);
  };
  return [limits.MAX_CHAIN_RECORDS, limits.MAX_CHAIN_RECORDS + 1].map(goneFrom);
});
loadBearing("transcripts-are-followed", "MAX_TRANSCRIPTS", async (moved) => {
  const all = new Transcripts(moved);
  const many = Array.from({ length: limits.MAX_TRANSCRIPTS + 1 }, transcript);
  const gone = async (one: Transcript) =>
    (await all.read({ path: one.path, prompt: undefined }, false))?.("u1");
  // Each has taken back a call that stands before its last half megabyte.
  const begun = async (one: Transcript) => {
    one.ask();
    const before = one.place();
    one.calls(["u1"]);
    await gone(one);
    one.ask("x".repeat(limits.TRANSCRIPT_TAIL_KB * 1_000));
    one.goBack(before);
    one.ask();
  };
  for (const one of many) await begun(one);
  const first = many.slice(0, -1).reverse();
  return Promise.all(first.map(gone));
});

ruleTest(
  "transcripts-are-followed",
  "a call waits for its prompt, and only where something could be pointed at",
  async () => {
    expect(await waitsOf(limits, false)).toEqual([]);
    const { TRANSCRIPT_POLL_MS: poll, TRANSCRIPT_WAIT_MS: wait } = limits;
    expect(await waitsOf(limits)).toEqual(
      Array.from({ length: (2 * wait) / poll }, () => poll),
    );
    const one = transcript();
    one.ask();
    const before = one.place();
    one.calls(["u1"]);
    const prompt = "the next";
    let looks = 0;
    const all = new Transcripts(limits, async () => {
      // The host has gone on, and writes it now.
      if (++looks === 3) {
        one.goBack(before);
        one.ask("again", prompt);
      }
    });
    const isGone = await all.read({ path: one.path, prompt }, true);
    expect(looks).toBe(3);
    expect(isGone?.("u1")).toBe(true);
  },
);

const POINTER = "Already sent earlier in this conversation";

/** A conversation with the real server, as Claude Code with its hooks holds it. */
async function conversing(
  run: (
    one: Transcript,
    ask: (agent?: string) => Promise<"whole" | "shortened">,
  ) => Promise<void>,
): Promise<void> {
  const root = indexed(join(scratch(), "p"), {
    "core.py": pythonFunction("settle_account", 40),
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [
        `part${i}.py`,
        pythonFunction(`part_${i}`, 12),
      ]),
    ),
  });
  const one = transcript();
  const handler = new ToolHandler();
  const client: Near = await near(root, { name: "claude-code", handler });
  const untracked = { places: [root], now: () => 0, settings: NO_SETTINGS };
  let asked = 0;
  await run(one, async (a = "") => {
    const u = `toolu_${++asked}`;
    await client.announce({ s: "S1", a, u, t: one.path, p: one.prompt });
    const query = `settle_account part_${asked}`;
    const text = await client.explore({ query }, { "claudecode/toolUseId": u });
    if (a === "") one.calls([u]);
    const isShort = text.includes(POINTER);
    const { content } = await handler.execute(
      TOOL,
      { query },
      undefined,
      untracked,
    );
    // As at first, byte for byte.
    expect(text === content[0]!.text).toBe(!isShort);
    return isShort ? "shortened" : "whole";
  });
  await client.close();
  await handler.close();
}

ruleTest(
  "rewound-calls",
  "after turns are taken back the call is whole, and the next one is not",
  () =>
    conversing(async (one, ask) => {
      one.ask();
      const start = one.place();
      expect(await ask()).toBe("whole");
      expect(await ask()).toBe("shortened");
      const later = one.place();
      one.ask();
      expect(await ask()).toBe("shortened");
      // Back to where the lines are still held: what was held begins anew all the same.
      one.goBack(later);
      one.ask();
      expect(await ask()).toBe("whole");
      expect(await ask()).toBe("shortened");
      // And to before they came.
      one.goBack(start);
      one.ask();
      expect(await ask()).toBe("whole");
      expect(await ask()).toBe("shortened");
      // A subagent's calls stand in another file.
      expect(await ask("a7")).toBe("whole");
      one.goBack(start);
      one.ask();
      expect(await ask("a7")).toBe("shortened");
      expect(await ask()).toBe("whole");
    }),
);

ruleTest(
  "rewound-calls",
  "where the transcript says nothing, nothing changes",
  () =>
    conversing(async (one, ask) => {
      one.ask();
      const start = one.place();
      expect(await ask()).toBe("whole");
      one.goBack(start);
      one.ask();
      writeFileSync(one.path, "not what it was\n");
      expect(await ask()).toBe("shortened");
    }),
);
