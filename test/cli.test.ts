/** The command line: what it says and does, in this process, and as the built binary in a real one. */
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect } from "vitest";
import { grouped, plain } from "../src/cli/plain.ts";
import { indexReport, statusReport } from "../src/cli/report.ts";
import { say } from "../src/model/wording.ts";
import { ToolHandler } from "../src/serve/handler.ts";
import { TOOL } from "../src/serve/tool.ts";
import { wordings } from "../src/spec.gen.ts";
import { lock } from "../src/store/folder.ts";
import { currentIndex } from "../src/store/place.ts";
import { differs } from "../tools/golden/golden.ts";
import {
  codegraph,
  copied,
  ended,
  onTerminal,
  start,
  type Ran,
} from "./binary.ts";
import { built } from "./built.ts";
import { dataNames, folders, git, put, python } from "./folders.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";
import { least } from "./least.ts";

const folder = folders();

const ESCAPE = "\u001b";
/** One line, from us. */
const TOLD = /^codegraph: [^\n]+\n$/;
const okay = (ran: Ran): Ran => {
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  return ran;
};

const bare = folder({ "a.py": "x = 1\n" });
/** The exit codes with which the binary has ended. */
const ends = new Set<number | null>();
examples(
  "cli-exit-codes",
  ["given command line"],
  ["then exit"],
  async (row) => {
    const args = row["given command line"].split(" ");
    const ran = await here(args, { cwd: bare });
    if (!ends.has(ran.status))
      expect(codegraph(args, { cwd: bare })).toEqual(ran);
    ends.add(ran.status);
    if (ran.status === 0) expect(ran.stdout).not.toBe("");
    else
      expect(ran).toMatchObject({
        stdout: "",
        stderr: expect.stringMatching(TOLD),
      });
    expect(existsSync(join(bare, ".codegraph"))).toBe(false);
    return { "then exit": String(ran.status) };
  },
);

examples(
  "cli-help",
  ["golden", "given command line"],
  ["then commands", "then options"],
  async (row) => {
    const { stdout } = okay(
      await here(row["given command line"].split(" "), { cwd: bare }),
    );
    expect(differs(row.golden, stdout)).toBeUndefined();
    for (const line of stdout.split("\n"))
      expect(line.length).toBeLessThanOrEqual(100);
    const count = (pattern: RegExp) =>
      String(stdout.match(pattern)?.length ?? 0);
    return {
      "then commands": count(/^ {2}[a-z]+ {2,}[a-z]/gm),
      "then options": count(/^ {2}-[^,]/gm),
    };
  },
);

/** One indexed project for the questions below. */
const project = folder({
  "src/rate.py": python("limit_rate", 12),
  "src/use.py": "from rate import limit_rate\n\nlimit_rate(1)\n",
  [`src/e${ESCAPE}[31mvil\nname.py`]: "def broken(:\n",
  "lib.bin": "\0\0",
  "unpacked/-dash.py": "def dashed(): return 1\n",
});
let indexed: Ran;
beforeAll(() => {
  git(project, "init", "-q");
  git(project, "add", "-A");
  git(project, "commit", "-qm", "1");
  indexed = codegraph(["init"], { cwd: project });
});

ruleTest(
  "cli-index-report",
  "it ends with what there is to ask, and what is missing",
  () => {
    expect(indexed).toMatchObject({
      status: 0,
      stderr: `${say(wordings.INDEXING, { root: project })}\n`,
    });
    expect(indexed.stdout.replace(/\d+\.\d s/, "0.1 s")).toBe(
      [
        "Indexed 4 files in 0.1 s: 3 symbols, 2 references.",
        "  Python 4",
        "  1 file not in full: `codegraph status --problems` lists them all.",
        "    src/e\\u001b[31mvil\\u000aname.py:1: syntax error at line 1; definitions outside of it are kept",
        "  1 file left out: `codegraph status --left-out` lists them with the reason.",
        "",
        wordings.INDEXED_NEXT,
        "",
      ].join("\n"),
    );
  },
);

