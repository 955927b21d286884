/** Calls through real worker threads: same bytes, whatever happens to a thread. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, inject, vi } from "vitest";
import { say } from "../src/model/wording.ts";
import { ToolHandler, type Caller } from "../src/serve/handler.ts";
import { TOOL } from "../src/serve/tool.ts";
import {
  patience,
  threadCount,
  threadMemory,
  WorkerPool,
  type PoolOptions,
} from "../src/serve/pool.ts";
import { nextOf, type Waiting } from "../src/serve/turns.ts";
import { OpenIndexes } from "../src/serve/open-indexes.ts";
import {
  Cancelled,
  EMISSION,
  InThread,
  VIEW,
  type RawResult,
  type Runner,
} from "../src/serve/runner.ts";
import { SessionRecord } from "../src/session/record.ts";
import { limits, wordings } from "../src/spec.gen.ts";
import { asked } from "./asking.ts";
import { script } from "./binary.ts";
import { folders, put } from "./folders.ts";
import { examples, loadBearing, ruleTest } from "./from-spec.ts";
import { filesOf, indexHere } from "./project.ts";
import { indexed, pythonFunction, scratch } from "./scratch.ts";

const open: Runner[] = [];
afterAll(() => Promise.all(open.map((runner) => runner.close())));

/** Waits for what threads say. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

const isAtRest = (of: WorkerPool): boolean =>
  of["threads"].every(({ ready, call, lesson }) => ready && !call && !lesson);

/** Has two threads started, and waits until both are free: one that has to start takes its first call late. */
async function twoAtRest(
  of: WorkerPool,
  ask: (n: number) => Promise<unknown>,
): Promise<void> {
  while (of["threads"].filter(({ ready }) => ready).length < 2)
    await Promise.all([0, 1, 2, 3].map(ask));
  await until(() => isAtRest(of));
}

/** Threads that were given a question with these words. */
const knowing = (of: WorkerPool, words: string) =>
  of["threads"].filter(({ questions }) =>
    [...questions].some((one) => one.includes(words)),
  );

/** One that is closed when the file is done. */
function pool(options: PoolOptions = {}): WorkerPool {
  const made = new WorkerPool({
    script: script("explore-worker"),
    ...options,
  });
  open.push(made);
  return made;
}
/** All tests that need no pool of their own: a warm thread answers at once. */
const shared = pool({ threads: 2 });
const here = new InThread();
open.push(here);

const caller = (root: string, more: Partial<Caller> = {}): Caller => ({
  places: [root],
  now: () => 0,
  settings: { dedup: undefined, debug: undefined },
  ...more,
});
const small = (root = join(scratch(), "p")) =>
  indexed(root, {
    "core.py": pythonFunction("settle_account", 40),
    "other.py": pythonFunction("close_books", 40),
  });

/** Files enough for an answer to take tens of milliseconds. */
const large = indexed(
  join(scratch(), "large"),
  Object.fromEntries(
    Array.from({ length: 120 }, (_, i) => [
      `part${i}.py`,
      Array.from({ length: 12 }, (_, k) =>
        pythonFunction(`settle_${i}_${k}`, 12),
      ).join(""),
    ]),
  ),
);
const slow = asked("how does settle work where x is returned and settled?");
/** What it is answered in this thread. */
let slowly: Promise<RawResult> | undefined;
const slowHere = () => (slowly ??= here.run(large, slow));

/** One more than may be open. */
const projectsOf = Array.from({ length: limits.MAX_OPEN_INDEXES + 1 }, (_, i) =>
  indexed(join(scratch(), `p${i}`), { "a.py": `def of_${i}(): return 1\n` }),
);

const textOf = ({ content }: { content: readonly { text: string }[] }) =>
  content[0]!.text;
/** The goldens' questions by their project, as `explore-goldens` has them. */
const goldens = Map.groupBy(
  inject("rules")
    .flatMap(({ examples: rows }) => rows.map(({ cells }) => cells))
    .filter((c) => "golden" in c && c["when asked"] !== undefined),
  (c) => c["given project"] ?? "session-ledger",
);
const folder = folders();

