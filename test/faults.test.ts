/** What befalls a daemon and the index it keeps: kills, damage, full disks, foreign hands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect } from "vitest";
import { changes } from "../src/index/changes.ts";
import { scan } from "../src/index/scan.ts";
import { say } from "../src/model/wording.ts";
import { wordings } from "../src/spec.gen.ts";
import { SCHEMA_VERSION } from "../src/store/sqlite.ts";
import { openIndex } from "../src/store/open.ts";
import { currentIndex } from "../src/store/place.ts";
import { attach, type AttachOptions } from "./attached.ts";
import { codegraph, copied } from "./binary.ts";
import { built } from "./built.ts";
import { connect, type Connected, type ConnectOptions } from "./client.ts";
import { caches, gone, only } from "./daemons.ts";
import { folders, git, put, python, type Files } from "./folders.ts";
import { ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";

const folder = folders();
const newCache = caches();
/** Of the tests whose daemon is the next one's too. */
let shared: string;
/** A folder without an index, where that daemon was started. */
let bare: string;
let home: string;
beforeAll(() => {
  shared = newCache();
  bare = folder();
  home = dirname(bare);
});

const many = (count: number, name: string, lines = 5): Files =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `d${i % 9}/f${i}.py`,
      python(`${name}_${i}`, lines),
    ]),
  );

/** A project with an index. */
async function project(files: Files): Promise<string> {
  const root = folder(files);
  await built(root);
  return root;
}

/** A client in a project. */
const enter = (
  root: string,
  options: Partial<AttachOptions> = {},
): Promise<Connected> =>
  attach({ cwd: root, home: dirname(root), daemon: newCache(), ...options });

/** A client in a project that is served by the shared daemon. */
const enterShared = (
  root: string,
  options: Partial<AttachOptions> = {},
): Promise<Connected> =>
  enter(root, { daemon: shared, at: bare, home, ...options });

/** A client in a process of its own, which another program starts. */
const enterThrough = (
  root: string,
  through: readonly string[],
  options: Partial<ConnectOptions>,
): Promise<Connected> =>
  connect({ cwd: root, home: dirname(root), through, ...options });

/** An answer; on a busy machine the first may say that the index is not there yet. */
const asked = async (
  one: Connected,
  query: string,
  more: object = {},
): Promise<string> => {
  for (let left = 3; ; left--) {
    const { text, isError } = await one.explore({ query, ...more });
    expect(isError, text).toBe(false);
    if (left === 0 || !UNDER_WAY.some((part) => text.includes(part)))
      return text;
  }
};
const UNDER_WAY = [wordings.NOTE_CATCHING_UP, "is being built anew"];

/** The index holds what the files do, and its database is whole. */
async function expectFresh(root: string): Promise<void> {
  const { index, file } = openIndex(root)!;
  const found = changes(await scan(root), index.files(), index.leftOut());
  index.close();
  expect(found).toMatchObject({ added: [], changed: [], removed: [] });
  const db = new DatabaseSync(file, { readOnly: true });
  const told = db.prepare("pragma integrity_check").get();
  db.close();
  expect(told).toEqual({ integrity_check: "ok" });
}

/** A copy of `dist`, so many of whose files have another text. */
function altered(
  name: RegExp,
  change: (text: string) => string,
  many = 1,
): string {
  const copy = copied(folder());
  for (const path of readdirSync("dist", { recursive: true }) as string[])
    if (path.endsWith(".wasm"))
      symlinkSync(resolve("dist", path), join(copy, path));
  const changed = readdirSync(copy).filter((file) => {
    if (!name.test(file)) return false;
    const before = readFileSync(join(copy, file), "utf8");
    const after = change(before);
    if (after !== before) writeFileSync(join(copy, file), after);
    return after !== before;
  });
  expect(changed).toHaveLength(many);
  return copy;
}

ruleTest(
  "daemon-is-replaced",
  "killed while many files are taken in: the answer comes, and is fresh",
  async () => {
    const root = await project(many(120, "part"));
    const cache = newCache();
    const one = await enter(root, { daemon: cache });
    await asked(one, "part_7");
    const { pid } = await only(cache);
    put(root, many(50, "later", 60));
    const answer = asked(one, "later_7");
    await sleep(40);
    process.kill(pid, "SIGKILL");
    expect(await answer).toContain("1\tdef later_7(x):");
    await expectFresh(root);
    expect(one.stderr()).toBe("");
    await one.client.close();
  },
  30_000,
);

