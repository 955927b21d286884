/** An index that follows edits gives what one that is built anew gives. */
import { once } from "node:events";
import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect } from "vitest";
import { settledTime } from "../src/index/changes.ts";
import { segmentsToMerge } from "../src/model/merge.ts";
import { eachPosting, type Segment } from "../src/model/segment.ts";
import { explore } from "../src/serve/explore.ts";
import { limits, wordings, type Limits } from "../src/spec.gen.ts";
import { SqliteEditor, type Edit } from "../src/store/edit.ts";
import { currentIndex } from "../src/store/place.ts";
import { openIndex } from "../src/store/open.ts";
import { SqliteReader } from "../src/store/sqlite.ts";
import type { IndexReader } from "../src/store/store.ts";
import { isMostlyNew, Syncer, type SyncResult } from "../src/store/sync.ts";
import { codegraph, start } from "./binary.ts";
import { built } from "./built.ts";
import { extractor } from "./extractions.ts";
import { folders, git, put, python } from "./folders.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";
import { definition, indexedFile } from "./rows.ts";

const folder = folders();

examples(
  "sync-settled-time",
  ["given written at", "given read at"],
  ["then kept"],
  (row, moved) => ({
    "then kept": `${settledTime(
      Number(row["given written at"]),
      Number(row["given read at"]),
      moved,
    )}`,
  }),
);

examples(
  "segment-merge",
  ["given segments"],
  ["then merged"],
  (row, moved) => ({
    "then merged":
      segmentsToMerge(
        row["given segments"].split(" ").map((use, i) => {
          const [passages, alive] = use.split("/").map(Number);
          return { id: i + 1, passages: passages!, alive: alive! };
        }),
        moved,
      )
        .sort((a, b) => a - b)
        .join(" ") || "–",
  }),
);

const WORDS = ["alpha", "beta", "gamma", "core", "f", "shared", "return"];

/** All that an index says, whatever its ids are. */
function contents(index: IndexReader) {
  const path = (id: number) => index.file(id)!.path;
  const postings = (term: string) =>
    [...index.postings(term)]
      .flatMap(([segment, data]) => {
        const { table } = index.segments().find(({ id }) => id === segment)!;
        const found: string[] = [];
        eachPosting(data, (p, count) => {
          if (index.file(table.file[p]!))
            found.push(
              `${path(table.file[p]!)}:${table.firstLine[p]} ${count}`,
            );
        });
        return found;
      })
      .sort();
  const { passages, averageFile, averagePassage } = index.statistics();
  return {
    files: index.files().map(({ id: _, mtimeMs: __, ...file }) => file),
    symbols: index
      .files()
      .map(({ id }) =>
        index.symbolsOf(id).map(({ file: _, ...symbol }) => symbol),
      ),
    references: index.files().map(({ id }) => index.referencesOf(id)),
    leftOut: index.leftOut().map(({ path, reason }) => ({ path, reason })),
    counts: index.counts(),
    statistics: { passages, averageFile, averagePassage },
    postings: WORDS.map(postings),
  };
}

/** The index as a reader that has just come sees it, and one that is built anew. */
async function compared(root: string) {
  const now = openIndex(root)!.index;
  const seen = contents(now);
  const question = (index: IndexReader) =>
    index.snapshot(() => explore(root, index, { query: "alpha shared" }).text);
  const answer = question(now);
  now.close();
  await built(root);
  const anew = openIndex(root)!.index;
  const wanted = { seen: contents(anew), answer: question(anew) };
  anew.close();
  return { got: { seen, answer }, wanted };
}

const counts = ({ added, changed, removed, whole }: SyncResult) =>
  `${added} ${changed} ${removed}${whole ? " whole" : ""}`;

const bodies = ["alpha", "beta", "gamma"].map((name) => python(name, 12));
const step = fc.oneof(
  fc.record({
    do: fc.constant("write" as const),
    path: fc.constantFrom("a.py", "d/b.py", "d/e/c.py", "n.py", "x/y/z.md"),
    text: fc.constantFrom(...bodies, "", "shared = 1\n", "\0"),
  }),
  fc.record({
    do: fc.constant("remove" as const),
    path: fc.constantFrom("a.py", "d/b.py", "d", "x"),
  }),
  fc.record({
    do: fc.constant("rename" as const),
    path: fc.constantFrom("a.py", "d"),
    to: fc.constantFrom("n.py", "m", "q.py"),
  }),
);