ruleTest(
  "pool-same-bytes",
  "every question of the goldens has the bytes, emission and report that it has in this thread",
  async () => {
    let compared = 0;
    for (const [name, rows] of goldens) {
      const root = await indexHere(
        folder(filesOf(`test/fixtures/projects/${name}`)),
      );
      const calls = rows.flatMap((row) => {
        const limit = /^(\d+) (files|chars)$/.exec(row["given limits"] ?? "");
        const most = { [limit?.[2] ?? "–"]: Number(limit?.[1]) };
        return asked(row["when asked"]!, {
          maxFiles: most.files,
          maxChars: most.chars,
        });
      });
      const edits = new Set(rows.map((r) => r["given edited"] ?? "–"));
      // Asked twice of files that nobody edits: then a thread has kept what it answers.
      for (const edited of ["–", ...edits]) {
        if (edited !== "–")
          appendFileSync(join(root, edited), "\n\nEDITED = True\n");
        const threaded = await Promise.all(
          calls.map((call) => shared.run(root, call)),
        );
        for (const [i, call] of calls.entries()) {
          expect(threaded[i]).toEqual(await here.run(root, call));
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(20);
  },
);

ruleTest(
  "pool-same-bytes",
  "what cannot be answered is said alike, and what fails fails alike",
  async () => {
    const none = scratch();
    const all = [shared, here];
    for (const runner of all)
      expect(textOf(await runner.run(none, asked("x")))).toBe(
        `${say(wordings.SERVE_NOT_INDEXED, { path: none })}\n`,
      );
    const root = small();
    const [one, other] = await Promise.all(
      all.map((runner) => runner.run(root, asked(7 as unknown as string))),
    );
    expect(one).toMatchObject({
      isError: true,
      unreadable: { isGuess: true, reason: expect.any(String) },
    });
    expect(one).toEqual(other);
  },
);

ruleTest(
  "pool-record-stays",
  "an emission is recorded here and is not in the result; a client's own fields are dropped",
  async () => {
    const root = small();
    const handler = new ToolHandler(shared);
    const session = new SessionRecord();
    const forged = { callCount: 3, responseBytes: 9, calls: [] };
    const first = await handler.execute(
      TOOL,
      { query: "core.py", [VIEW]: forged, [EMISSION]: forged },
      session,
      caller(root),
    );
    expect(Object.keys(first)).toEqual(["content"]);
    expect(session.view("", root, 0)).toMatchObject({
      callCount: 1,
      responseBytes: Buffer.byteLength(textOf(first)),
      calls: [{ query: "core.py", files: [{ path: "core.py" }] }],
    });
    const untracked = await handler.execute(
      TOOL,
      { query: "core.py", [VIEW]: session.view("", root, 0) },
      undefined,
      caller(root),
    );
    expect(untracked).toEqual(first);
    const second = await handler.execute(
      TOOL,
      { query: "close_books settle_account" },
      session,
      caller(root),
    );
    expect(textOf(second)).toContain("Already sent earlier");
    expect(session.view("", root, 0).calls[0]!.pointed).toBe(true);
  },
);

ruleTest(
  "pool-record-stays",
  "of two calls at once neither is told of the other's lines; the next is told of both",
  async () => {
    const root = small();
    const handler = new ToolHandler(shared);
    const session = new SessionRecord();
    const ask = (query: string, more: Partial<Caller> = {}) =>
      handler.execute(TOOL, { query }, session, caller(root, more));
    const both = await Promise.all([
      ask("settle_account"),
      ask("close_books settle_account"),
    ]);
    for (const answer of both)
      expect(textOf(answer)).not.toContain("Already sent earlier");
    expect(session.view("", root, 0).callCount).toBe(2);
    // Another one, cancelled when the answer is on its way, is not recorded.
    const control = new AbortController();
    const given = ask("other.py", { signal: control.signal });
    control.abort();
    await expect(given).rejects.toThrow(Cancelled);
    await shared.run(root, asked("x"));
    expect(session.view("", root, 0).callCount).toBe(2);
    expect(textOf(await ask("core.py and other.py"))).toContain(
      "Already sent earlier",
    );
  },
);

ruleTest(
  "pool-record-stays",
  "two projects in one session have two records, through threads",
  async () => {
    const base = scratch();
    const roots = ["c1", "c2"].map((name) =>
      indexed(join(base, name), {
        "a.py": pythonFunction("same_name", 20),
        "b.py": pythonFunction(`only_${name}`, 20),
      }),
    );
    const handler = new ToolHandler(shared);
    const session = new SessionRecord();
    const ask = async (root: string, query: string) =>
      textOf(
        await handler.execute(
          TOOL,
          { query, projectPath: root },
          session,
          caller(base),
        ),
      );
    const first = await Promise.all(
      roots.map((root) => ask(root, "same_name")),
    );
    for (const text of first) expect(text).not.toContain("Already sent");
    expect(roots.map((root) => session.view("", root, 0).callCount)).toEqual([
      1, 1,
    ]);
    expect(await ask(roots[1]!, "only_c2 and a.py")).toMatch(
      /\*\* `[ab]\.py` in project `c2`, L1-22/,
    );
  },
);

examples("pool-size", ["given cores"], ["then threads"], (row, moved) => ({
  "then threads": `${threadCount(Number(row["given cores"]), moved)}`,
}));

examples(
  "pool-knows-questions",
  ["given waiting", "given since"],
  ["then taken"],
  (row, moved) => {
    const place = nextOf(
      row["given waiting"].split(" ").map((cell) => {
        const [answeredBy, overtaken = "0"] = cell.split(":");
        return {
          answeredBy: answeredBy as Waiting["answeredBy"],
          overtaken: Number(overtaken),
        };
      }),
      Number(row["given since"]),
      moved,
    );
    return { "then taken": place === undefined ? "–" : `${place + 1}` };
  },
);

ruleTest(
  "pool-knows-questions",
  "a free thread is given again what it was given before",
  async () => {
    const turns = pool({ threads: 2 });
    const ask = (n: number) =>
      turns.run(large, asked(`how does settle_${n}_1 work?`));
    await twoAtRest(turns, ask);
    // Both are free: each is given one of two new questions.
    const answers = await Promise.all([4, 5].map(ask));
    const pupils = [4, 5].map((n) => knowing(turns, `settle_${n}_1`));
    expect(pupils.map((threads) => threads.length)).toEqual([1, 1]);
    // The one that worked longer ago.
    const [thread] = turns["threads"];
    const n = pupils[0]![0] === thread ? 4 : 5;
    const answer = ask(n);
    expect(thread!.call).toBeDefined();
    expect(await answer).toEqual(answers[n - 4]);
  },
);

ruleTest(
  "pool-knows-questions",
  "what one thread knows is left to it, but for every so many calls",
  async () => {
    const LESSON_AFTER_MS = 60_000;
    for (const [LEFT_CALLS, learns] of [
      [1_000, false],
      [3, true],
    ] as const) {
      const turns = pool({
        threads: 2,
        limits: { LEFT_CALLS, LESSON_AFTER_MS },
      });
      const ask = (n: number) =>
        turns.run(large, asked(`how does settle_${n}_2 work?`));
      await twoAtRest(turns, ask);
      const first = await ask(9);
      const know = () => knowing(turns, "settle_9_2").length;
      expect(know()).toBe(1);
      const again = await Promise.all(Array.from({ length: 12 }, () => ask(9)));
      expect(again).toEqual(again.map(() => first));
      expect(know()).toBe(learns ? 2 : 1);
      // It counts from there on.
      expect(turns["since"] < again.length).toBe(learns);
    }
  },
);

ruleTest(
  "pool-hands-over-early",
  "a thread that is soon free has the next call at hand, and one that breaks leaves it",
  async () => {
    const one = pool({ threads: 1 });
    const expected = await one.run(large, slow);
    const [thread] = one["threads"];
    const unknown = asked("how does settle_7_7 work?");
    const control = new AbortController();
    const known = [
      one.run(large, slow),
      one.run(large, slow, control.signal),
      one.run(large, slow),
    ];
    expect(thread!.next).toBeDefined();
    expect(one["queue"].length).toBe(1);
    // Its turn has not come, and the thread passes it over.
    control.abort();
    await expect(known[1]).rejects.toThrow(Cancelled);
    expect(await known[0]).toEqual(expected);
    expect(await known[2]).toEqual(expected);
    // One that is new to the thread is no short one: nothing is bound to it.
    const news = [one.run(large, unknown), one.run(large, slow)];
    expect(thread!.next).toBeUndefined();
    await Promise.all(news);
    expect(one["threads"]).toEqual([thread]);

    const [hand, next, last] = [0, 1, 2].map(() => one.run(large, slow));
    expect(thread!.next).toBeDefined();
    await thread!.worker.terminate();
    expect(one["threads"]).not.toContain(thread);
    expect(await Promise.all([hand, next, last])).toEqual([
      expected,
      expected,
      expected,
    ]);
  },
);

ruleTest(
  "pool-shares-what-it-learns",
  "a thread with nothing to do learns what another answered, until a call waits",
  async () => {
    const { last, timer } = timers();
    const turns = pool({ threads: 2, timer });
    const query = (n: number) => asked(`how does settle_${n}_3 work?`);
    const ask = (n: number) => turns.run(large, query(n));
    // One alone has nobody to teach.
    await ask(0);
    expect(turns["threads"].length).toBe(1);
    await twoAtRest(turns, ask);
    const lessons = () =>
      turns["threads"].filter(({ lesson }) => lesson !== undefined);
    const know = (n: number) => knowing(turns, `settle_${n}_3`).length;
    const quiet = () => turns["lessons"].length === 0 && isAtRest(turns);
    await until(quiet);
    const first = await ask(4);
    expect([know(4), lessons().length]).toEqual([1, 0]);
    // It does not count as work: what the thread waits for stays as it was.
    const waitsFor = last();
    await until(() => lessons().length > 0);
    await until(quiet);
    expect(last()).toBe(waitsFor);
    expect(know(4)).toBe(2);
    expect(await Promise.all([ask(4), ask(4)])).toEqual([first, first]);

    // Of two calls one finds a thread that is free, and the other one must not wait.
    const session = new SessionRecord().view("", "", 0);
    const whose = { client: "someone", notes: ["told"], [VIEW]: session };
    await turns.run(large, { ...query(5), ...whose });
    await until(() => lessons().length > 0);
    const [pupil] = lessons();
    // Nothing is in it of who asked.
    expect(JSON.parse(JSON.stringify(pupil!.lesson!.asked))).toEqual({
      query: query(5).query,
      identified: false,
      notes: [],
      unreported: true,
    });
    const both = [ask(6), ask(7)];
    expect(Atomics.load(pupil!.given, 0)).toBe(pupil!.lessonId);
    await Promise.all(both);
    await until(quiet);
    expect([5, 6, 7].map(know)).toEqual([2, 2, 2]);

    // A thread that breaks in one answers nobody.
    await ask(8);
    await until(() => lessons().length > 0);
    const [broken] = lessons();
    await broken!.worker.terminate();
    expect(turns["threads"]).not.toContain(broken);
    expect(await ask(4)).toEqual(first);
  },
);
loadBearing("pool-shares-what-it-learns", "LESSON_AFTER_MS", patience);

ruleTest(
  "pool-in-turn",
  "the first call starts a thread, waiting ones another, and answers come in turn",
  async () => {
    const root = small();
    const turns = pool({ threads: 2 });
    expect(turns["threads"].length).toBe(0);
    await turns.run(root, asked("core.py"));
    await turns.run(root, asked("core.py"));
    expect(turns["threads"].length).toBe(1);
    const [warm] = turns["threads"];
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        await turns.run(large, slow);
        order.push(i);
      }),
    );
    expect(turns["threads"].length).toBe(2);
    expect(turns["threads"]).toContain(warm);
    // Of the calls that came before one that is answered, the other thread may still
    // have one in hand and the next, for however long the system gives it no time.
    for (const [place, i] of order.entries()) {
      const open = order.slice(place + 1).filter((later) => later < i);
      expect(open.length).toBeLessThanOrEqual(2);
    }
    // Neither knows this one.
    const last = turns["threads"].at(-1);
    await turns.run(root, asked("other.py"));
    expect(turns["threads"].at(-1)).toBe(last);
  },
);