ruleTest(
  "pool-survives-a-crash",
  "threads of a daemon that break are replaced, or their trouble is told",
  async () => {
    const root = await project(many(9, "part"));
    const marks = folder();
    const breaks = (thread: string) =>
      `import{parentPort as p}from"node:worker_threads";import{existsSync as e,rmSync as r}from"node:fs";p.on("message",()=>{const m=${JSON.stringify(`${marks}/${thread}`)};if(e(m+"-once"))r(m+"-once");else if(!e(m))return;process.exit(7)});\n`;
    const dist = altered(/^explore-worker\.js$/, (t) => breaks("explore") + t);
    const worker = join(dist, "sync-worker.js");
    writeFileSync(worker, breaks("sync") + readFileSync(worker, "utf8"));
    const one = await enterShared(root, { dist });
    await asked(one, "part_1");
    put(marks, { "explore-once": "" });
    expect(await asked(one, "part_2")).toContain("1\tdef part_2(x):");
    expect(existsSync(join(marks, "explore-once"))).toBe(false);
    put(marks, { "sync-once": "" });
    put(root, { "d0/f0.py": python("again", 5) });
    expect(await asked(one, "again")).toContain("1\tdef again(x):");
    // One that breaks each time: said in the answer, until it does no more.
    put(marks, { sync: "" });
    put(root, { "d0/f0.py": python("later", 5) });
    expect(await asked(one, "later")).toContain(
      say(wordings.NOTE_NOT_TAKEN_IN, { message: "exit 7" }),
    );
    expect(await asked(one, "part_3")).toContain("1\tdef part_3(x):");
    rmSync(join(marks, "sync"));
    const last = await asked(one, "later");
    expect(last).toContain("1\tdef later(x):");
    expect(last).not.toContain("exit 7");
    await expectFresh(root);
    await one.client.close();
  },
  30_000,
);

/** Overwrites half of every page from one on. */
function garble(file: string, from: number): void {
  const { size } = statSync(file);
  const fd = openSync(file, "r+");
  for (let at = from * 4096; at < size; at += 4096)
    writeSync(fd, Buffer.alloc(2000, 0xa7), 0, 2000, at + 1000);
  closeSync(fd);
}

function hurt(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

const DAMAGE = {
  pages: (file: string) => garble(file, 2),
  all: (file: string) => garble(file, 0),
  cut: (file: string) => truncateSync(file, statSync(file).size / 2 + 100),
  empty: (file: string) => truncateSync(file, 0),
  // Whole pages, with rows that no build writes.
  rows: (file: string) => hurt(file, "update file set size = 'x'"),
  log: (file: string) =>
    writeFileSync(`${file}-wal`, Buffer.alloc(100_000, 0x5a)),
};

ruleTest(
  "fresh-mends-damage",
  "whatever is damaged, and whenever it is met",
  async () => {
    const one = await enterShared(bare);
    // Before the daemon opens it, and while it has it open.
    for (const [kind, isOpen] of [
      ["pages", false],
      ["pages", true],
      ["all", true],
      ["cut", false],
      ["empty", false],
      ["rows", false],
      ["log", false],
      ["log", true],
    ] as const) {
      const name = `${kind}_${isOpen}`;
      const root = await project(many(30, name));
      const more = { projectPath: root };
      if (isOpen) await asked(one, `${name}_1`, more);
      const before = currentIndex(root)!;
      DAMAGE[kind](before);
      const text = await asked(one, `${name}_2`, more);
      expect(text).toContain(`1\tdef ${name}_2(x):`);
      put(root, { "d0/f0.py": python(`new_${name}`, 4) });
      const after = await asked(one, `new_${name}`, more);
      expect(after).toContain(`1\tdef new_${name}(x):`);
      // A log that is none holds nothing: the file beside it is whole.
      const isAnew = kind !== "log";
      expect(`${text}${after}`.includes("was built anew")).toBe(isAnew);
      expect(currentIndex(root) !== before).toBe(isAnew);
      await expectFresh(root);
    }
    expect(one.stderr()).toBe("");
    await one.client.close();
  },
  30_000,
);

ruleTest(
  "cli-explore-fresh",
  "damage that the question meets is mended",
  async () => {
    const root = await project(many(30, "part"));
    const before = currentIndex(root)!;
    // What is read at the start is whole.
    hurt(before, "drop table posting");
    const ran = codegraph(["explore", "part_3"], { cwd: root });
    expect(ran.stdout).toContain("1\tdef part_3(x):");
    expect(ran.stderr).toMatch(/^codegraph: The index was built anew: .*\n$/);
    expect(currentIndex(root)).not.toBe(before);
    hurt(currentIndex(root)!, "update segment set passages = x'ff'");
    expect(codegraph(["sync"], { cwd: root })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("The index was built anew: "),
    });
    await expectFresh(root);
  },
);

