/** Twenty clients of one daemon at once: nobody is told of what another was sent. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect } from "vitest";
import { splitLines } from "../src/model/lines.ts";
import { limits } from "../src/spec.gen.ts";
import { Received } from "../tools/bench/received.ts";
import { attach } from "./attached.ts";
import { built } from "./built.ts";
import { connect, type Connected } from "./client.ts";
import { caches, only } from "./daemons.ts";
import { ruleTest } from "./from-spec.ts";
import { put } from "./folders.ts";
import { pythonFunction, scratch } from "./scratch.ts";

const newCache = caches();
let root: string;
let home: string;

const PARTS = ["settle", "close", "open", "audit", "refund", "charge"] as const;
/** Two functions of one length; each line says where it is. */
const part = (name: string, lines = 40) =>
  pythonFunction(`${name}_account`, lines) +
  pythonFunction(`${name}_ledger`, lines);
const EDITED = "settle.py";

beforeAll(async () => {
  home = scratch();
  root = join(home, "p");
  put(
    root,
    Object.fromEntries(PARTS.map((name) => [`${name}.py`, part(name)])),
  );
  await built(root);
}, 60_000);

interface Asking {
  readonly at: Connected;
  readonly received: Received;
  pointers: number;
}

/** Asks, and holds the answer against the files and against what this client was sent. */
async function ask(who: Asking, query: string) {
  const { text, isError } = await who.at.explore({ query });
  expect(isError).toBe(false);
  expect(text.length).toBeLessThanOrEqual(limits.TIER_3_CHARS);
  const { problems, pointedAt } = who.received.take(text);
  expect(problems).toEqual([]);
  who.pointers += pointedAt.length;
  return { text, pointedAt };
}

ruleTest(
  "daemon-clients-are-apart",
  "twenty clients that ask at once are pointed at nothing but what they were sent, and at nothing that was edited since",
  async () => {
    const cache = newCache();
    const linesOf = (path: string) =>
      splitLines(readFileSync(join(root, path), "utf8"));
    const options = {
      cwd: root,
      home,
      daemon: cache,
      env: { CODEGRAPH_EXPLORE_DEDUP: "1" },
    };
    // The daemon sees connections; some of them are a host's, with a process between.
    const clients = await Promise.all(
      Array.from({ length: 20 }, async (_, n): Promise<Asking> => ({
        at: await (n % 7 === 0 ? connect(options) : attach(options)),
        received: new Received(linesOf),
        pointers: 0,
      })),
    );
    const names = (n: number, i: number) => PARTS[(n + i) % PARTS.length]!;
    await Promise.all(
      clients.map(async (who, n) => {
        await ask(who, `${names(n, 0)}_account`);
        await ask(who, `${names(n, 0)}_ledger ${names(n, 1)}_account`);
        const { text } = await ask(
          who,
          `how does ${names(n, 1)} account work?`,
        );
        // The check bites: to a client that was sent nothing these are no pointers.
        const other = new Received(linesOf).take(text);
        expect(other.problems.length > 0).toBe(other.pointedAt.length > 0);
      }),
    );
    expect(clients.every(({ pointers }) => pointers > 0)).toBe(true);

    writeFileSync(
      join(root, EDITED),
      part("settle").replaceAll("    return x", "    return x + 7"),
    );
    await Promise.all(
      clients.map(async (who) => {
        const { text, pointedAt } = await ask(
          who,
          "where do settle_account and settle_ledger return?",
        );
        expect(pointedAt).not.toContain(EDITED);
        expect(text).toContain("return x + 7");
      }),
    );
    const { status } = await only(cache);
    expect(status).toMatchObject({ root, clients: 20, calls: 20 * 4 });
    // They came at once, and none had to answer by itself.
    expect(clients.map(({ at }) => at.stderr()).join("")).toBe("");
    await Promise.all(clients.map(({ at }) => at.client.close()));
  },
  60_000,
);