ruleTest(
  "pool-survives-a-crash",
  "a thread that is ended in the middle of a call costs no answer, and is replaced",
  async () => {
    const expected = await slowHere();
    const mortal = pool({ threads: 1 });
    await mortal.run(large, asked("core.py"));
    for (let round = 0; round < 2; round++) {
      const answers = [mortal.run(large, slow), mortal.run(large, slow)];
      const [thread] = mortal["threads"];
      expect(thread!.call).toBeDefined();
      await thread!.worker.terminate();
      expect(mortal["threads"]).not.toContain(thread);
      expect(await Promise.all(answers)).toEqual([expected, expected]);
    }
    // The caller may have gone when it breaks.
    const control = new AbortController();
    const given = mortal.run(large, slow, control.signal);
    control.abort();
    await expect(given).rejects.toThrow(Cancelled);
    await mortal["threads"][0]!.worker.terminate();
    expect(await mortal.run(large, slow)).toEqual(expected);
  },
);

ruleTest(
  "pool-survives-a-crash",
  "nor does one that has no room to start in, or runs out of it in a call",
  async () => {
    const root = small();
    // Each line is an object, of which there are more than there is room for.
    put(root, { "huge.py": "xyz\n".repeat(250_000) });
    indexed(root, {});
    const call = asked("huge.py");
    const expected = await here.run(root, call);
    for (const [maxOldGenerationSizeMb, starts] of [
      [4, false],
      [9, true],
    ] as const) {
      const starved = pool({
        threads: 1,
        resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 1 },
      });
      const answer = starved.run(root, call);
      const [thread] = starved["threads"];
      expect(await answer).toEqual(expected);
      expect(thread!.ready).toBe(starts);
      expect(thread!.call !== undefined).toBe(starts);
      expect(starved["threads"]).not.toContain(thread);
      await starved.close();
    }
  },
);