ruleTest(
  "sync-takes-in",
  "two versions at once on one project: the newer one has its index",
  async () => {
    const root = await project(many(12, "part"));
    // The commands have it, and the threads that answer and that take changes in.
    const newer = altered(
      /\.js$/,
      (text) =>
        text.replace(
          `SCHEMA_VERSION=${SCHEMA_VERSION}`,
          `SCHEMA_VERSION=${SCHEMA_VERSION + 1}`,
        ),
      3,
    );
    const one = await enterShared(root);
    expect(await asked(one, "part_2")).toContain("1\tdef part_2(x):");
    const before = currentIndex(root);
    const three = await enterShared(root, { dist: newer });
    expect(await asked(three, "part_2")).toContain("was built anew");
    const theirs = currentIndex(root);
    expect(theirs).not.toBe(before);
    const told = say(wordings.CLI_NEWER, { path: root });
    for (let i = 0; i < 2; i++) {
      put(root, { "d0/f0.py": python(`turn_${i}`, 4) });
      expect(await asked(one, `turn_${i}`)).toBe(`${told}\n`);
      expect(await asked(three, `turn_${i}`)).toContain(`1\tdef turn_${i}(x):`);
    }
    for (const command of [["sync"], ["explore", "x"]])
      expect(await here(command, { cwd: root })).toEqual({
        status: 1,
        stdout: "",
        stderr: `codegraph: ${told}\n`,
      });
    expect(currentIndex(root)).toBe(theirs);
    await Promise.all([one, three].map((c) => c.client.close()));
  },
  30_000,
);

ruleTest(
  "serve-answers-at-once",
  "a project that is deleted, made again and moved under its daemon",
  async () => {
    const root = await project(many(4, "first"));
    const outer = dirname(root);
    const cache = newCache();
    const one = await enter(root, { daemon: cache, autoInit: true });
    await asked(one, "first_1");
    const { pid } = await only(cache);
    const told = `${say(wordings.SERVE_GONE, { path: root })}\n`;
    rmSync(root, { recursive: true });
    expect(await asked(one, "first_1")).toBe(told);
    expect(readdirSync(outer)).toEqual([]);
    mkdirSync(root);
    put(root, many(4, "second"));
    await built(root);
    expect(await asked(one, "second_1")).toContain("1\tdef second_1(x):");
    expect(await asked(one, "first_1")).not.toContain("def first_1");
    const moved = join(outer, "moved");
    renameSync(root, moved);
    expect(await asked(one, "second_1")).toBe(told);
    put(moved, { "d1/f1.py": python("third", 4) });
    expect(await asked(one, "third", { projectPath: moved })).toContain(
      "1\tdef third(x):",
    );
    expect(readdirSync(outer)).toEqual(["moved"]);
    expect(one.stderr()).toBe("");
    await one.client.close();
    await gone(pid);
  },
  20_000,
);

/** In a mount name space of its own. `mounts` runs there first. */
const inside = (mounts: string): string[] => [
  "unshare",
  "-rm",
  "sh",
  "-c",
  `${mounts} && exec "$@"`,
  "sh",
];

/** The daemon of a cache, whichever name space it is in. */
function pidIn(cache: string): number {
  const run = join(cache, "run");
  const [name] = readdirSync(run);
  const { pid } = JSON.parse(
    readFileSync(join(run, name!, "about.json"), "utf8"),
  ) as { pid: number };
  return pid;
}

