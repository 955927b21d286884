/** A project that is asked about is followed, whatever happens to it. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect } from "vitest";
import {
  areNamed,
  debounce,
  isLongAgo,
  keptForMs,
  mayWatchMore,
} from "../src/index/timing.ts";
import { Watcher, type WatchTrouble } from "../src/index/watch.ts";
import { Freshness } from "../src/serve/freshness.ts";
import { ToolHandler } from "../src/serve/handler.ts";
import { TOOL } from "../src/serve/tool.ts";
import { Keeper } from "../src/serve/keeper.ts";
import { InThread, type Runner } from "../src/serve/runner.ts";
import { SyncThread, type SyncRunner } from "../src/serve/sync-thread.ts";
import { limits, wordings, type Limits } from "../src/spec.gen.ts";
import { openIndex } from "../src/store/open.ts";
import { currentIndex } from "../src/store/place.ts";
import { script } from "./binary.ts";
import { built } from "./built.ts";
import { folders, git, put, python } from "./folders.ts";
import { examples, loadBearing, ruleTest } from "./from-spec.ts";

const folder = folders();
const newThread = () => new SyncThread(limits, script("sync-worker"));
const thread = newThread();
afterAll(() => thread.close());

examples(
  "watch-debounce",
  ["given ms since first"],
  ["then wait"],
  (row, moved) => ({
    "then wait": `${debounce(Number(row["given ms since first"]), moved)}`,
  }),
);
examples("watch-burst", ["given paths"], ["then looked at"], (row, moved) => ({
  "then looked at": areNamed(Number(row["given paths"]), moved)
    ? "each"
    : "all",
}));
examples(
  "watch-safety-net",
  ["given ms since"],
  ["then looked at"],
  (row, moved) => ({
    "then looked at": isLongAgo(Number(row["given ms since"]), moved)
      ? "yes"
      : "no",
  }),
);
examples("watch-limit", ["given folders"], ["then one more"], (row, moved) => ({
  "then one more": mayWatchMore(Number(row["given folders"]), moved)
    ? "yes"
    : "no",
}));
loadBearing("sync-thread", "SYNC_IDLE_SECONDS", (moved) => keptForMs(moved));

/** Until something holds; fails after a while. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (holds()) return;
    await sleep(10);
  }
  throw new Error("it never came to be");
}

const names = (root: string): string[] => {
  const { index } = openIndex(root)!;
  const all = index.symbolNames(999).sort();
  index.close();
  return all;
};

const followed = (root: string, moved: Limits = limits) => {
  const said: string[] = [];
  const project = new Freshness(root, thread, {
    limits: moved,
    log: (message) => said.push(message),
  });
  return { project, said };
};

ruleTest("watch-folders", "files that come, change, move and go", async () => {
  const root = folder({
    "src/a.py": python("alpha", 3),
    "src/b.py": python("beta", 3),
    "lib/c.py": python("gamma", 3),
    ".gitignore": "out/\nnode_modules/\n",
  });
  git(root, "init", "-q");
  await built(root);
  const { project } = followed(root);
  await project.fresh();
  expect(project.state()).toMatchObject({ folders: 3, trouble: "" });
  put(root, { "src/a.py": python("alpha2", 3) });
  await until(() => names(root).includes("alpha2"));
  // A folder in a folder, both new, and one that is ignored.
  put(root, {
    "src/new/deep/d.py": python("delta", 3),
    "out/o.py": python("omega", 3),
    "node_modules/m/m.js": "function mu() {}\n",
  });
  await until(() => names(root).includes("delta"));
  put(root, { "src/new/deep/e.py": python("epsilon", 3) });
  await until(() => names(root).includes("epsilon"));
  renameSync(join(root, "src/new"), join(root, "moved"));
  put(root, { "moved/deep/e.py": python("eta", 3) });
  await until(() => names(root).includes("eta"));
  rmSync(join(root, "lib"), { recursive: true });
  await until(() => !names(root).includes("gamma"));
  expect(names(root)).toEqual(["alpha2", "beta", "delta", "eta"]);
  expect(project.state().folders).toBe(4);
  // What was ignored no longer is.
  put(root, { ".gitignore": "node_modules/\n" });
  await until(() => names(root).includes("omega"));
  put(root, { "out/o.py": python("omega2", 3) });
  await until(() => names(root).includes("omega2"));
  await project.close();
});

ruleTest(
  "fresh-before-an-answer",
  "the first question catches up, the next ones take in at once",
  async () => {
    const root = folder({ "was.py": python("was", 3), "k.py": "", "l.py": "" });
    await built(root);
    rmSync(join(root, "was.py"));
    put(root, { "is.py": python("is_now", 3) });
    // No burst ends while a question waits: it is not what is waited for.
    const slow = { ...limits, DEBOUNCE_MS: 60_000, MAX_DEBOUNCE_MS: 60_000 };
    const { project } = followed(root, slow);
    expect(await project.fresh()).toEqual([]);
    expect(names(root)).toEqual(["is_now"]);
    for (const name of ["one", "two", "three"]) {
      put(root, { "is.py": python(name, 3) });
      expect(await project.fresh()).toEqual([]);
      expect(names(root)).toEqual([name]);
    }
    await project.close();
  },
);

ruleTest("fresh-before-an-answer", "catching up begins before", async () => {
  const root = folder({ "a.py": "", "b.py": "", "c.py": "" });
  await built(root);
  put(root, { "a.py": python("alpha", 3) });
  const { project } = followed(root);
  project.begin();
  await until(() => project.state().syncs === 1);
  expect(names(root)).toEqual(["alpha"]);
  project.begin();
  expect(await project.fresh()).toEqual([]);
  expect(project.state().syncs).toBe(1);
  await project.close();
});

ruleTest(
  "fresh-without-watching",
  "every question looks, and it is logged once",
  async () => {
    const root = folder({
      "a/a.py": "",
      "b/b.py": "",
      "c/c.py": "",
      "d.py": "",
    });
    await built(root);
    const { project, said } = followed(root, { ...limits, MAX_WATCHES: 2 });
    for (const name of ["one", "two"]) {
      put(root, { "a/a.py": python(name, 3) });
      expect(await project.fresh()).toEqual([]);
      expect(names(root)).toEqual([name]);
    }
    expect(project.state()).toMatchObject({
      folders: 0,
      trouble: "it has more than 2 folders",
    });
    expect(said).toEqual([
      `${root} is not watched: it has more than 2 folders. Every question looks for changes instead.`,
    ]);
    await project.close();
  },
);

ruleTest("watch-limit", "what was taken is given back", async () => {
  const root = folder({ "a/a.py": "", "b/b.py": "", "c/c.py": "" });
  const lost: WatchTrouble[] = [];
  const watcher = new Watcher(
    root,
    { changed: () => {}, lost: (trouble) => lost.push(trouble) },
    { MAX_WATCHES: 4 },
  );
  await watcher.cover(["a", "b", "c"]);
  expect(watcher.size).toBe(4);
  mkdirSync(join(root, "d"));
  await watcher.follow(["d"]);
  expect([watcher.size, lost]).toEqual([0, ["many"]]);
});

ruleTest(
  "fresh-before-an-answer",
  "a project that is deleted and made again is another one",
  async () => {
    const root = folder({ "a.py": python("first", 3) });
    await built(root);
    const { project } = followed(root);
    await project.fresh();
    rmSync(root, { recursive: true });
    await project.fresh();
    mkdirSync(root);
    put(root, { "a.py": python("second", 3), "b.py": "", "c.py": "" });
    await built(root);
    put(root, { "a.py": python("third", 3) });
    await project.fresh();
    expect(names(root)).toEqual(["third"]);
    put(root, { "a.py": python("fourth", 3) });
    await until(() => names(root).includes("fourth"));
    await project.close();
  },
);

ruleTest("fresh-before-an-answer", "a rebuilt index is told once", async () => {
  const root = folder({ "a.py": "" });
  await built(root);
  writeFileSync(openIndex(root)!.file, "no database");
  const { project } = followed(root);
  const [note, ...more] = await project.fresh();
  expect(note).toMatch(/^The index was built anew: it is damaged/);
  expect(more).toEqual([]);
  expect(await project.fresh()).toEqual([]);
  await project.close();
});

ruleTest("fresh-mends-damage", "once on a guess", async () => {
  const root = folder({ "a.py": python("alpha", 3) });
  await built(root);
  const { project } = followed(root);
  const mended = async (isGuess?: true) => {
    const file = currentIndex(root)!;
    const reason = "it broke";
    const [note] = await project.mend({
      file,
      reason,
      ...(isGuess && { isGuess }),
    });
    return [note?.includes(reason), currentIndex(root) !== file];
  };
  expect(await mended(true)).toEqual([true, true]);
  expect(await mended(true)).toEqual([undefined, false]);
  expect(await mended()).toEqual([true, true]);
  expect(await mended(true)).toEqual([true, true]);
  await project.close();
});

ruleTest("sync-thread", "one that breaks is replaced", async () => {
  const root = folder({ "a.py": "", "b.py": "", "c.py": "" });
  await built(root);
  const breaking = newThread();
  put(root, { "a.py": python("alpha", 3) });
  const done = breaking.sync(root, undefined);
  await breaking.worker!.terminate();
  expect(await done).toMatchObject({ whole: true });
  expect(names(root)).toEqual(["alpha"]);
  await breaking.close();
});

ruleTest(
  "fresh-before-an-answer",
  "a sync that fails is tried again",
  async () => {
    const root = folder({ "a.py": "", "b.py": "", "c.py": "" });
    await built(root);
    let fails = true;
    const failing: SyncRunner = {
      folders: (at) => thread.folders(at),
      sync: (at, paths) =>
        fails
          ? Promise.reject(new Error(wordings.CLI_DISK_FULL))
          : thread.sync(at, paths),
    };
    const said: string[] = [];
    const project = new Freshness(root, failing, { log: (m) => said.push(m) });
    put(root, { "a.py": python("alpha", 3) });
    await project.fresh();
    await project.fresh();
    expect(said).toEqual([
      `${root}: changes could not be taken in: ${wordings.CLI_DISK_FULL}`,
    ]);
    expect(project.state().failure).toBe(wordings.CLI_DISK_FULL);
    expect(names(root)).toEqual([]);
    fails = false;
    await project.fresh();
    expect(names(root)).toEqual(["alpha"]);
    expect(project.state().failure).toBe("");
    await project.close();
  },
);

/** What an answer waits for, where a sync does not end. */
async function waits(
  moved: Limits,
  wait: (project: Freshness) => Promise<unknown>,
): Promise<[waited: number[], got: unknown]> {
  const root = folder({ "a.py": "" });
  const waited: number[] = [];
  const project = new Freshness(
    root,
    { folders: async () => [], sync: () => new Promise(() => {}) },
    {
      limits: moved,
      log: () => {},
      pause: async (ms) => {
        waited.push(ms);
        await sleep(5);
      },
    },
  );
  return [waited, await wait(project)];
}