/** A pool's timers, which a test may let run out. */
function timers() {
  const set: { run: () => void; ms: number }[] = [];
  return {
    /** What the last one was set to. */
    last: () => set.at(-1)!,
    timer: (run: () => void, ms: number) => {
      set.push({ run, ms });
      return setTimeout(run, ms);
    },
  };
}

ruleTest(
  "pool-times-out",
  "a call that takes too long is told so, and its thread is replaced",
  async () => {
    const { last, timer } = timers();
    const hurried = pool({ threads: 1, timer });
    await hurried.run(large, asked("core.py"));
    const [thread] = hurried["threads"];
    const late = hurried.run(large, slow);
    const after = hurried.run(large, slow);
    expect(last().ms).toBe(limits.EXPLORE_TIMEOUT_MS);
    last().run();
    expect(await late).toEqual({
      content: [
        {
          type: "text",
          text: say(wordings.EXPLORE_TOO_LONG, { seconds: 10 }),
        },
      ],
      isError: true,
    });
    expect(hurried["threads"]).not.toContain(thread);
    expect(await after).toEqual(await slowHere());
    // A real clock that is too fast.
    const limit = { EXPLORE_TIMEOUT_MS: 1 };
    const never = pool({ threads: 1, limits: limit });
    expect(textOf(await never.run(large, slow))).toBe(textOf(await slowHere()));
  },
);
loadBearing("pool-times-out", "EXPLORE_TIMEOUT_MS", patience);

