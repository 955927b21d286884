/** The data folder: found, locked, swapped, and never more than ours. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { scan } from "../src/index/scan.ts";
import { say } from "../src/model/wording.ts";
import { wordings, type Limits } from "../src/spec.gen.ts";
import { buildIndex } from "../src/store/build.ts";
import { exclusively } from "../src/store/exclusive.ts";
import {
  lock,
  newGeneration,
  removeData,
  type Lock,
} from "../src/store/folder.ts";
import { currentIndex, nearestProject, UserError } from "../src/store/place.ts";
import { openIndex } from "../src/store/open.ts";
import { codegraph, script, start } from "./binary.ts";
import { built } from "./built.ts";
import { dataNames, folders, put, python } from "./folders.ts";
import { loadBearing, ruleTest } from "./from-spec.ts";

const folder = folders();

const index = built;
const names = (root: string): string[] => {
  const { index } = openIndex(root)!;
  const all = index.symbolNames(999).sort();
  index.close();
  return all;
};
/** Looks like an index in use without the cost of one. */
const pretend = (root: string): void => {
  const { path, done } = newGeneration(root);
  writeFileSync(path, "x");
  done(true);
};

ruleTest("folder-nearest-project", "the innermost index counts", () => {
  const root = folder({ "a/b/c/f.py": "", "a/z/f.py": "" });
  pretend(root);
  pretend(join(root, "a/b"));
  const home = "/nowhere";
  expect(nearestProject(join(root, "a/b/c"), home)).toBe(join(root, "a/b"));
  expect(nearestProject(join(root, "a/b/c/f.py"), home)).toBe(
    join(root, "a/b"),
  );
  expect(nearestProject(join(root, "a/z"), home)).toBe(root);
  expect(nearestProject(join(root, "a/none/there"), home)).toBe(root);
  mkdirSync(join(root, "a/z/.codegraph"));
  expect(nearestProject(join(root, "a/z"), home)).toBe(root);
});

ruleTest("folder-nearest-project", "the home counts for itself alone", () => {
  const home = folder({ "p/a.py": "" });
  pretend(home);
  const link = join(dirname(home), "link");
  symlinkSync(home, link);
  for (const known of [home, link, `${home}/`])
    expect(nearestProject(join(home, "p"), known)).toBeUndefined();
  expect(nearestProject(home, home)).toBe(home);
  expect(nearestProject(join(home, "p"), "/elsewhere")).toBe(home);
});

const held = (root: string): Lock => {
  const taken = lock(root);
  if (!("release" in taken)) throw new Error(`held by ${taken.heldBy}`);
  return taken;
};

ruleTest("folder-one-writer", "the second one is told who the first is", () => {
  const root = folder();
  const first = held(root);
  expect(lock(root)).toEqual({ heldBy: process.pid });
  expect(lock(root)).toEqual({ heldBy: process.pid });
  first.release();
  held(root).release();
});

ruleTest(
  "folder-one-writer",
  "a lock does not outlive a killed process",
  async () => {
    const root = folder();
    const module = pathToFileURL(resolve("src/store/folder.ts")).href;
    const holder = spawn(process.execPath, [
      "-e",
      `import(${JSON.stringify(module)}).then((m) => { globalThis.held = m.lock(${JSON.stringify(root)}); console.log("held"); setInterval(() => {}, 1000); })`,
    ]);
    await once(holder.stdout, "data");
    expect(lock(root)).toEqual({ heldBy: holder.pid });
    holder.kill("SIGKILL");
    await once(holder, "close");
    held(root).release();
    expect(dataNames(root)).toEqual(["lock.db"]);
  },
);

ruleTest(
  "folder-one-writer",
  "a lock of another kind is reported and kept",
  () => {
    const root = folder({ ".codegraph/lock.db": "12345\n".repeat(99) });
    expect(() => lock(root)).toThrow(
      say(wordings.FOLDER_NOT_OURS, { path: join(root, ".codegraph/lock.db") }),
    );
    expect(readFileSync(join(root, ".codegraph/lock.db"), "utf8")).toMatch(
      /^12345/,
    );
    const other = folder({ ".codegraph/lock.db/x": "" });
    expect(() => lock(other)).toThrow(UserError);
  },
);

/** How long one waits for a lock that never comes free, and how often one asks. */
async function patience(
  limits: Pick<Limits, "LOCK_RETRY_MS" | "LOCK_WAIT_SECONDS">,
) {
  const root = folder();
  const first = held(root);
  const slept: number[] = [];
  const told: number[] = [];
  const gaveUp = await exclusively(
    root,
    (pid) => told.push(pid),
    () => Promise.reject(new Error("ran beside the other")),
    (ms) => Promise.resolve(slept.push(ms)),
    limits,
  ).catch((error: unknown) => (error as UserError).message);
  first.release();
  return {
    gaveUp,
    told,
    slept: slept.reduce((sum, ms) => sum + ms, 0),
    times: slept.length,
  };
}
loadBearing("folder-waits-for-the-lock", "LOCK_WAIT_SECONDS", patience);
loadBearing("serve-waits-for-the-writer", "LOCK_RETRY_MS", patience);

