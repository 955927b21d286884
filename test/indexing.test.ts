/** One tree of files that broke tools of this kind, indexed once by the real threads. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { changes } from "../src/index/changes.ts";
import { headCommit } from "../src/index/commit.ts";
import { scan } from "../src/index/scan.ts";
import { eachPosting } from "../src/model/segment.ts";
import { termsOf } from "../src/model/terms.ts";
import { say } from "../src/model/wording.ts";
import { wordings } from "../src/spec.gen.ts";
import { buildIndex, type BuildResult } from "../src/store/build.ts";
import { openIndex, type OpenIndex } from "../src/store/open.ts";
import { script } from "./binary.ts";
import { folders, git, put } from "./folders.ts";
import { ruleTest } from "./from-spec.ts";
import { least } from "./least.ts";

const folder = folders();
const DEEP = 40_000;
const root = folder({
  // I10: Latin-1
  "latin.py": Buffer.from(
    "# caf\xe9 cr\xe8me\ndef legacy_total(x):\n    return x\n",
    "latin1",
  ),
  // I13: every kind of line ending
  "crlf.py": "def one():\r\n    return 1\r\n\r\ndef two():\r\n    return 2\r\n",
  "mixed.py": "def m1(): return 1\r\ndef m2(): return 2\n",
  "cr.py": "def cr1(): return 1\rdef cr2(): return 2\r",
  // I15: a big asset that is imported
  "src/app.ts":
    'import clip from "./clip.mp4";\nexport function playIt() { return clip }\n',
  // I17: deep nesting
  "deep.c": `void deep(void){${"{".repeat(DEEP)}${"}".repeat(DEEP)}}\n`,
  "deep.js": `const v = ${"(".repeat(DEEP)}1${")".repeat(DEEP)};\n`,
  "deep.py": `x = ${"[".repeat(DEEP)}${"]".repeat(DEEP)}\n`,
  // I19, C06: what a parser cannot take
  "half.py":
    "def ok_before(): return 1\n\ndef broken(:\n    pass\n\ndef ok_after(): return 2\n",
  "bad.py": "def broken(:\n",
  "worse.py": Buffer.from([0xff, 0xfe, 0]),
  // I44: a tree of links
  "a/x.py": "def once_only(): return 1\n",
  "a/b/c/keep.py": "",
  // X04: secrets
  ".env": "API_TOKEN=tok-000-example\n",
  ".env.production": "API_TOKEN=tok-111-example\n",
  "app.yaml": "db:\n  password: pw-222-example\n",
  "creds.json": '{"client_secret": "cs-333-example"}\n',
  "k.pem":
    "-----BEGIN PRIVATE KEY-----\nMIIexample\n-----END PRIVATE KEY-----\n",
  "key_in_text.txt":
    "-----BEGIN PRIVATE KEY-----\nMIIexample\n-----END PRIVATE KEY-----\n",
  "use.py":
    'import os\nTOKEN = os.environ["API_TOKEN"]\n\ndef use_token():\n    return TOKEN\n',
  // texts without a grammar
  "notes.txt": "The quokka lives on Rottnest.\n",
  "odd.xyz": "zanzibar = 1\n",
  "empty.py": "",
});

let result: BuildResult;
let open: OpenIndex;
let seconds = 0;
beforeAll(async () => {
  truncateSync(touched("src/clip.mp4"), 300_000_000);
  truncateSync(touched("src/sparse.ts"), 300_000_000);
  symlinkSync(".", join(root, "a/self"));
  symlinkSync("../..", join(root, "a/b/c/up"));
  symlinkSync("a", join(root, "alias"));
  execFileSync("mkfifo", [join(root, "pipe.py")]);
  chmodSync(touched("shut.py"), 0);
  const build = async () => {
    result = await buildIndex(await scan(root), () => {}, {
      workers: 2,
      script: script("index-worker"),
    });
  };
  seconds = (await least(8_000, build)) / 1000;
  open = openIndex(root)!;
});
afterAll(() => {
  open.index.close();
});

/** A new empty file's path. */
function touched(path: string): string {
  writeFileSync(join(root, path), "");
  return join(root, path);
}