law("sync-takes-in", "whatever is edited, in whatever order", async () => {
  const syncer = new Syncer({
    limits: { ...limits, MAX_SYNC_SHARE: Infinity },
    extractor,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (steps, inGit) => {
        const root = folder({
          "a.py": python("core", 9),
          "d/b.py": python("shared", 9),
          "d/k.py": "from b import shared\n",
        });
        if (inGit) git(root, "init", "-q");
        await built(root);
        const reader = openIndex(root)!.index;
        for (const [edit, named] of steps) {
          const paths: string[] = [edit.path];
          const full = join(root, edit.path);
          try {
            if (edit.do === "write") {
              mkdirSync(dirname(full), { recursive: true });
              writeFileSync(full, edit.text);
            } else if (edit.do === "remove")
              rmSync(full, { recursive: true, force: true });
            else {
              paths.push(edit.to);
              renameSync(full, join(root, edit.to));
            }
          } catch {
            // A folder in the place of a file, and the like.
          }
          await syncer.sync(root, named ? paths : undefined);
          syncer.compact(root);
          reader.snapshot(() => contents(reader));
        }
        // One that has been open all the while has kept up.
        const kept = reader.snapshot(() => contents(reader));
        reader.close();
        const { got, wanted } = await compared(root);
        expect(got).toEqual(wanted);
        expect(kept).toEqual(wanted.seen);
      },
    ),
    { numRuns: 8 },
  );
  syncer.close();
});

ruleTest("sync-named-paths", "they alone are looked at", async () => {
  const root = folder({
    "a.py": python("core", 9),
    "b.py": python("shared", 9),
    "c.py": "",
    ".gitignore": "out/\n",
  });
  git(root, "init", "-q");
  await built(root);
  const syncer = new Syncer({ extractor });
  const sync = async (...paths: string[]) =>
    counts((await syncer.sync(root, paths))!);
  put(root, { "a.py": "x = 1\n", "b.py": "y = 1\n" });
  expect(await sync("a.py")).toBe("0 1 0");
  expect(await sync("a.py")).toBe("0 0 0");
  expect(await sync("b.py")).toBe("0 1 0");
  put(root, { "new/deep/n.py": "n = 1\n", "out/o.py": "o = 1\n" });
  expect(await sync("new", "out")).toBe("1 0 0");
  rmSync(join(root, "new"), { recursive: true });
  expect(await sync("new")).toBe("0 0 1");
  put(root, { ".gitignore": "" });
  expect(await sync(".gitignore")).toBe("1 1 0 whole");
  git(root, "init", "-q", "inner");
  put(root, { "inner/i.py": "i = 1\n" });
  expect(await sync("inner/i.py")).toBe("1 0 0 whole");
  syncer.close();
});

ruleTest("sync-compares", "time first, then bytes", async () => {
  const root = folder({ "a.py": "a = 1\n", "b.bin": "\0", "c.py": "" });
  const old = new Date(Date.now() - 60_000);
  for (const name of ["a.py", "b.bin", "c.py"])
    utimesSync(join(root, name), old, old);
  await built(root);
  const syncer = new Syncer({ extractor });
  const sync = async () => counts((await syncer.sync(root, undefined))!);
  const time = () => {
    const { index } = openIndex(root)!;
    const at = index.files().find(({ path }) => path === "a.py")!.mtimeMs;
    index.close();
    return at;
  };
  // The same bytes at another time: the new time is kept, nothing is parsed.
  const later = new Date(old.getTime() + 10_000);
  utimesSync(join(root, "a.py"), later, later);
  expect(await sync()).toBe("0 0 0 whole");
  expect(time()).toBe(later.getTime());
  // Other bytes of the same size, just written: no time is kept of them.
  writeFileSync(join(root, "a.py"), "a = 2\n");
  expect(await sync()).toBe("0 1 0 whole");
  expect(time()).toBe(-1);
  const { mtime } = statSync(join(root, "a.py"));
  writeFileSync(join(root, "a.py"), "a = 3\n");
  utimesSync(join(root, "a.py"), mtime, mtime);
  expect(await sync()).toBe("0 1 0 whole");
  // What was left out is looked at again.
  writeFileSync(join(root, "b.bin"), "now a text\n");
  expect(await sync()).toBe("1 0 0 whole");
  syncer.close();
});