ruleTest(
  "folder-waits-for-the-lock",
  "it says so once, and gives up",
  async () => {
    expect(
      await patience({ LOCK_RETRY_MS: 250, LOCK_WAIT_SECONDS: 2 }),
    ).toEqual({
      gaveUp: say(wordings.CLI_STILL_LOCKED, { pid: process.pid, seconds: 2 }),
      told: [process.pid],
      slept: 2000,
      times: 8,
    });
  },
);

ruleTest(
  "folder-waits-for-the-lock",
  "it goes on when the other is done",
  async () => {
    const root = folder();
    const first = held(root);
    const ran = exclusively(
      root,
      () => first.release(),
      () => Promise.resolve("ran"),
    );
    expect(await ran).toBe("ran");
    held(root).release();
  },
);

ruleTest("folder-swap", "a reader keeps the index it opened", async () => {
  const root = folder({ "a.py": "def old_name(): pass\n" });
  await index(root);
  const before = openIndex(root)!;
  put(root, { "a.py": "def new_name(): pass\n" });
  await index(root);
  expect(names(root)).toEqual(["new_name"]);
  expect(before.index.symbolNames(9)).toEqual(["old_name"]);
  expect(before.index.files().map((f) => f.path)).toEqual(["a.py"]);
  before.index.close();
  expect(dataNames(root)).toEqual([
    ".gitignore",
    "current",
    currentIndex(root)!.split("/").at(-1),
  ]);
});

ruleTest(
  "folder-swap",
  "a failed run changes nothing and leaves nothing",
  async () => {
    const root = folder({ "a.py": "def kept(): pass\n" });
    await index(root);
    const before = dataNames(root);
    const failing = buildIndex(
      await scan(root),
      () => {
        throw new Error("stopped");
      },
      { script: script("index-worker") },
    );
    await expect(failing).rejects.toThrow("stopped");
    expect(dataNames(root)).toEqual(before);
    expect(names(root)).toEqual(["kept"]);
  },
);

/** A project whose indexing takes long enough to be interrupted. */
const bulky = (files: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: files }, (_, i) => [`f${i}.py`, python(`f${i}`, 250)]),
  );

ruleTest(
  "folder-swap",
  "a killed run leaves the index before it, and the next one cleans up",
  async () => {
    const root = folder({ "a.py": "def before_kill(): pass\n" });
    await index(root);
    put(root, bulky(50));
    const run = start(["index", "--quiet"], { cwd: root });
    const closed = once(run, "close");
    const generations = () =>
      dataNames(root).filter((name) => /^index-.*\.db$/.test(name));
    while (generations().length < 2 && run.exitCode === null) await sleep(2);
    run.kill("SIGKILL");
    await closed;
    expect(generations()).toHaveLength(2);
    expect(names(root)).toEqual(["before_kill"]);
    put(root, { ".codegraph/current.0123456789ab": "left by a kill" });
    held(root).release();
    expect(codegraph(["index", "--quiet"], { cwd: root })).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(generations()).toHaveLength(1);
    expect(dataNames(root)).toHaveLength(4);
    expect(names(root)).toContain("f49");
  },
);

ruleTest("folder-swap", "a full disk leaves the index before it", async () => {
  const root = folder({ "a.py": "def before_full(): pass\n" });
  await index(root);
  put(root, bulky(8));
  const before = dataNames(root);
  // The system lets no file of the process grow over 100 blocks.
  const ran = codegraph(["index"], {
    cwd: root,
    through: ["sh", "-c", 'ulimit -f 100; exec "$@"', "sh"],
  });
  expect(ran.stderr).toBe(
    `${say(wordings.INDEXING, { root })}\ncodegraph: ${wordings.CLI_DISK_FULL}\n`,
  );
  expect(ran).toMatchObject({ status: 1, stdout: "" });
  expect(dataNames(root).filter((n) => n !== "lock.db")).toEqual(before);
  expect(names(root)).toEqual(["before_full"]);
});

ruleTest("folder-only-ours", "nothing is written through a link", async () => {
  const root = folder({ "a.py": "def f(): pass\n" });
  const precious = join(dirname(root), "precious");
  const aim = (path: string) => {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(precious, path);
  };
  await index(root);
  held(root).release();
  const data = join(root, ".codegraph");
  const ours = dataNames(root);
  expect(ours).toHaveLength(4);
  for (const text of ["precious\n", ""]) {
    writeFileSync(precious, text);
    for (const name of [...ours, "lock.db-journal", "lock.db-wal"])
      aim(join(data, name));
    await exclusively(
      root,
      () => {},
      () => index(root),
    );
    expect(readFileSync(precious, "utf8")).toBe(text);
    expect(names(root)).toEqual(["f"]);
    expect(dataNames(root)).toHaveLength(4);
    for (const name of dataNames(root))
      expect(lstatSync(join(data, name)).isFile(), name).toBe(true);
  }
});

