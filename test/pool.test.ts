/** How files are spread over threads, and what happens when a thread breaks. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  compilerFlag,
  EarlyThread,
  heapFlag,
  USUAL_FLAGS,
  batched,
  indexFiles,
  threadLimits,
  workerCount,
  WorkerLost,
} from "../src/index/pool.ts";
import { scan } from "../src/index/scan.ts";
import { say } from "../src/model/wording.ts";
import { limits, wordings, type Limits } from "../src/spec.gen.ts";
import { buildIndex, sparing } from "../src/store/build.ts";
import { UserError } from "../src/store/place.ts";
import { openIndex } from "../src/store/open.ts";
import { script } from "./binary.ts";
import { folders } from "./folders.ts";
import { examples, loadBearing, ruleTest } from "./from-spec.ts";

const folder = folders();

/** `2×200000 1×1` → three sizes. */
const sizes = (text: string): { size: number }[] =>
  [...text.matchAll(/(\d+)×(\d+)/g)].flatMap(([, times, size]) =>
    Array.from({ length: Number(times) }, () => ({ size: Number(size) })),
  );

const printed = (lengths: readonly number[]): string =>
  lengths.length > 10 && new Set(lengths).size === 1
    ? `${lengths.length} times ${lengths[0]}`
    : lengths.join(", ") || "–";

examples(
  "index-workers",
  ["given cores", "given files"],
  ["then workers", "then batches"],
  (row, moved) => {
    const files = sizes(row["given files"]);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return {
      "then workers": String(
        workerCount(bytes, Number(row["given cores"]), moved),
      ),
      "then batches": printed([...batched(files, moved)].map((b) => b.length)),
    };
  },
);

ruleTest("index-workers", "every file is in one batch, in order", () => {
  const files = Array.from({ length: 500 }, (_, i) => ({ size: i * 997, i }));
  const batches = [...batched(files)];
  expect(batches.flat()).toEqual(files);
  expect(batches.every((batch) => batch.length > 0)).toBe(true);
});

ruleTest("index-workers", "what is not read fills no batch", () => {
  const { BATCH_BYTES: size } = limits;
  const files = Array.from({ length: 9 }, (_, i) => ({ size, i }));
  const lengths = (read: (i: number) => boolean) =>
    [...batched(files, limits, ({ i }) => (read(i) ? size : 0))].map(
      (batch) => batch.length,
    );
  expect(lengths((i) => i % 3 === 2)).toEqual([3, 3, 3]);
  expect(lengths(() => false)).toEqual([9]);
});

ruleTest("index-workers", "an image is not read", async () => {
  const root = folder({ "a.png": "", "b.png": "", "c.py": "x = 1\n" });
  const jobs = (await scan(root)).files.map((file, i) => ({
    ...file,
    id: i + 1,
    attributes: {},
    size: limits.BATCH_BYTES,
  }));
  let batches = 0;
  await indexFiles(
    { root, textOnly: [] },
    jobs,
    { files: () => void batches++, segment() {} },
    { workers: 1, script: script("index-worker") },
  );
  expect(batches).toBe(1);
});

ruleTest(
  "index-workers",
  "what the sink throws ends the run, and is thrown",
  async () => {
    const root = folder({ "a.py": "x = 1\n", "b.py": "y = 1\n" });
    const { files } = await scan(root);
    const jobs = files.map((f, i) => ({ ...f, id: i + 1, attributes: {} }));
    const full = new Error("full");
    const thrower = () => {
      throw full;
    };
    const run = (sink: Parameters<typeof indexFiles>[2]) =>
      indexFiles({ root, textOnly: [] }, jobs, sink, {
        workers: 1,
        script: script("index-worker"),
      });
    await expect(run({ files: thrower, segment() {} })).rejects.toBe(full);
    await expect(run({ files() {}, segment: thrower })).rejects.toBe(full);
  },
);

