/** What threads keep from call to call: it changes no byte, and has a bound. */
import { appendFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { Answers } from "../src/serve/answers.ts";
import { diskOf, Reads, Witness } from "../src/serve/disk.ts";
import { explore, type ExploreRequest } from "../src/serve/explore.ts";
import { KeptIndex } from "../src/serve/kept.ts";
import { WorkerPool } from "../src/serve/pool.ts";
import { KeptWorkings } from "../src/serve/workings.ts";
import { InThread } from "../src/serve/runner.ts";
import { SessionRecord } from "../src/session/record.ts";
import { fingerprint } from "../src/model/fingerprint.ts";
import { limits, wordings } from "../src/spec.gen.ts";
import { openIndex } from "../src/store/open.ts";
import type { IndexReader } from "../src/store/store.ts";
import { asked } from "./asking.ts";
import { script } from "./binary.ts";
import { law, loadBearing, ruleTest } from "./from-spec.ts";
import { projects } from "./project.ts";
import { indexed, pythonFunction, scratch } from "./scratch.ts";

const project = projects();
const pool = new WorkerPool({
  script: script("explore-worker"),
  threads: 1,
});
afterAll(() => pool.close());

law("pool-keeps-rows", "rows are those of the index", async () => {
  const { index } = await project.fixture("board-ts");
  for (const KEPT_ROWS of [0, 20, limits.KEPT_ROWS]) {
    const kept = new KeptIndex(index, { limits: { KEPT_ROWS } });
    const names = [...index.symbolNames(1_000), "of_nobody"];
    for (let round = 0; round < 2; round++) {
      for (const { id } of index.files()) {
        // One is asked for before its file is, and after.
        for (const ordinal of [0, 1, 9_999]) {
          const place = { file: id, ordinal };
          expect(kept.symbolAt(place)).toEqual(index.symbolAt(place));
        }
        expect(kept.symbolsOf(id)).toEqual(index.symbolsOf(id));
        expect(kept.symbolAt({ file: id, ordinal: 0 })).toEqual(
          index.symbolAt({ file: id, ordinal: 0 }),
        );
        expect(kept.referencesOf(id)).toEqual(index.referencesOf(id));
      }
      for (const name of names)
        for (const most of [1, 9])
          expect(kept.placesNamed(name, most)).toEqual(
            index.placesNamed(name, most),
          );
    }
  }
});

/** Two files whose rows fill the bound, and one that has a row too many beside the first. */
const rows = (n: number) => Array.from({ length: n }, (_, i) => `name_${i}`);
let big: IndexReader | undefined;
loadBearing("pool-keeps-rows", "KEPT_ROWS", (moved) => {
  const half = limits.KEPT_ROWS / 2;
  big ??= project.names([rows(half), rows(half - 2), rows(half - 1)]);
  return [2, 3].map((second) => {
    const kept = new KeptIndex(big!, { limits: moved });
    const first = kept.symbolsOf(1);
    kept.symbolsOf(second);
    return kept.symbolsOf(1) === first;
  });
});

ruleTest(
  "pool-cancels",
  "a call ends at a row that is kept, as at one that is not",
  () => {
    const index = project.names([["one"], ["two"]]);
    let checks = 0;
    const kept = new KeptIndex(index, { check: () => checks++ });
    kept.symbolsOf(1);
    kept.symbolsOf(1);
    expect(checks).toBe(2);
  },
);

const small = () =>
  indexed(join(scratch(), "p"), {
    "core.py": pythonFunction("settle_account", 40),
    "other.py": pythonFunction("close_books", 40),
    "third.py": pythonFunction("open_books", 40),
  });
const questions = [
  "settle_account",
  "core.py",
  "books that close",
  "of_nobody",
];

ruleTest(
  "pool-keeps-answers",
  "whatever happens to the files, an answer is the one that is given anew",
  async () => {
    const root = small();
    const answers = new Answers();
    const here = new InThread();
    let { index } = openIndex(root)!;
    const at = (name: string) => join(root, name);
    const text = pythonFunction("settle_account", 40);
    const ask = async () => {
      for (const query of questions) {
        const anew = explore(root, index, { query });
        expect(answers.of(root, index, { query })).toEqual(anew);
        expect(answers.of(root, index, { query })).toEqual(anew);
        const call = asked(query);
        const threaded = await pool.run(root, call);
        expect(threaded).toEqual(await here.run(root, call));
        expect(threaded.content[0]!.text).toBe(anew.text);
      }
    };
    await ask();
    for (const change of [
      () => appendFileSync(at("core.py"), "\nEDITED = 1\n"),
      () => writeFileSync(at("core.py"), text),
      () => utimesSync(at("other.py"), 1_000, 1_000),
      () => writeFileSync(at("core.py"), text.replace("40", "41")),
      () => rmSync(at("core.py")),
      () => writeFileSync(at("core.py"), text),
      () => rmSync(at("other.py")),
    ]) {
      change();
      await ask();
    }
    index.close();
    indexed(root, { "core.py": pythonFunction("settle_account", 9) });
    index = openIndex(root)!.index;
    await ask();
    index.close();
    await here.close();
  },
);

ruleTest(
  "pool-keeps-answers",
  "only the very same call, of the same index, is given one",
  () => {
    const root = small();
    const answers = new Answers();
    const { index } = openIndex(root)!;
    const of = (more: Partial<ExploreRequest> = {}) =>
      answers.of(root, index, { query: "core.py", ...more });
    const first = of();
    expect(of()).toBe(first);
    const session = { callCount: 0, responseBytes: 0, calls: [] };
    for (const more of [
      { session },
      { maxChars: 3_000 },
      { maxFiles: 1 },
      { dedup: "0" },
      { client: "x" },
      { project: "p" },
      { query: "core.py " },
    ])
      expect(of(more)).not.toBe(first);
    expect(of()).toBe(first);
    expect(of({ session })).toBe(of({ session }));
    const holds = { session: { ...session, callCount: 1 } };
    expect(of(holds)).not.toBe(of(holds));
    const other = openIndex(root)!.index;
    expect(answers.of(root, other, { query: "core.py" })).not.toBe(first);
    other.close();
    index.close();
  },
);

ruleTest(
  "pool-keeps-answers",
  "an answer that saw a file change is not kept",
  () => {
    const root = small();
    const disk = diskOf(root);
    let reads = 0;
    const seen = new Witness({
      ...disk,
      read: (path) => (reads++ === 0 ? "gone" : disk.read(path)),
    });
    expect(seen.holds(diskOf(root))).toBe(true);
    seen.read("core.py");
    expect(seen.holds(diskOf(root))).toBe(false);
    seen.read("core.py");
    expect(seen.holds(diskOf(root))).toBe(false);
  },
);

loadBearing("pool-keeps-answers", "KEPT_ANSWERS", (moved) => {
  const root = indexed(join(scratch(), "p"), { "a.py": "def one(): pass\n" });
  const { index } = openIndex(root)!;
  const kept = [limits.KEPT_ANSWERS, limits.KEPT_ANSWERS + 1].map((n) => {
    const answers = new Answers(moved);
    const ask = (i: number) => answers.of(root, index, { query: `one ${i}` });
    const first = ask(0);
    for (let i = 1; i < n; i++) ask(i);
    return ask(0) === first;
  });
  index.close();
  return kept;
});

law(
  "pool-keeps-workings",
  "whatever was worked out before, an answer is the one that is worked out anew",
  async () => {
    const { root, index } = await project.fixture("board-ts");
    const kept = new KeptIndex(index);
    const names = index.symbolNames(1_000).filter((_, i) => i % 7 === 0);
    const asks = [
      ...names.map((name) => `how does ${name} work?`),
      ...index.files().map(({ path }) => path),
      names.slice(0, 4).join(" "),
      "who calls of_nobody",
    ];
    // So few that some are given up, and so many that some are met again.
    for (const [KEPT_QUESTIONS, KEPT_SOURCE_MB] of [
      [0, 0],
      [9, 0.01],
      [limits.KEPT_QUESTIONS, limits.KEPT_SOURCE_MB],
    ] as const) {
      const workings = new KeptWorkings({ KEPT_QUESTIONS, KEPT_SOURCE_MB });
      const reads = new Reads({ KEPT_SOURCE_MB });
      const records = [0, 1, 2].map(() => new SessionRecord());
      for (let round = 0; round < 3; round++)
        records.forEach((record, who) =>
          asks.forEach((_, i) => {
            if ((i + who + round) % 3 > 0) return;
            const query = asks[(i * (who + 1)) % asks.length]!;
            const request: ExploreRequest = {
              query,
              session: record.view("", "", 0),
              ...(who === 2 && { maxChars: 4_000, project: "p" }),
            };
            const made = explore(
              root,
              kept,
              request,
              limits,
              diskOf(root, reads),
              workings,
            );
            expect(made).toEqual(explore(root, index, request));
            record.record("", "", made.emission, 0);
          }),
        );
    }
  },
);

ruleTest(
  "pool-keeps-workings",
  "what is kept of a file counts for the same bytes alone",
  () => {
    const root = small();
    const { index } = openIndex(root)!;
    const workings = new KeptWorkings();
    const reads = new Reads();
    const query = "settle_account close_books";
    const as = (text: string) => {
      writeFileSync(join(root, "core.py"), text);
      const made = explore(
        root,
        index,
        { query },
        limits,
        diskOf(root, reads),
        workings,
      );
      expect(made).toEqual(explore(root, index, { query }));
      return made.text;
    };
    const text = pythonFunction("settle_account", 40);
    const first = as(text);
    expect(as(text.replace("return x", "return y"))).toContain("return y");
    expect(as(`${text}# more\n`)).toContain("# more");
    expect(as(text)).toBe(first);
    index.close();
  },
);

loadBearing("pool-keeps-workings", "KEPT_QUESTIONS", (moved) => {
  const index = project.names([["one"]]);
  return [limits.KEPT_QUESTIONS, limits.KEPT_QUESTIONS + 1].map((n) => {
    const workings = new KeptWorkings(moved);
    const ask = (i: number) => workings.question(index, `one ${i}`, limits);
    const first = ask(0);
    for (let i = 1; i < n; i++) ask(i);
    return ask(0) === first;
  });
});

loadBearing("pool-keeps-workings", "KEPT_SOURCE_MB", (moved) => {
  const million = Buffer.alloc(1e6, "x");
  return [limits.KEPT_SOURCE_MB, limits.KEPT_SOURCE_MB + 1].map((n) => {
    const workings = new KeptWorkings(moved);
    const text = (i: number) => workings.text(million, `${i}`, limits);
    const first = text(0);
    for (let i = 1; i < n; i++) text(i);
    return text(0) === first;
  });
});

law(
  "pool-keeps-workings",
  "a file that is read again has the bytes that it has now, and what was given stays",
  () => {
    const root = scratch();
    const paths = ["a", "b", "c"];
    // Of one length, of others, and beyond what is remembered.
    const texts = [
      "",
      "one",
      "two",
      "three",
      "x".repeat(9_000),
      "y".repeat(9_000),
    ];
    const step = fc.record({
      path: fc.constantFrom(...paths),
      text: fc.option(fc.constantFrom(...texts)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const reads = new Reads({ KEPT_SOURCE_MB: 0.01 });
        const given: [Uint8Array, string][] = [];
        const now = new Map<string, string>();
        for (const path of paths) rmSync(join(root, path), { force: true });
        for (const { path, text } of steps) {
          if (text === null) rmSync(join(root, path), { force: true });
          else writeFileSync(join(root, path), text);
          if (text === null) now.delete(path);
          else now.set(path, text);
          for (const each of paths) {
            const read = reads.read(root, each);
            const wanted = now.get(each);
            if (wanted === undefined) expect(read).toBe(wordings.LEFT_MOVED);
            else if (typeof read === "string") expect.fail(read);
            else {
              expect(read.fingerprint).toBe(fingerprint(Buffer.from(wanted)));
              given.push([read.bytes, wanted]);
            }
          }
        }
        for (const [bytes, text] of given)
          expect(Buffer.from(bytes).toString()).toBe(text);
      }),
      { numRuns: 60 },
    );
  },
);

loadBearing("pool-keeps-workings", "KEPT_SOURCE_MB", (moved) => {
  const root = scratch();
  const files = Array.from(
    { length: limits.KEPT_SOURCE_MB + 1 },
    (_, i) => `${i}`,
  );
  for (const name of files) writeFileSync(join(root, name), Buffer.alloc(1e6));
  return [limits.KEPT_SOURCE_MB, limits.KEPT_SOURCE_MB + 1].map((n) => {
    const reads = new Reads(moved);
    const first = reads.read(root, "0");
    for (const name of files.slice(1, n)) reads.read(root, name);
    return reads.read(root, "0") === first;
  });
});