ruleTest("sync-takes-in", "what was left out comes and goes", async () => {
  const root = folder({ "a.py": "", "b.py": "", "c.py": "" });
  await built(root);
  symlinkSync("a.py", join(root, "l.py"));
  put(root, { "b.py": "\0\0" });
  const syncer = new Syncer({ extractor });
  await syncer.sync(root, undefined);
  const { got, wanted } = await compared(root);
  expect(got).toEqual(wanted);
  expect(got.seen.leftOut.map(({ path }) => path)).toEqual(["b.py", "l.py"]);
  syncer.close();
});

examples(
  "sync-mostly-new",
  ["given files", "given changed"],
  ["then it is"],
  (row, moved) => ({
    "then it is": isMostlyNew(
      Number(row["given changed"]),
      Number(row["given files"]),
      moved,
    )
      ? "built anew"
      : "edited",
  }),
);

loadBearing("sync-takes-in", "KEPT_INDEXES", async (moved) => {
  const syncer = new Syncer({ limits: moved, extractor });
  for (let i = 0; i < 6; i++) {
    const root = folder({ "a.py": "" });
    await built(root);
    await syncer.sync(root, undefined);
  }
  const { kept } = syncer;
  syncer.close();
  return kept;
});

const waits = async (moved: typeof limits) => {
  const root = folder({ "a.py": "", "b.py": "", "c.py": "" });
  git(root, "init", "-q");
  await built(root);
  put(root, { ".git/index.lock": "", "a.py": "x = 1\n" });
  const slept: number[] = [];
  const syncer = new Syncer({
    limits: moved,
    extractor,
    sleep: async (ms) => void slept.push(ms),
  });
  expect(counts((await syncer.sync(root, undefined))!)).toBe("0 1 0 whole");
  syncer.close();
  return [slept.length, slept.reduce((a, b) => a + b, 0)];
};
loadBearing("sync-waits-for-git", "GIT_WAIT_MS", (moved) =>
  waits(moved as typeof limits),
);
loadBearing("sync-waits-for-git", "GIT_POLL_MS", (moved) =>
  waits(moved as typeof limits),
);

ruleTest("sync-waits-for-git", "until the lock is gone", async () => {
  const root = folder({ "a.py": "", "b.py": "", "c.py": "" });
  git(root, "init", "-q");
  await built(root);
  put(root, { ".git/index.lock": "" });
  let polls = 0;
  const sleep = async () => {
    if (++polls < 3) return;
    // The last moment of the change, and its end.
    put(root, { "a.py": "x = 1\n", "b.py": "y = 1\n" });
    rmSync(join(root, ".git/index.lock"));
  };
  const syncer = new Syncer({ extractor, sleep });
  expect(counts((await syncer.sync(root, ["a.py", "b.py"]))!)).toBe("0 2 0");
  expect(polls).toBe(3);
  syncer.close();
});

ruleTest("sync-waits-for-git", "once for a lock that stays", async () => {
  const root = folder({ "a.py": "", "b.py": "", "c.py": "" });
  git(root, "init", "-q");
  await built(root);
  let polls = 0;
  const syncer = new Syncer({ extractor, sleep: async () => void polls++ });
  const polled: number[] = [];
  for (const text of ["x = 1\n", "x = 2\n"]) {
    put(root, { "a.py": text });
    if (polled.length === 0) put(root, { ".git/index.lock": "" });
    expect(counts((await syncer.sync(root, ["a.py"]))!)).toBe("0 1 0");
    polled.push(polls);
  }
  expect(polled[0]).toBeGreaterThan(0);
  expect(polled[1]).toBe(polled[0]);
  // Another git, which may be at work.
  rmSync(join(root, ".git/index.lock"));
  put(root, { ".git/index.lock": "0", "a.py": "x = 3\n" });
  await syncer.sync(root, ["a.py"]);
  expect(polls).toBe(2 * polled[0]!);
  syncer.close();
});