law("cli-index-report", "counts have their thousands parted", () =>
  fc.assert(
    fc.property(fc.nat(), (n) => {
      expect(grouped(n)).toBe(n.toLocaleString("en-US"));
    }),
  ),
);

const result = (problems: number) => ({
  root: "/p",
  files: 9,
  reused: 0,
  symbols: 1,
  references: 0,
  leftOut: 0,
  problems: Array.from({ length: problems }, (_, i) => ({
    path: `f${i}`,
    line: 0,
    problem: "p",
  })),
  languages: new Map([["python", 9]]),
  nothing: "",
});
loadBearing("cli-index-report", "PROBLEMS_SHOWN", (moved) =>
  indexReport(result(20), 1, false, moved),
);

ruleTest(
  "cli-json",
  "every command prints one value and nothing else",
  async () => {
    const root = folder({ "a.py": python("settle", 3) });
    const read = (ran: Ran): Record<string, unknown> => {
      const { stdout } = okay(ran);
      expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const value = async (...args: string[]) =>
      read(await here([...args, "--json"], { cwd: root }));
    expect(
      read(codegraph(["index", root, "--json"], { cwd: root })),
    ).toMatchObject({ root, files: 1, problems: [] });
    expect(await value("status")).toMatchObject({
      root,
      files: 1,
      pending: { added: [], changed: [], removed: [] },
      languages: { python: 1 },
    });
    const explored = await value("explore", "settle");
    expect(explored).toMatchObject({ root, files: [{ path: "a.py" }] });
    expect(okay(await here(["explore", "settle"], { cwd: root })).stdout).toBe(
      explored["text"],
    );
    expect(await value("uninit")).toEqual({ root, removed: true, kept: [] });
    expect(await value("uninit")).toEqual({ root, removed: false, kept: [] });
    expect(readdirSync(root)).toEqual(["a.py"]);
  },
);

ruleTest(
  "cli-plain-text",
  "no escape sequence without a terminal",
  async () => {
    const env = { TERM: "xterm-256color", FORCE_COLOR: "1" };
    for (const args of [
      ["status"],
      ["status", "--problems"],
      ["status", "--left-out"],
      [`fro${ESCAPE}[31mb`],
      ["status", `no${ESCAPE}[31m`],
      ["status", `--x${ESCAPE}[31m`],
    ]) {
      const ran = await here(args, { cwd: project, env });
      if (args.length === 1)
        expect(codegraph(args, { cwd: project, env })).toEqual(ran);
      expect(ran.stdout + ran.stderr).not.toContain(ESCAPE);
      expect(ran.stdout + ran.stderr).not.toBe("");
    }
    expect(plain("a\u202eb\n\u009bé渲")).toBe("a\\u202eb\\u000a\\u009bé渲");
  },
);

ruleTest("cli-status", "root, size, commits, and what is pending", async () => {
  const { stdout } = okay(await here(["status", "src"], { cwd: project }));
  const lines = stdout.split("\n");
  expect(lines[0]).toBe(`Project   ${project}`);
  expect(lines[1]).toMatch(
    /^Index {5}4 files, 3 symbols, 2 references \(0\.\d MB\)$/,
  );
  expect(lines[2]).toBe("          Python 4");
  expect(lines[3]).toMatch(/^Commit {4}[0-9a-f]{12}$/);
  expect(lines[4]).toBe(`Pending   ${wordings.STATUS_FRESH}`);
});

const status = (added: number) => ({
  root: "/p",
  database: { file: "/p/.codegraph/x.db", bytes: 1_500_000 },
  files: 1,
  symbols: 2,
  references: 3,
  languages: new Map([["", 1]]),
  commit: { indexed: "a".repeat(40), checkedOut: "b".repeat(40) },
  pending: {
    added: Array.from({ length: added }, (_, i) => `n${i}`),
    changed: ["c\n"],
    removed: [],
  },
  problems: [],
  leftOut: 0,
  watching: [],
});
loadBearing("cli-status", "PENDING_SHOWN", (moved) =>
  statusReport(status(40), moved),
);
loadBearing("cli-status", "COMMIT_CHARS", (moved) =>
  statusReport(status(0), moved),
);

ruleTest("cli-status", "a long list of changes says that it goes on", () => {
  const two = { PENDING_SHOWN: 2, COMMIT_CHARS: 3 };
  expect(statusReport(status(3), two)).toEqual([
    "Project   /p",
    "Index     1 file, 2 symbols, 3 references (1.5 MB)",
    "          text 1",
    "Commit    aaa when indexed, bbb checked out",
    "Pending   3 added, 1 changed: `codegraph sync` takes them in",
    "          added n0",
    "          added n1",
    "          and 1 more",
    "          changed c\\u000a",
  ]);
  expect(statusReport(status(2), two).join()).not.toContain("more");
});

ruleTest(
  "cli-same-answer",
  "the text over MCP is the text that is printed",
  async () => {
    const handler = new ToolHandler();
    const { content } = await handler.execute(
      TOOL,
      { query: "limit_rate" },
      undefined,
      {
        places: [project],
        settings: { dedup: undefined, debug: undefined },
        now: () => 0,
      },
    );
    handler.close();
    const { stdout } = okay(
      codegraph(["explore", "limit_rate"], { cwd: project }),
    );
    expect(stdout).toBe(content[0]!.text);
    expect(stdout).toContain("src/rate.py");
  },
);

ruleTest(
  "cli-says-what-to-do",
  "a folder that is no project, a path that is none",
  async () => {
    const home = dirname(project);
    const told = async (args: string[], cwd = project) => {
      const { status, stdout, stderr } = await here(args, { cwd, home });
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(TOLD);
      return stderr.slice("codegraph: ".length, -1);
    };
    expect(await told(["index", "."], home)).toContain(home);
    expect(readdirSync(home)).toEqual(["p"]);
    expect(await told(["index", "/"])).toContain("/");
    expect(await told(["status"], home)).toBe(
      say(wordings.CLI_NOT_INDEXED, { path: home }),
    );
    expect(await told(["index", "src/rate.py"])).toContain("src/rate.py");
    expect(await told(["explore", "x", "--path", "none"])).toBe(
      say(wordings.ROOT_MISSING, { root: "none" }),
    );
  },
);

ruleTest(
  "cli-says-what-to-do",
  "a file stands for the project around it",
  async () => {
    const { stdout } = okay(
      await here(["explore", "limit_rate", "--path", "src/use.py"], {
        cwd: project,
      }),
    );
    expect(stdout).toContain("src/rate.py");
    expect(
      okay(await here(["status", "src/use.py"], { cwd: project })).stdout,
    ).toContain(project);
  },
);

ruleTest("cli-says-what-to-do", "an index that cannot be read", async () => {
  const root = folder({ "a.py": "" });
  const index = `.codegraph/index-${"0".repeat(16)}.db`;
  put(root, { ".codegraph/current": index.split("/")[1]!, [index]: "" });
  const ran = await here(["status"], { cwd: root });
  expect(ran).toEqual({
    status: 1,
    stdout: "",
    stderr: `codegraph: ${say(wordings.CLI_UNREADABLE, { path: root, reason: wordings.UNREADABLE_CUT })}\n`,
  });
  okay(codegraph(["index", "-q"], { cwd: root }));
  okay(await here(["status"], { cwd: root }));
  expect(dataNames(root)).toHaveLength(4);
});

ruleTest("cli-explore-fresh", "what has changed is in the answer", async () => {
  const root = folder({
    "a.py": python("was_here", 4),
    "b.py": "",
    "c.py": "",
  });
  await built(root);
  const asked = (name: string) => here(["explore", name], { cwd: root });
  rmSync(join(root, "a.py"));
  put(root, { "new.py": python("is_here", 4) });
  expect(codegraph(["explore", "is_here"], { cwd: root })).toMatchObject({
    stdout: expect.stringContaining("1\tdef is_here(x):"),
    stderr: "",
  });
  expect((await asked("was_here")).stdout).not.toContain("1\tdef");
  // Somebody else writes: the answer is as old as the index, and nothing wrong.
  put(root, { "new.py": python("later", 4) });
  const other = lock(root);
  const meanwhile = await asked("is_here");
  if ("release" in other) other.release();
  expect(meanwhile.stdout).toContain(wordings.NOTE_DRIFTED);
  expect((await asked("later")).stdout).toContain("1\tdef later(x):");
});

ruleTest("cli-explore-fresh", "a damaged index is built anew", async () => {
  const root = folder({ "a.py": python("alpha", 4) });
  await built(root);
  writeFileSync(currentIndex(root)!, "");
  expect(codegraph(["explore", "alpha"], { cwd: root })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("1\tdef alpha(x):"),
    stderr: `codegraph: ${say(wordings.NOTE_REBUILT, { reason: wordings.UNREADABLE_CUT })}\n`,
  });
});