loadBearing("fresh-before-an-answer", "FRESH_WAIT_MS", async (moved) => {
  const [waited, notes] = await waits(moved, (project) => project.fresh());
  expect(notes).toEqual([wordings.NOTE_CATCHING_UP]);
  return waited;
});
loadBearing("fresh-drift", "DRIFT_WAIT_MS", async (moved) => {
  const [waited, inTime] = await waits(moved, (project) =>
    project.takeIn(["a.py"]),
  );
  expect(inTime).toBe(false);
  return waited;
});

ruleTest(
  "fresh-drift",
  "a file that changes while it is answered about is served as it is",
  async () => {
    const root = folder({
      "a.py": `${python("alpha", 30)}\n${python("omega", 30)}`,
      "b.py": "",
      "c.py": "",
    });
    await built(root);
    const inner = new InThread();
    const changes = ["    # one line more\n", "    # and another\n"];
    const texts: string[] = [];
    // Between what the keeper has seen and what the answer reads.
    const runner: Runner = {
      run(at, asked) {
        const line = changes.shift();
        if (line) put(root, { "a.py": `${line}${python("omega", 30)}` });
        return inner.run(at, asked);
      },
      close: () => inner.close(),
    };
    const handler = new ToolHandler(
      runner,
      new Keeper(
        {
          log: (message) => texts.push(message),
          // However busy the machine is.
          limits: { ...limits, DRIFT_WAIT_MS: 10_000 },
        },
        limits,
        newThread(),
      ),
    );
    const asked = async () => {
      const { content } = await handler.execute(
        TOOL,
        { query: "omega" },
        undefined,
        {
          places: [root],
          now: () => 0,
          settings: { dedup: undefined, debug: undefined },
        },
      );
      return content[0]!.text;
    };
    const text = await asked();
    // The second change came before the second answer: that one is marked.
    expect(text).toContain(wordings.NOTE_DRIFTED);
    expect(text).toContain("1\t    # and another");
    changes.push("    # the last\n");
    const fresh = await asked();
    expect(fresh).not.toContain(wordings.NOTE_DRIFTED);
    expect(fresh).toContain("2\tdef omega(x):");
    expect(texts).toEqual([]);
    await handler.close();
  },
);

ruleTest("keeps-projects", "as many as indexes are kept open", async () => {
  const keeper = new Keeper(
    { log: () => {} },
    { KEPT_INDEXES: 2 },
    newThread(),
  );
  const roots = await Promise.all(
    [1, 2, 3].map(async () => {
      const root = folder({ "a.py": "" });
      await built(root);
      return root;
    }),
  );
  for (const root of [...roots, roots[1]!]) await keeper.fresh(root);
  expect(keeper.states().map(({ root }) => root)).toEqual([roots[2], roots[1]]);
  await keeper.close();
});