ruleTest("sync-takes-in", "a damaged index is built anew", async () => {
  const root = folder({ "a.py": python("alpha", 9) });
  await built(root);
  writeFileSync(currentIndex(root)!, "no database at all");
  const ran = codegraph(["sync"], { cwd: root });
  expect(ran.stderr).toBe(`Indexing ${root}\n`);
  expect(ran.stdout).toMatch(/^The index was built anew: it is damaged: .+\n/);
  expect(ran.status).toBe(0);
  const { got, wanted } = await compared(root);
  expect(got).toEqual(wanted);
});

ruleTest("cli-sync", "what it took in, in words and as JSON", async () => {
  const root = folder({ "a.py": "", "b.py": "", "c.py": "", "d.py": "" });
  const run = (...args: string[]) => here(["sync", ...args], { cwd: root });
  expect(await run()).toMatchObject({ status: 1, stdout: "" });
  await built(root);
  expect(await run()).toEqual({
    status: 0,
    stdout: `${wordings.SYNC_NOTHING}\n`,
    stderr: "",
  });
  put(root, { "a.py": "x = 1\n", "new.py": "" });
  rmSync(join(root, "b.py"));
  expect((await run()).stdout).toMatch(
    /^Taken in, in \d+\.\d\d s: 1 added, 1 changed, 1 removed\.\n$/,
  );
  put(root, { "a.py": "x = 2\n" });
  expect(JSON.parse((await run("--json")).stdout)).toEqual({
    root,
    added: 0,
    changed: 1,
    removed: 0,
    reused: 0,
    whole: true,
    seconds: expect.any(Number),
  });
  for (const name of ["a", "c", "d"]) put(root, { [`${name}.py`]: "y = 3\n" });
  // To build anew takes a thread, which a process starts sooner.
  const anew = codegraph(["sync"], { cwd: root });
  expect(anew.stdout).toContain(wordings.SYNC_MOSTLY_NEW);
  expect((await run("--quiet")).stdout).toBe("");
});

ruleTest("sync-takes-in", "a killed sync has not happened", async () => {
  const many = (text: string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `f${i}.py`,
        `${python(`${text}${i}`, 60)}`,
      ]),
    );
  const keep = Object.fromEntries(
    Array.from({ length: 90 }, (_, i) => [`k${i}.py`, ""]),
  );
  const root = folder({ ...many("old"), ...keep });
  await built(root);
  const names = () => {
    const { index } = openIndex(root)!;
    const all = new Set(
      index.symbolNames(999).map((name) => name.replace(/\d+$/, "")),
    );
    index.close();
    return [...all];
  };
  let before = "old";
  for (const [i, wait] of [90, 140, 200].entries()) {
    const after = `new${"abcdef"[i]}`;
    put(root, many(after));
    const run = start(["sync", "--quiet"], { cwd: root });
    const closed = once(run, "close");
    await sleep(wait);
    run.kill("SIGKILL");
    await closed;
    const [only, ...others] = names();
    expect(others).toEqual([]);
    expect([before, after]).toContain(only);
    before = only!;
  }
  expect((await here(["sync", "-q"], { cwd: root })).status).toBe(0);
  expect(names()).toEqual(["newc"]);
});

const NO_EDIT: Edit = {
  removed: [],
  files: [],
  segments: [],
  touched: [],
  taken: [],
  leftOut: [],
  meta: { extractorVersion: 1, commit: "", source: "walk" },
};

/** An index of one file, and an editor of it. */
async function edited(moved = limits) {
  const root = folder({ "a.py": "" });
  await built(root);
  const path = currentIndex(root)!;
  return { path, editor: new SqliteEditor(path, moved) };
}