ruleTest("cli-says-what-to-do", "nothing to index", () => {
  const root = folder();
  const { status, stdout, stderr } = codegraph(["index", root], { cwd: root });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  const [, line] = stderr.split("\n");
  expect(line).toMatch(/^codegraph: No file was indexed: .+\.$/);
});

ruleTest(
  "cli-says-what-to-do",
  "a project below the home is not the home's",
  async () => {
    const home = folder({ "q/a.py": "x = 1\n" });
    okay(codegraph(["index", "-q", "--force"], { cwd: home, home }));
    const { status, stderr } = await here(["status"], {
      cwd: join(home, "q"),
      home,
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(TOLD);
    okay(await here(["status"], { cwd: home, home }));
  },
);

ruleTest(
  "cli-says-what-to-do",
  "questions of any shape are answered",
  async () => {
    const ask = async (...args: string[]) =>
      okay(await here(["explore", ...args], { cwd: project })).stdout;
    expect(await ask("--", "--help", "limit_rate")).toContain("src/rate.py");
    expect(await ask("--", "-dash.py")).toContain("unpacked/-dash.py");
    const long = async () =>
      expect(await ask("limit_rate ".repeat(10_000))).toContain("src/rate.py");
    expect(await least(5000, long)).toBeLessThan(5000);
    expect(await ask("blockchain consensus")).not.toBe("");
    expect(await ask(" ")).not.toBe("");
  },
);

const shell = (script: string) => ["sh", "-c", script, "sh"];

ruleTest("cli-exit-codes", "a reader that stops early is no failure", () => {
  const ran = codegraph(["status", "--json"], {
    cwd: project,
    through: shell('{ "$@"; echo "exit $?" >&2; } | true'),
  });
  expect(ran).toEqual({ status: 0, stdout: "", stderr: "exit 0\n" });
});

ruleTest("cli-names-the-machine", "an answer that finds no room", () => {
  const ran = codegraph(["status"], {
    cwd: project,
    through: shell('ulimit -f 0; exec "$@" > out'),
  });
  expect(ran).toEqual({
    status: 1,
    stdout: "",
    stderr: `codegraph: ${wordings.CLI_DISK_FULL}\n`,
  });
});

/** Node's arguments and a copy of the binary for a run as an ordinary user. */
function asNobody(...owned: string[]) {
  const dist = copied(folder(), /^(?:tree-sitter-python|web-tree-sitter)\./);
  if (process.getuid?.() !== 0) return { dist };
  const nobody = 65_534;
  for (const path of [...owned, dirname(dirname(dist))])
    for (const entry of [
      path,
      ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((p) =>
        join(path, p),
      ),
    ])
      chownSync(entry, nobody, nobody);
  const code = `import { isMainThread } from "node:worker_threads"; if (isMainThread) { process.setgroups([]); process.setgid(${nobody}); process.setuid(${nobody}); }`;
  return { dist, node: ["--import", `data:text/javascript,${code}`] };
}

ruleTest("cli-names-the-machine", "no permission", () => {
  const root = folder({ "a.py": "def r1(): return 1\n", "shut.py": "x" });
  chmodSync(join(root, "shut.py"), 0);
  const options = { cwd: root, ...asNobody(dirname(root)) };
  const noAccess = (path: string) => ({
    status: 1,
    stdout: "",
    stderr: `codegraph: ${say(wordings.CLI_NO_ACCESS, { path })}\n`,
  });
  const data = join(root, ".codegraph");
  chmodSync(root, 0o555);
  // Nor is there a folder of the user's.
  const nowhere = { CODEGRAPH_CACHE_DIR: join(root, "shut.py") };
  expect(codegraph(["index", "-q"], { ...options, env: nowhere })).toEqual(
    noAccess(data),
  );
  okay(codegraph(["index", "-q"], options));
  expect(existsSync(data)).toBe(false);
  chmodSync(root, 0o755);
  okay(codegraph(["index", "-q"], options));
  expect(okay(codegraph(["status", "--left-out"], options)).stdout).toBe(
    `shut.py: ${wordings.LEFT_UNREADABLE}\n`,
  );
  chmodSync(join(data, "lock.db"), 0o444);
  expect(codegraph(["index", "-q"], options)).toEqual(
    noAccess(join(data, "lock.db")),
  );
  expect(okay(codegraph(["explore", "r1"], options)).stdout).toContain("a.py");
});

ruleTest(
  "cli-progress",
  "a bar on a terminal, and no trace of it after",
  () => {
    const root = folder({ "a.py": python("f", 3), "b.py": python("g", 3) });
    const seen = onTerminal(["index"], root, { TERM: "xterm" });
    expect(seen).toMatch(/Indexing \[=* *\] \d+% of 2 files/);
    expect(seen).toMatch(/Indexed 2 files in [\d.]+ s/);
    expect(seen.lastIndexOf("Indexing [")).toBeLessThan(
      seen.indexOf("Indexed"),
    );
    expect(seen).not.toContain("\u001b[?25l");
    const dumb = onTerminal(["index"], root, { TERM: "dumb" });
    expect(dumb).not.toContain(ESCAPE);
    expect(dumb).toContain(say(wordings.INDEXING, { root }));
    const quiet = onTerminal(["index", "--quiet"], root, { TERM: "xterm" });
    expect(quiet).toBe("");
  },
);

ruleTest("folder-one-writer", "many at once all succeed", async () => {
  const root = folder(
    Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [`f${i}.py`, python(`fn_${i}`, 20)]),
    ),
  );
  await built(root);
  const runs = [
    ...Array.from({ length: 2 }, () => start(["index", "-q"], { cwd: root })),
    ...Array.from({ length: 3 }, (_, i) =>
      start(["explore", `fn_${i}`], { cwd: root }),
    ),
  ].map(ended);
  const [one, other, ...answers] = await Promise.all(runs);
  for (const ran of [one!, other!])
    expect(ran).toEqual({ status: 0, stdout: "", stderr: "" });
  answers.forEach((answer, i) =>
    expect(okay(answer).stdout).toContain(`def fn_${i}(x)`),
  );
  expect(dataNames(root)).toHaveLength(4);
});