const spans = (name: string): string[] =>
  open.index
    .symbolsNamed(name, 9)
    .map((s) => `${open.index.file(s.file)!.path}:${s.span.join("-")}`);
const problem = (path: string): string => {
  const file = open.index.files().find((f) => f.path === path);
  return file === undefined
    ? `left out: ${open.index.leftOut().find((f) => f.path === path)?.reason}`
    : `${file.problem}${file.problemLine ? ` at ${file.problemLine}` : ""}`;
};
/** The files in which a word stands, by path. */
function holding(word: string): string[] {
  const tables = new Map(open.index.segments().map((s) => [s.id, s.table]));
  const found = new Set<string>();
  for (const term of termsOf(word).slice(0, 1))
    for (const [segment, list] of open.index.postings(term))
      eachPosting(list, (p) =>
        found.add(open.index.file(tables.get(segment)!.file[p]!)!.path),
      );
  return [...found].sort();
}

ruleTest(
  "index-names-problems",
  "a text in Latin-1 is parsed, and marked",
  () => {
    expect(spans("legacy_total")).toEqual(["latin.py:2-3"]);
    expect(problem("latin.py")).toBe(wordings.PROBLEM_ENCODING);
  },
);

ruleTest(
  "index-names-problems",
  "every kind of line ending is numbered as sed does",
  () => {
    expect(["one", "two"].flatMap(spans)).toEqual([
      "crlf.py:1-2",
      "crlf.py:4-5",
    ]);
    expect(["m1", "m2"].flatMap(spans)).toEqual([
      "mixed.py:1-1",
      "mixed.py:2-2",
    ]);
    expect(["cr1", "cr2"].flatMap(spans)).toEqual(["cr.py:1-1", "cr.py:2-2"]);
    expect(["crlf.py", "mixed.py", "cr.py"].map(problem)).toEqual(["", "", ""]);
    for (const name of open.index.symbolNames(999))
      expect(name).not.toMatch(/\r/);
  },
);

ruleTest("index-names-problems", "deep nesting does no harm", () => {
  for (const path of ["deep.c", "deep.js", "deep.py"]) {
    const file = open.index.files().find((f) => f.path === path);
    expect(file, path).toBeDefined();
    if (file!.problem === "")
      expect(open.index.symbolsOf(file!.id).length, path).toBeGreaterThan(0);
  }
  expect(spans("once_only")).toHaveLength(1);
});

ruleTest(
  "index-names-problems",
  "what is around a syntax error is kept, and its line told",
  () => {
    expect(spans("ok_before")).toEqual(["half.py:1-1"]);
    expect(spans("ok_after")).toEqual(["half.py:6-6"]);
    const syntax = (line: number) =>
      `${say(wordings.PROBLEM_SYNTAX, { line })} at ${line}`;
    expect(problem("half.py")).toBe(syntax(3));
    expect(problem("bad.py")).toBe(syntax(1));
    expect(result.problems).toEqual(
      open.index
        .files()
        .filter((f) => f.problem !== "")
        .map((f) => ({
          path: f.path,
          line: f.problemLine,
          problem: f.problem,
        })),
    );
  },
);

ruleTest(
  "index-keeps-every-text",
  "a text without a grammar is found by its words",
  () => {
    expect(holding("quokka")).toEqual(["notes.txt"]);
    expect(holding("zanzibar")).toEqual(["odd.xyz"]);
    expect(result.languages.get("")).toBeGreaterThanOrEqual(2);
  },
);

ruleTest("index-keeps-every-text", "a file that cannot be parsed too", () => {
  expect(holding("broken")).toEqual(["bad.py", "half.py"]);
});

