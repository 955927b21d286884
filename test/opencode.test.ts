/** The plugin, imported from the file that a user would have, in the hands of a host. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect } from "vitest";
import { PLUGIN_MARK, pluginSource } from "../src/hosts/opencode-plugin.ts";
import { examples, law, ruleTest } from "./from-spec.ts";
import { scratch } from "./scratch.ts";

type Arguments = Record<string, unknown>;
interface Hooks {
  "tool.execute.before": (
    input: { tool: string; sessionID: string; callID: string },
    output: { args: Arguments },
  ) => Promise<void>;
  "experimental.chat.messages.transform": (
    input: object,
    output: { messages: readonly unknown[] },
  ) => Promise<void>;
  event: (input: { event: unknown }) => Promise<void>;
}

const copiesIn = scratch();
let copies = 0;
/** A plugin that has seen nothing yet: the module of a file of its own. */
async function plugin(): Promise<Hooks> {
  const file = join(copiesIn, `codegraph-${(copies += 1)}.mjs`);
  writeFileSync(file, pluginSource());
  const { Codegraph } = (await import(
    /* @vite-ignore */ pathToFileURL(file).href
  )) as { Codegraph: () => Promise<Hooks> };
  return await Codegraph();
}

/** What goes to the model: a turn of the user, and the answers of these calls. */
const sent = (
  session: string,
  answers: readonly (readonly [call: string, state: object])[],
) => ({
  messages: [
    { info: { sessionID: session }, parts: [{ type: "text", text: "look" }] },
    {
      info: { sessionID: session },
      parts: answers.map(([callID, state]) => ({
        type: "tool",
        tool: "codegraph_codegraph_explore",
        callID,
        state,
      })),
    },
  ],
});

const STATES: Readonly<Record<string, object>> = {
  "": { status: "completed", output: "…", time: { start: 1, end: 2 } },
  pruned: {
    status: "completed",
    output: "…",
    time: { start: 1, end: 2, compacted: 3 },
  },
  failed: { status: "error", error: "…", time: { start: 1, end: 2 } },
};

const [SESSION, OTHER] = ["ses_1", "ses_2"];

async function stampOf(hooks: Hooks, callID: string, sessionID: string) {
  const args: Arguments = { query: "x" };
  await hooks["tool.execute.before"](
    { tool: "codegraph_codegraph_explore", sessionID, callID },
    { args },
  );
  expect(args).toEqual({ query: "x", sessionId: args.sessionId });
  return args.sessionId as string;
}

const compacted = (sessionID: string) => ({
  event: { type: "session.compacted", properties: { sessionID } },
});

/** Lets one thing of the table happen; gives the stamp where it is a call. */
async function happen(hooks: Hooks, step: string): Promise<string | undefined> {
  const [what, call = "", how = ""] = step.split(" ");
  const transform = hooks["experimental.chat.messages.transform"];
  switch (what) {
    case "call":
      return await stampOf(hooks, call, SESSION!);
    case "send":
      await transform(
        {},
        sent(SESSION!, call === "nothing" ? [] : [[call, STATES[how]!]]),
      );
      return undefined;
    case "compacted":
      await hooks.event(compacted(SESSION!));
      return undefined;
    case "reverted":
      await hooks.event({
        event: {
          type: "session.updated",
          properties: { info: { id: SESSION, revert: { messageID: "m" } } },
        },
      });
      return undefined;
    case "of":
      await transform({}, sent(OTHER!, []));
      await hooks.event(compacted(OTHER!));
      return undefined;
    default:
      throw new Error(`no step ${step}`);
  }
}

examples("opencode-stamps", ["given happened"], ["then stamp"], async (row) => {
  const hooks = await plugin();
  let stamp: string | undefined;
  for (const step of row["given happened"].split(", "))
    stamp = (await happen(hooks, step)) ?? stamp;
  return { "then stamp": stamp ?? "–" };
});

ruleTest("opencode-stamps", "other tools keep their arguments", async () => {
  const hooks = await plugin();
  for (const tool of ["bash", "codegraph_explorer", "xcodegraph_explore"]) {
    const args: Arguments = { query: "x" };
    const input = { tool, sessionID: SESSION!, callID: "c1" };
    await hooks["tool.execute.before"](input, { args });
    expect(args, tool).toEqual({ query: "x" });
  }
});

/** Of two sessions: a call, or a window with the answers of the newest `keep` calls. */
const steps = fc.array(
  fc.record({
    session: fc.constantFrom(SESSION!, OTHER!),
    keep: fc.option(fc.nat(6)),
  }),
  { maxLength: 40 },
);

law(
  "opencode-stamps",
  "two calls have one stamp only if the answer of the first was in all that was sent between",
  () =>
    fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const hooks = await plugin();
        const asked: { call: string; stamp: string; session: string }[] = [];
        const lost = new Set<string>();
        for (const { session, keep } of plan) {
          const own = asked.filter((call) => call.session === session);
          if (keep === null) {
            const call = `c${asked.length}`;
            const stamp = await stampOf(hooks, call, session);
            for (const { call: earlier } of asked.filter(
              (a) => a.stamp === stamp,
            ))
              expect(lost, `${earlier} is gone`).not.toContain(earlier);
            asked.push({ call, stamp, session });
          } else {
            const kept = keep === 0 ? [] : own.slice(-keep);
            await hooks["experimental.chat.messages.transform"](
              {},
              sent(
                session,
                kept.map(({ call }) => [call, STATES[""]!]),
              ),
            );
            for (const { call } of own.slice(0, own.length - kept.length))
              lost.add(call);
          }
        }
        expect(new Set(asked.map(({ call }) => call)).size).toBe(asked.length);
      }),
      { numRuns: 60 },
    ),
);

ruleTest("opencode-plugin-is-shared", "its file", () => {
  const text = pluginSource();
  expect(text.startsWith(`${PLUGIN_MARK}\n`)).toBe(true);
  expect(text).not.toMatch(/\b(import|require)\b/);
  expect(text).not.toMatch(/[/\\](usr|home|root|Users|tmp)\b/);
});