ruleTest("folder-only-ours", "a linked data folder is refused", async () => {
  const root = folder({ "a.py": "def f(): pass\n" });
  const elsewhere = folder();
  symlinkSync(elsewhere, join(root, ".codegraph"));
  const refusal = say(wordings.FOLDER_NOT_OURS, {
    path: join(root, ".codegraph"),
  });
  expect(() => lock(root)).toThrow(refusal);
  expect(() => removeData(root)).toThrow(refusal);
  await expect(index(root)).rejects.toThrow(refusal);
  expect(currentIndex(root)).toBeUndefined();
  expect(readdirSync(elsewhere)).toEqual([]);
});

ruleTest(
  "folder-only-ours",
  "an index that the pointer finds elsewhere is none",
  () => {
    const root = folder({ "a.py": "def f(): pass\n" });
    pretend(root);
    const [name] = dataNames(root).filter((n) => n.startsWith("index-"));
    for (const text of [
      `../.codegraph/${name}`,
      "",
      "index-x.db",
      "/etc/passwd",
    ]) {
      put(root, { ".codegraph/current": text });
      expect(currentIndex(root)).toBeUndefined();
    }
  },
);

ruleTest("folder-only-ours", "what is not ours is kept and named", () => {
  const root = folder({ "a.py": "def f(): pass\n" });
  pretend(root);
  held(root).release();
  const data = join(root, ".codegraph");
  const precious = join(dirname(root), "precious");
  writeFileSync(precious, "precious\n");
  const foreign = {
    "current.txt": "mine",
    "index-notes.db": "mine",
    "index-0000000000000000.dbx": "mine",
    "lock.db.bak": "mine",
    "sub/file": "mine",
    ".gitignore": "*\n!notes\n",
  };
  put(data, foreign);
  symlinkSync(precious, join(data, "index-0000000000000001.db"));
  put(data, { "index-0000000000000002.db-journal": "ours" });
  const { removed, kept } = removeData(root);
  expect(removed).toBe(true);
  expect(kept).toEqual(
    [
      ...Object.keys(foreign).map((path) => path.split("/")[0]!),
      "index-0000000000000001.db",
    ].sort(),
  );
  expect(dataNames(root)).toEqual(kept);
  expect(readFileSync(precious, "utf8")).toBe("precious\n");
  expect(removeData(root)).toEqual({ removed: false, kept });
  pretend(root);
  expect(readFileSync(join(data, ".gitignore"), "utf8")).toBe("*\n!notes\n");
});

ruleTest("folder-only-ours", "where all was ours nothing is left", () => {
  const root = folder({ "a.py": "def f(): pass\n" });
  held(root).release();
  pretend(root);
  expect(removeData(root)).toEqual({ removed: true, kept: [] });
  expect(readdirSync(root)).toEqual(["a.py"]);
  expect(removeData(root)).toEqual({ removed: false, kept: [] });
});

ruleTest(
  "folder-read-only",
  "its index is kept in the user's folder, and found and removed there",
  async () => {
    const root = folder({ "a.py": "def read_only(): pass\n", "b/c.py": "" });
    const home = dirname(root);
    const cache = join(home, "own");
    // In a name space of its own the project is mounted so that nobody can write.
    const readOnly = (...args: string[]) =>
      codegraph(args, {
        cwd: root,
        env: { CODEGRAPH_CACHE_DIR: cache },
        through: [
          "unshare",
          "-rm",
          "sh",
          "-c",
          `mount --bind "${root}" "${root}" && mount -o remount,bind,ro "${root}" && cd "${root}/b" && exec "$@"`,
          "sh",
        ],
      });
    expect(readOnly("init", "-q", root)).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(lstatSync(root).isDirectory()).toBe(true);
    expect(readdirSync(root)).toEqual(["a.py", "b"]);
    expect(readdirSync(join(cache, "projects"))).toHaveLength(1);
    const asked = readOnly("explore", "read_only");
    expect(asked.stdout).toContain("1\tdef read_only");
    put(root, { "a.py": "def changed(): pass\n" });
    expect(readOnly("sync").stdout).toContain("1 changed");
    expect(readOnly("status", "--json").stdout).toContain(
      '"pending":{"added":[],"changed":[],"removed":[]}',
    );
    expect(readOnly("uninit", root).status).toBe(0);
    expect(readdirSync(join(cache, "projects"))).toEqual([]);
    // One in the project serves until there is another.
    await index(root);
    expect(readOnly("explore", "changed").stdout).toContain("1\tdef changed");
  },
);