ruleTest("folder-waits-for-the-lock", "the waiting one says so", async () => {
  const root = folder({ "a.py": "x = 1\n" });
  const held = lock(root);
  const waiting = start(["index"], { cwd: root });
  const end = ended(waiting);
  await once(waiting.stderr!, "data");
  if ("release" in held) held.release();
  expect(await end).toMatchObject({
    status: 0,
    stderr: `codegraph: ${say(wordings.CLI_WAITING, { pid: process.pid })}\n${say(wordings.INDEXING, { root })}\n`,
  });
});

ruleTest("index-memory", "memory does not grow with what is left out", () => {
  const root = folder({
    "src/app.ts":
      'import clip from "./clip.mp4";\nexport function playIt() { return clip }\n',
    "src/clip.mp4": "",
    "src/huge.ts": "",
  });
  truncateSync(join(root, "src/clip.mp4"), 300_000_000);
  truncateSync(join(root, "src/huge.ts"), 300_000_000);
  const { stderr, status } = codegraph(["index", "-q"], {
    cwd: root,
    node: [
      "--import",
      'data:text/javascript,process.on("exit", () => console.error(process.resourceUsage().maxRSS))',
    ],
  });
  expect(status).toBe(0);
  expect(Number(stderr)).toBeGreaterThan(10_000);
  expect(Number(stderr)).toBeLessThan(250_000);
});