ruleTest(
  "index-keeps-every-text",
  "of a configuration file the keys, and no value anywhere",
  () => {
    expect(holding("password")).toEqual(["app.yaml"]);
    expect(holding("client_secret")).toEqual(["creds.json"]);
    expect(spans("use_token")).toEqual(["use.py:4-5"]);
    const bytes = readFileSync(open.file).toString("latin1").toLowerCase();
    for (const value of [
      "example",
      "tok-000",
      "111",
      "pw-222",
      "cs-333",
      "miie",
    ])
      expect(bytes, value).not.toContain(value);
  },
);

ruleTest("index-names-problems", "what is left out is named", () => {
  const left = new Map(open.index.leftOut().map((f) => [f.path, f.reason]));
  for (const path of [".env", "k.pem", "key_in_text.txt"])
    expect(left.get(path), path).toBe(wordings.LEFT_SECRET);
  expect(left.get("src/clip.mp4")).toBe(wordings.LEFT_BINARY);
  expect([...left.keys()]).toContain("src/sparse.ts");
  expect([...left.keys()]).toContain("pipe.py");
  expect(result.leftOut).toBe(left.size);
  expect(result.files + result.leftOut).toBe(
    open.index.files().length + left.size,
  );
});

ruleTest("index-keeps-every-text", "each file once, and soon", () => {
  expect(spans("once_only")).toEqual(["a/x.py:1-1"]);
  expect(spans("playIt")).toEqual(["src/app.ts:2-2"]);
  const paths = open.index.files().map((f) => f.path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toContain("empty.py");
  expect(seconds).toBeLessThan(8);
});

const pending = async () => {
  const at = openIndex(git_)!;
  const files = at.index.files();
  const leftOut = at.index.leftOut();
  at.index.close();
  const news = changes(await scan(git_), files, leftOut);
  const paths = (some: readonly { path: string }[]) =>
    some.map(({ path }) => path);
  return {
    added: paths(news.added),
    changed: paths(news.changed),
    removed: paths(news.removed),
  };
};
const git_ = folder({ "a.py": "def s1(): return 1\n", "was.bin": "\0\0" });

ruleTest(
  "cli-status",
  "what changed is told until it is taken in",
  async () => {
    git(git_, "init", "-q");
    expect(await headCommit(git_)).toBe("");
    git(git_, "add", "-A");
    git(git_, "commit", "-qm", "1");
    const first = await headCommit(git_);
    await buildIndex(await scan(git_), () => {}, {
      workers: 1,
      script: script("index-worker"),
    });
    expect(openIndex(git_)!.index.meta).toMatchObject({
      commit: first,
      source: "git",
    });
    expect(await pending()).toEqual({ added: [], changed: [], removed: [] });
    put(git_, {
      "a.py": "def s1(): return 9\n",
      "b.py": "def s2(): return 2\n",
    });
    const news = { added: ["b.py"], changed: ["a.py"], removed: [] };
    expect(await pending()).toEqual(news);
    git(git_, "add", "-A");
    git(git_, "commit", "-qm", "2");
    expect(await pending()).toEqual(news);
    expect(await headCommit(git_)).toMatch(/^[0-9a-f]{40}$/);
    expect(await headCommit(git_)).not.toBe(first);
    // Back to the bytes that were indexed, with a new time.
    git(git_, "checkout", "-q", first);
    expect(await pending()).toEqual({ added: [], changed: [], removed: [] });
    renameSync(join(git_, "a.py"), join(git_, "c.py"));
    put(git_, { "was.bin": "now a text\n" });
    expect(await pending()).toEqual({
      added: ["c.py", "was.bin"],
      changed: [],
      removed: ["a.py"],
    });
    mkdirSync(join(git_, "d"));
    writeFileSync(join(git_, "was.bin"), "\0\0\0");
    expect((await pending()).added).toEqual(["c.py"]);
  },
);