ruleTest(
  "fresh-says-what-failed",
  "a full disk: the old index answers, and all is taken in when there is room",
  async () => {
    const root = await project(many(20, "part"));
    const cache = newCache();
    const disk = join(dirname(root), "disk");
    mkdirSync(disk);
    const through = inside(
      `mount -t tmpfs -o size=2m tmpfs "${disk}" && cp -r "${root}" "${disk}"`,
    );
    const one = await enterThrough(disk, through, {
      daemon: cache,
      env: { CODEGRAPH_DAEMON_IDLE_SECONDS: "0", CODEGRAPH_EXPLORE_DEDUP: "0" },
      args: ["--path", join(disk, "p")],
    });
    await asked(one, "part_1");
    const pid = pidIn(cache);
    const there = join(`/proc/${pid}/root`, disk, "p");
    put(there, { "d2/f2.py": python("edited", 9), "new.py": python("new", 9) });
    const ballast = join(there, "../ballast");
    const fd = openSync(ballast, "w");
    expect(() => {
      for (;;) writeSync(fd, Buffer.alloc(4096));
    }).toThrow("ENOSPC");
    closeSync(fd);
    const note = say(wordings.NOTE_NOT_TAKEN_IN, {
      message: wordings.SYNC_DISK_FULL,
    });
    expect(await asked(one, "new")).toContain(note);
    expect(await asked(one, "part_3")).toContain("1\tdef part_3(x):");
    // The file that is not as it was indexed is marked.
    const old = await asked(one, "part_2");
    expect(old).toContain(note);
    expect(old).toContain(wordings.NOTE_DRIFTED);
    const run = (...args: string[]) =>
      codegraph(args, {
        cwd: "/",
        home: dirname(root),
        env: { CODEGRAPH_CACHE_DIR: cache },
        through: [
          ...["nsenter", "-t", `${pid}`, "-U", "-m"],
          "--preserve-credentials",
        ],
      });
    expect(run("sync", join(disk, "p"))).toEqual({
      status: 1,
      stdout: "",
      stderr: `codegraph: ${wordings.CLI_DISK_FULL}\n`,
    });
    expect(run("status", join(disk, "p")).stdout).toContain(
      say(wordings.STATUS_FAILED, { message: wordings.SYNC_DISK_FULL, pid }),
    );
    rmSync(ballast);
    const late = await asked(one, "new edited");
    expect(late).toContain("1\tdef edited(x):");
    expect(late).toContain("1\tdef new(x):");
    expect(late).not.toContain(note);
    expect(one.stderr()).toBe(
      `codegraph: ${say(wordings.SYNC_FAILED, { path: join(disk, "p"), message: wordings.SYNC_DISK_FULL })}\n`,
    );
    await one.client.close();
    await gone(pid);
  },
  20_000,
);

ruleTest(
  "folder-read-only",
  "a daemon follows what others change in it",
  async () => {
    const root = folder(many(9, "part"));
    const cache = newCache();
    const through = inside(
      `mount --bind "${root}" "${root}" && mount -o remount,bind,ro "${root}" && cd "${root}"`,
    );
    const one = await enterThrough(root, through, {
      daemon: cache,
      env: { CODEGRAPH_DAEMON_IDLE_SECONDS: "0" },
      args: ["--auto-init"],
    });
    expect(await asked(one, "part_1")).toContain("1\tdef part_1(x):");
    const pid = pidIn(cache);
    for (const name of ["one", "two"]) {
      put(root, { "d1/f1.py": python(name, 4), [`${name}/x.py`]: "" });
      expect(await asked(one, name)).toContain(`1\tdef ${name}(x):`);
    }
    expect(existsSync(join(root, ".codegraph"))).toBe(false);
    expect(readdirSync(join(cache, "projects"))).toHaveLength(1);
    expect(one.stderr()).toBe("");
    await one.client.close();
    await gone(pid);
  },
  20_000,
);

ruleTest("sync-compares", "times that go back or lie ahead", async () => {
  const root = await project(many(6, "part"));
  const one = await enterShared(root);
  await asked(one, "part_1");
  const file = join(root, "d1/f1.py");
  // Each is as long as the others.
  for (const [name, hours] of [
    ["past_a", -99],
    ["past_b", -100],
    ["next_a", 99],
    ["next_b", 99],
    ["back_a", -1],
  ] as const) {
    put(root, { "d1/f1.py": python(name, 4) });
    const at = Date.now() / 1000 + hours * 3600;
    utimesSync(file, at, at);
    expect(await asked(one, name)).toContain(`1\tdef ${name}(x):`);
  }
  expect(
    (
      await here(["status"], {
        cwd: root,
        env: { CODEGRAPH_CACHE_DIR: shared },
      })
    ).stdout,
  ).toMatch(
    /\nPending {3}nothing: .*\nWatching {2}7 folders, by process \d+\n/,
  );
  await one.client.close();
});