ruleTest(
  "pool-cancels",
  "a waiting call is dropped at once, a running one stops, and its thread goes on",
  async () => {
    const one = pool({ threads: 1 });
    await one.run(large, slow);
    const [thread] = one["threads"];
    const expected = await slowHere();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const settled: string[] = [];
    const note = (name: string, given: Promise<unknown>) =>
      given.then(
        () => settled.push(name),
        (error: unknown) =>
          settled.push(error instanceof Cancelled ? `no ${name}` : "?"),
      );
    const all = [
      note("running", one.run(large, slow, running.signal)),
      note("waiting", one.run(large, slow, waiting.signal)),
      note("third", one.run(large, slow)),
    ];
    waiting.abort();
    running.abort();
    expect(one["queue"].length).toBe(1);
    await Promise.all(all);
    expect(settled).toEqual(["no waiting", "no running", "third"]);
    expect(one["threads"]).toEqual([thread]);
    expect(await one.run(large, slow)).toEqual(expected);
    const gone = AbortSignal.abort();
    for (const runner of [one, here])
      await expect(runner.run(large, slow, gone)).rejects.toThrow(Cancelled);
  },
);

ruleTest(
  "pool-cancels",
  "what an index is asked ends where its check throws, and not as damage",
  async () => {
    const root = small();
    let asks = 0;
    let most = Infinity;
    const indexes = new OpenIndexes({
      check: () => {
        if (++asks > most) throw new Cancelled();
      },
    });
    const files = () => indexes.ask(root, (index) => index.files().length);
    const symbols = () =>
      indexes.ask(root, (index) => {
        most = asks;
        return index.symbolsOf(1).length;
      });
    expect(files()).toBe(2);
    expect(symbols).toThrow(Cancelled);
    most = Infinity;
    expect(files()).toBe(2);
    indexes.close();
  },
);