ruleTest(
  "index-workers",
  "a thread that started early is taken once, for the folder it was started for",
  async () => {
    const root = folder({ "a.py": "def one(): pass\n" });
    const early = new EarlyThread(root, script("index-worker"));
    try {
      expect(early.take({ root: `${root}/b`, textOnly: [] })).toBeUndefined();
      expect(early.take({ root, textOnly: ["a.py"] })).toBeUndefined();
      const result = await buildIndex(await scan(root), () => {}, { early });
      expect(result).toMatchObject({ files: 1, symbols: 1 });
      expect(early.take({ root, textOnly: [] })).toBeUndefined();
    } finally {
      await early.drop();
    }
  },
);

examples(
  "index-without-the-last-compiler",
  ["given V8", "given machine"],
  ["then compilers"],
  (row, moved) => ({
    "then compilers":
      compilerFlag(row["given V8"], row["given machine"], moved) ===
      "--no-turbofan"
        ? "not the last"
        : "all",
  }),
);

loadBearing("index-memory", "HEAP_GROWTH_PERCENT", (moved) => heapFlag(moved));

ruleTest("index-memory", "what is set for a run is taken back after it", () => {
  const nameOf = (flag: string) => flag.replace(/^--(?:no-)?|=.*$/g, "");
  const set = [heapFlag(), compilerFlag("14.6.202", "x64")];
  expect(USUAL_FLAGS.map(nameOf)).toEqual(set.map(nameOf));
  for (const flag of set) expect(USUAL_FLAGS).not.toContain(flag);
});
loadBearing("index-memory", "THREAD_YOUNG_MB", (moved) =>
  threadLimits({ maxOldGenerationSizeMb: 40 }, moved),
);

/** So many definitions that a thread of little memory ends over them; as text they are nothing. */
const ruinous = "a=1\n".repeat(60_000);

ruleTest(
  "index-survives-a-crash",
  "a file that ends a thread is indexed as text",
  async () => {
    const root = folder({ "ok.py": "def still_here(): return 1\n" });
    writeFileSync(join(root, "ruin.py"), `${ruinous}rare_word = 1\n`);
    const result = await buildIndex(await scan(root), () => {}, {
      workers: 1,
      script: script("index-worker"),
      resourceLimits: { maxOldGenerationSizeMb: 16 },
    });
    expect(result).toMatchObject({
      files: 2,
      problems: [{ path: "ruin.py", line: 0, problem: wordings.PROBLEM_CRASH }],
    });
    const { index } = openIndex(root)!;
    expect(index.symbolNames(9)).toEqual(["still_here"]);
    expect(index.postings("rare_word").size).toBe(1);
    expect(index.files().map((f) => [f.path, f.language])).toEqual([
      ["ok.py", "python"],
      ["ruin.py", "python"],
    ]);
    index.close();
  },
);

/** Builds that always lose a thread over another file: how many there are, and the end of it. */
async function losing(moved: Pick<Limits, "MAX_LOST_WORKERS">) {
  const builds: string[][] = [];
  const end = await sparing((textOnly) => {
    builds.push([...textOnly]);
    throw new WorkerLost(`f${builds.length}`, new Error("out of memory"));
  }, moved).catch((error: unknown) => error);
  expect(end).toBeInstanceOf(UserError);
  return { builds, message: (end as UserError).message };
}
loadBearing("index-survives-a-crash", "MAX_LOST_WORKERS", losing);

ruleTest("index-survives-a-crash", "it ends where nothing helps", async () => {
  const { builds, message } = await losing({ MAX_LOST_WORKERS: 2 });
  expect(builds).toEqual([[], ["f1"], ["f1", "f2"]]);
  expect(message).toBe(
    say(wordings.INDEX_BROKE, {
      message: "a parsing thread broke: out of memory",
    }),
  );
  for (const suspect of [undefined, "same"]) {
    let builds = 0;
    await expect(
      sparing(() => {
        builds++;
        throw new WorkerLost(suspect, new Error("x"));
      }),
    ).rejects.toThrow(UserError);
    expect(builds).toBe(suspect === undefined ? 1 : 2);
  }
  await expect(
    sparing(() => Promise.reject(new RangeError("ours"))),
  ).rejects.toThrow(RangeError);
  expect(await sparing(() => Promise.resolve("built"), limits)).toBe("built");
});