ruleTest("store-snapshot", "one state, however many edits come", async () => {
  const { path, editor } = await edited();
  const reader = new SqliteReader(path);
  const paths = () => reader.files().map((f) => f.path);
  reader.snapshot(() => {
    expect(paths()).toEqual(["a.py"]);
    editor.apply({ ...NO_EDIT, files: [indexedFile(2, { path: "b.py" })] });
    expect(reader.counts().files).toBe(1);
    expect(paths()).toEqual(["a.py"]);
  });
  expect(reader.snapshot(paths)).toEqual(["a.py", "b.py"]);
  editor.apply({ ...NO_EDIT, removed: [1] });
  expect(reader.snapshot(paths)).toEqual(["b.py"]);
  reader.close();
  editor.close();
});

ruleTest("store-edit", "no id is used twice", async () => {
  const { editor } = await edited();
  expect(editor.nextFile).toBe(2);
  editor.apply({ ...NO_EDIT, files: [indexedFile(2, { path: "b.py" })] });
  editor.apply({ ...NO_EDIT, removed: [2] });
  expect(editor.nextFile).toBe(3);
  const segment: Segment = {
    passages: new Uint8Array([0]),
    terms: ["x"],
    ends: new Uint32Array([1]),
    postings: new Uint8Array([1]),
  };
  const ids = () =>
    editor.reader.snapshot(() => editor.reader.segments().map(({ id }) => id));
  editor.apply({ ...NO_EDIT, segments: [segment] });
  const [last] = ids().slice(-1);
  while (editor.compact());
  editor.apply({ ...NO_EDIT, segments: [segment] });
  expect(ids().at(-1)).toBeGreaterThan(last!);
  editor.close();
});

loadBearing("store-snapshot", "MAX_LOGGED_CHANGES", async (moved) => {
  const most = limits.MAX_LOGGED_CHANGES;
  const outcome: number[] = [];
  for (const many of [most, most + 1]) {
    const { path, editor } = await edited(moved as typeof limits);
    const reader = new SqliteReader(path);
    reader.files();
    editor.apply({
      ...NO_EDIT,
      files: [indexedFile(2, { path: "b.py" })],
      touched: Array.from({ length: many - 1 }, () => ({ id: 1, mtimeMs: 5 })),
    });
    outcome.push(editor.logged);
    expect(reader.snapshot(() => reader.files())).toMatchObject([
      { path: "a.py", mtimeMs: 5 },
      { path: "b.py" },
    ]);
    reader.close();
    editor.close();
  }
  return outcome;
});

loadBearing("store-edit", "LOG_MB", async (moved) => {
  const { path, editor } = await edited(moved as typeof limits);
  editor.apply({
    ...NO_EDIT,
    files: [
      indexedFile(2, {
        path: "b.py",
        symbols: Array.from({ length: 60 }, (_, i) =>
          definition({ name: `f${i}`, doc: "x".repeat(120_000) }),
        ),
      }),
    ],
  });
  editor.apply(NO_EDIT);
  const { size } = statSync(`${path}-wal`);
  editor.close();
  return size;
});

/** How many files of each switch were not parsed. */
const switches = async (moved: Limits, files: number): Promise<number[]> => {
  const root = folder(
    Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`k${i}.py`, `k = ${i}\n`]),
    ),
  );
  await built(root);
  const cache = join(dirname(root), "kept");
  mkdirSync(cache);
  const syncer = new Syncer({ limits: moved, extractor });
  const reused: number[] = [];
  for (const branch of ["a", "b", "a", "b"]) {
    for (let i = 0; i < files; i++)
      put(root, { [`k${i}.py`]: python(`${branch}${i}`, 3) });
    reused.push((await syncer.sync(root, undefined, { cache }))!.reused);
  }
  syncer.close();
  return reused;
};
ruleTest("sync-shares-extractions", "a branch switched back to", async () => {
  const many = limits.MIN_SHARED_FILES;
  expect(await switches(limits, many)).toEqual([0, 0, many, many]);
});
loadBearing("sync-shares-extractions", "MIN_SHARED_FILES", async (moved) => [
  await switches(moved, limits.MIN_SHARED_FILES),
  await switches(moved, limits.MIN_SHARED_FILES - 1),
]);
