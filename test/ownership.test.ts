/** What the table of clients says, asked of the real server by a client of each name. */
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { ToolHandler } from "../src/serve/handler.ts";
import { entries } from "../src/spec.gen.ts";
import { controlled } from "../src/serve/daemon/control.ts";
import type { Daemon } from "../src/serve/daemon/daemon.ts";
import { SessionRecord } from "../src/session/record.ts";
import { TOOL } from "../src/serve/tool.ts";
import { isKnown, type Owner } from "../src/session/owner.ts";
import { examples, law, ruleTest } from "./from-spec.ts";
import {
  Held,
  near,
  NO_SETTINGS,
  textOf,
  type Near,
  type Said,
} from "./near.ts";
import { connect } from "./client.ts";
import { indexed, pythonFunction, scratch } from "./scratch.ts";

const POINTER = "Already sent earlier in this conversation";
const PARTS = 6;

/** Nobody changes it. */
const root = indexed(join(scratch(), "p"), {
  "core.py": pythonFunction("settle_account", 40),
  // Each call asks about another of these too: an answer is never pointers alone.
  ...Object.fromEntries(
    Array.from({ length: PARTS }, (_, i) => [
      `part${i}.py`,
      pythonFunction(`part_${i}`, 12),
    ]),
  ),
});

/** It holds nothing of a caller, and the index open. */
const handler = new ToolHandler();
afterAll(() => handler.close());

/** Asks a question in one of the ways in which a call may name its context. */
type Way = (
  client: Near,
  query: string,
  context: string,
  nth: number,
) => Promise<string>;

const WAYS: Readonly<Record<string, Way>> = {
  call: (client, query, context) =>
    client.explore({ query }, { threadId: context, windowId: `${context}:0` }),
  announced: async (client, query, s, nth) => {
    const u = `toolu_${nth}`;
    await client.announce({ s, a: "", u });
    return client.explore({ query }, { "claudecode/toolUseId": u });
  },
  stamp: (client, query, sessionId) => client.explore({ query, sessionId }),
  // Keys that real clients send and that name nothing.
  none: (client, query, context) =>
    client.explore({ query }, { "vscode.conversationId": context }),
};

/** Whether the second call of a context was shortened, and the first of another one. */
async function shortened(name: string, ask: Way): Promise<readonly boolean[]> {
  const client = await near(root, { name, handler });
  const texts: string[] = [];
  for (const [nth, context] of ["S1", "S1", "S2"].entries())
    texts.push(await ask(client, `settle_account part_${nth}`, context, nth));
  await client.close();
  expect(texts[0]).not.toContain(POINTER);
  return texts.slice(1).map((text) => text.includes(POINTER));
}

ruleTest(
  "ownership-of-clients",
  "each row, in each way in which a call may name its context",
  async () => {
    const rows = entries["ownership-of-clients"];
    const tried: string[] = [];
    for (const [row, known] of Object.entries(rows))
      for (const name of row === "OTHER" ? ["some-client"] : known.names)
        for (const [way, ask] of Object.entries(WAYS)) {
          const counts = known.identifiedBy.includes(way);
          const { identified, unidentified } = known;
          const isOn = (counts ? identified : unidentified).includes("on");
          expect(
            [name, way, ...(await shortened(name, ask))],
            `${row}: ${way}`,
          ).toEqual([name, way, isOn, isOn && !counts]);
          tried.push(`${row} ${way}`);
        }
    expect(new Set(tried).size).toBe(
      Object.keys(rows).length * Object.keys(WAYS).length,
    );
  },
);

ruleTest(
  "owner-decides",
  "a call that is cancelled before its answer was not delivered; one after it was",
  async () => {
    const runner = new Held();
    const handler = new ToolHandler(runner);
    const client = await near(root, { name: "opencode", handler });
    const ask = (query: string): { id: number; answer: Promise<Said> } =>
      client.request("tools/call", {
        name: "codegraph_explore",
        arguments: { query, sessionId: "S1" },
      });
    const cancel = (requestId: number) =>
      client.notify("notifications/cancelled", { requestId });
    const query = "settle_account part_0";
    const open = runner.hold(query);
    cancel(ask(query).id);
    await client.request("ping").answer;
    open();
    await client.request("ping").answer;
    const texts: string[] = [];
    // As this client does: it cancels every call once it has the answer.
    for (const nth of [1, 2, 3]) {
      const { id, answer } = ask(`settle_account part_${nth}`);
      texts.push(textOf(await answer));
      cancel(id);
      await client.request("ping").answer;
    }
    await client.close();
    await handler.close();
    expect(texts.map((text) => text.includes(POINTER))).toEqual([
      false,
      true,
      true,
    ]);
  },
);