ruleTest(
  "pool-ends-the-idle",
  "a thread without a call for long is ended; the next call starts one",
  async () => {
    const root = small();
    const { last, timer } = timers();
    const one = pool({ threads: 1, timer });
    const first = await one.run(root, asked("core.py"));
    const [thread] = one["threads"];
    const exit = new Promise((done) => thread!.worker.once("exit", done));
    expect(last().ms).toBe(limits.EXPLORE_IDLE_MINUTES * 60_000);
    last().run();
    expect(one["threads"]).toEqual([]);
    await exit;
    expect(await one.run(root, asked("core.py"))).toEqual(first);
    expect(one["threads"].length).toBe(1);
  },
);
loadBearing("pool-ends-the-idle", "EXPLORE_IDLE_MINUTES", patience);

ruleTest(
  "pool-ends-the-idle",
  "a pool that is closed answers nothing more",
  async () => {
    const root = small();
    const one = pool({ threads: 1 });
    const given = [1, 2].map(() => one.run(root, asked("core.py")));
    const failed = Promise.all(
      given.map((g) => expect(g).rejects.toThrow(Cancelled)),
    );
    await one.close();
    await failed;
    await expect(one.run(root, asked("core.py"))).rejects.toThrow(Cancelled);
  },
);

ruleTest(
  "pool-settings-come-along",
  "dedup is what the call says, whatever the environment has",
  async () => {
    const root = small();
    vi.stubEnv("CODEGRAPH_EXPLORE_DEDUP", "0");
    vi.stubEnv("CODEGRAPH_EXPLORE_DEBUG", "1");
    const one = pool({ threads: 1 });
    const handler = new ToolHandler(one);
    for (const [dedup, pointers] of [
      [undefined, true],
      ["0", false],
      ["1", true],
    ] as const) {
      const session = new SessionRecord();
      const ask = (query: string) =>
        handler.execute(
          TOOL,
          { query },
          session,
          caller(root, { settings: { dedup, debug: undefined } }),
        );
      await ask("core.py");
      expect(
        textOf(await ask("close_books settle_account")).includes(
          "Already sent earlier",
        ),
      ).toBe(pointers);
    }
  },
);

loadBearing("pool-open-indexes", "MAX_OPEN_INDEXES", (moved) => {
  const indexes = new OpenIndexes({ limits: moved, now: () => 0 });
  const opened = (root: string) => indexes.ask(root, (index) => index)!;
  const first = opened(projectsOf[0]!);
  for (const root of projectsOf.slice(1)) opened(root);
  const open = opened(projectsOf[0]!) === first;
  const size = indexes["open"].size;
  indexes.close();
  return [open, size];
});
loadBearing("pool-open-indexes", "OPEN_INDEX_MINUTES", (moved) => {
  let now = 0;
  const indexes = new OpenIndexes({ limits: moved, now: () => now });
  const opened = indexes.ask(projectsOf[0]!, (index) => index)!;
  const minute = 60_000;
  const sizes: number[] = [];
  for (const minutes of [
    limits.OPEN_INDEX_MINUTES - 1,
    limits.OPEN_INDEX_MINUTES,
  ]) {
    now = minutes * minute;
    indexes.ask(projectsOf[1]!, () => 0);
    sizes.push(indexes["open"].size);
  }
  expect(() => opened.files()).toThrow();
  indexes.close();
  return sizes;
});

loadBearing("pool-memory", "EXPLORE_HEAP_MB", (moved) =>
  threadMemory({}, moved),
);
loadBearing("pool-memory", "EXPLORE_YOUNG_MB", (moved) =>
  threadMemory({ maxOldGenerationSizeMb: 9 }, moved),
);