ruleTest(
  "watch-limit",
  "a system that allows no more watches: told once, and changes are found",
  async () => {
    const root = await project(
      Object.fromEntries(
        Array.from({ length: 90 }, (_, i) => [
          `d${i}/e/a.py`,
          python(`fn_${i}`, 3),
        ]),
      ),
    );
    const cache = newCache();
    const through = [
      "unshare",
      "-Ur",
      "sh",
      "-c",
      'echo 64 > /proc/sys/user/max_inotify_watches && exec "$@"',
      "sh",
    ];
    const one = await enterThrough(root, through, { daemon: cache });
    await asked(one, "fn_3");
    for (const name of ["changed_a", "changed_b"]) {
      put(root, { "d3/e/a.py": python(name, 3) });
      expect(await asked(one, name)).toContain(`1\tdef ${name}(x):`);
    }
    const lost = say(wordings.WATCH_LOST, {
      path: root,
      reason: wordings.WATCH_SYSTEM,
    });
    expect(one.stderr()).toBe(`codegraph: ${lost}\n`);
    const { pid } = await only(cache);
    const run = (...args: string[]) =>
      here(args, { cwd: root, env: { CODEGRAPH_CACHE_DIR: cache } });
    const lines = (await run("status")).stdout.split("\n");
    expect(lines.filter((line) => line.startsWith("Watching"))).toEqual([
      `Watching  ${say(wordings.STATUS_NOT_WATCHED, { reason: wordings.WATCH_SYSTEM, pid })}`,
    ]);
    expect(JSON.parse((await run("status", "--json")).stdout)).toMatchObject({
      watching: [{ pid, folders: 0, trouble: wordings.WATCH_SYSTEM }],
    });
    const [, ...more] = (await run("daemon", "status")).stdout.split("\n");
    expect(more).toEqual([`  ${lost}`, ""]);
    await one.client.close();
  },
  20_000,
);

ruleTest(
  "fresh-before-an-answer",
  "every line is one of its file while git changes many",
  async () => {
    const root = folder(many(120, "main"));
    const commit = (message: string) => {
      git(root, "add", "-A");
      git(root, "commit", "-qm", message);
    };
    git(root, "init", "-q", "-b", "main");
    commit("1");
    git(root, "checkout", "-qb", "other");
    const states = [many(120, "main"), many(120, "side", 8)];
    put(root, states[1]!);
    commit("2");
    git(root, "checkout", "-q", "main");
    await built(root);
    const one = await enterShared(root, {
      env: { CODEGRAPH_EXPLORE_DEDUP: "0" },
    });
    await asked(one, "main_1");
    const versions = (path: string) =>
      states.map((state) => String(state[path]).split("\n"));
    /** Each file's lines are of one state; whether the files are. */
    const check = (text: string): void => {
      for (const part of text.split(/^(?=\*\*`)/m).slice(1)) {
        const path = /^\*\*`([^`]+)`/.exec(part)![1]!;
        const lines = [...part.matchAll(/^(\d+)\t(.*)$/gm)];
        const fits = versions(path).some((version) =>
          lines.every(([, n, line]) => version[Number(n) - 1] === line),
        );
        expect(fits, part).toBe(true);
      }
    };
    for (const branch of ["other", "main"]) {
      const run = spawn("git", ["checkout", "-q", branch], { cwd: root });
      const ended = once(run, "close");
      const open: Promise<void>[] = [];
      for (let i = 0; i < 12 || run.exitCode === null; i++) {
        const query = `${i % 2 ? "main" : "side"}_${i * 7} main_${i}`;
        open.push(asked(one, query).then(check));
        await sleep(20);
      }
      await Promise.all([ended, ...open]);
      const name = branch === "main" ? "main_7" : "side_7";
      expect(await asked(one, name)).toContain(`1\tdef ${name}(x):`);
    }
    await expectFresh(root);
    await one.client.close();
  },
  30_000,
);