ruleTest(
  "control-clears-a-context",
  "what is reset is answered as at first, byte for byte, and nobody else is",
  async () => {
    const session = new SessionRecord();
    // A name that the table does not know: its default context is one too.
    const client = await near(root, { handler, session });
    const sessions = ["S1", "S1:a7", "S1:a8", "S2", undefined];
    const stamped = (query: string, sessionId: string | undefined) => ({
      query,
      ...(sessionId !== undefined && { sessionId }),
    });
    let round = 0;
    /** Of each bucket whether it is answered as at first. Each round asks something else. */
    const asAtFirst = async () => {
      const query = `settle_account part_${round++}`;
      const caller = { places: [root], now: () => 0, settings: NO_SETTINGS };
      const { content } = await handler.execute(
        TOOL,
        { query },
        undefined,
        caller,
      );
      const answers: boolean[] = [];
      for (const sessionId of sessions) {
        const text = await client.explore(stamped(query, sessionId));
        answers.push(text === content[0]!.text);
      }
      return answers;
    };
    const fill = async () => {
      for (const sessionId of sessions)
        await client.explore(stamped("core.py", sessionId));
    };
    const reset = async (sessionId: unknown) => {
      const daemon = { clients: new Set([{ session }]) } as unknown as Daemon;
      const op = "clear-session-record";
      await fill();
      return controlled(daemon, { op, request: { sessionId } });
    };
    await fill();
    expect(await asAtFirst()).toEqual([false, false, false, false, false]);
    expect(await reset("S1:a7")).toEqual({ codegraph_control: 1, dropped: 1 });
    expect(await asAtFirst()).toEqual([false, true, false, false, false]);
    expect(await reset("S1")).toEqual({ codegraph_control: 1, dropped: 3 });
    expect(await asAtFirst()).toEqual([true, true, true, false, false]);
    for (const none of ["", "  ", undefined, null, 7]) {
      expect(await reset(none)).toHaveProperty("codegraph_refused");
      expect(session.forget("")).toBe(0);
    }
    expect(await asAtFirst()).toEqual([false, false, false, false, false]);
    await client.close();
  },
);

ruleTest(
  "owner-decides",
  "however a context ends, its next call is answered as its first, byte for byte",
  async () => {
    const query = "settle_account part_1";
    const ends: Readonly<
      Record<string, (client: Near, nth: number) => Promise<string>>
    > = {
      "codex-mcp-client": (client, nth) =>
        client.explore({ query }, { threadId: "T", windowId: `T:${nth >> 1}` }),
      "claude-code": async (client, nth) => {
        if (nth === 2) await client.announce({ s: "S", a: "", e: "compact" });
        await client.announce({ s: "S", a: "", u: `u${nth}` });
        return client.explore({ query }, { "claudecode/toolUseId": `u${nth}` });
      },
    };
    for (const [name, ask] of Object.entries(ends)) {
      const client = await near(root, { name, handler });
      const texts: string[] = [];
      for (let nth = 0; nth < 4; nth++) texts.push(await ask(client, nth));
      await client.close();
      expect(texts[2], name).toBe(texts[0]);
      expect(texts[3], name).toBe(texts[1]);
      expect(texts[1], name).toContain(POINTER);
    }
  },
);

law(
  "owner-decides",
  "callers that share a connection are answered as if each had one of its own",
  async () => {
    const asked = fc.record({
      caller: fc.constantFrom("S1", "S1:a7", "S2"),
      query: fc.constantFrom("core.py", "settle_account part_1", "part_2"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(asked, { minLength: 4, maxLength: 12 }),
        async (calls) => {
          const shared = await near(root, { handler });
          const own = new Map<string, Near>();
          for (const { caller, query } of calls) {
            const alone = own.get(caller) ?? (await near(root, { handler }));
            own.set(caller, alone);
            const [text, other] = await Promise.all([
              shared.explore({ query, sessionId: caller }),
              alone.explore({ query }),
            ]);
            expect(text).toBe(other);
          }
          for (const one of [shared, ...own.values()]) await one.close();
        },
      ),
      { numRuns: 12 },
    );
  },
);

examples(
  "owner-is-known",
  ["given by", "given client", "given server"],
  ["then known"],
  (row) => ({
    "then known": isKnown(
      { by: row["given by"] as Owner["by"] },
      row["given client"] === "–" ? undefined : row["given client"],
      row["given server"] === "daemon",
    )
      ? "yes"
      : "no",
  }),
);

ruleTest(
  "owner-is-known",
  "a server that no hook reaches points at nothing for a stamp that needs one",
  async () => {
    const shortens = async (name: string, isAlone: boolean) => {
      const client = await near(root, { name, isAlone, handler });
      const ask = (n: number) =>
        client.explore({
          query: `settle_account part_${n}`,
          sessionId: "S1",
        });
      await ask(1);
      const second = await ask(2);
      await client.close();
      return second.includes(POINTER);
    };
    expect(await shortens("claude-code", false)).toBe(true);
    expect(await shortens("claude-code", true)).toBe(false);
    expect(await shortens("opencode", true)).toBe(true);
  },
);

ruleTest(
  "owner-is-known",
  "the server that a host starts by itself",
  async () => {
    const client = await connect({
      cwd: root,
      home: dirname(root),
      name: "claude-code",
    });
    const ask = async (n: number) =>
      (
        await client.explore({
          query: `settle_account part_${n}`,
          sessionId: "S1",
        })
      ).text;
    await ask(1);
    expect(await ask(2)).not.toContain(POINTER);
    await client.client.close();
  },
);
