/** Which files a project has: real folders, real git. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { admit } from "../src/index/classify.ts";
import { attributesIn } from "../src/index/attributes.ts";
import { readPatterns, word } from "../src/index/ignore.ts";
import { readInside } from "../src/index/read.ts";
import {
  isDependencyFolder,
  refusal,
  scan,
  ScanError,
  type ScanOptions,
  type ScanResult,
} from "../src/index/scan.ts";
import { limits, lists, wordings } from "../src/spec.gen.ts";
import { examples, law, ruleTest } from "./from-spec.ts";
import { least } from "./least.ts";

// The rules of whoever runs the tests are none of the tests' business.
beforeEach(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new empty folder inside of another one. */
function emptyFolder(): string {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), "scan-")));
  made.push(outer);
  const inner = join(outer, "p");
  mkdirSync(inner);
  return inner;
}

/** A new folder with these files, by path. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const root = emptyFolder();
  put(root, files);
  return root;
}

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args],
    {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    },
  );

const paths = ({ files }: ScanResult): string[] =>
  files.map(({ path }) => path);
const left = ({ leftOut }: ScanResult): Record<string, string> =>
  Object.fromEntries(leftOut.map(({ path, reason }) => [path, reason]));

/** What both ways of listing give; they have to agree. */
async function bothWays(root: string): Promise<string[]> {
  const listed = await scan(root);
  const walked = await scan(root, { git: false });
  expect(listed.source).toBe("git");
  expect(walked.source).toBe("walk");
  expect(paths(walked)).toEqual(paths(listed));
  return paths(listed);
}

examples("scan-dependency-folders", ["given path"], ["then it is"], (row) => ({
  "then it is": isDependencyFolder(row["given path"].slice(0, -1))
    ? "out"
    : "in",
}));

examples(
  "scan-refuses-everything",
  ["given root", "given home"],
  ["then refused as"],
  (row) => ({
    "then refused as": refusal(row["given root"], row["given home"]) ?? "–",
  }),
);

examples(
  "ignore-patterns",
  ["given patterns", "given path"],
  ["then it is"],
  (row) => {
    const path = row["given path"].replace(/\/$/, "");
    const said = word(
      readPatterns(row["given patterns"].replaceAll(" ", "\n")),
      path,
      path !== row["given path"],
    );
    return { "then it is": said ?? "–" };
  },
);

const NESTED = {
  "web/pkgs/lib/v.py": "def vendored_thing(): return 2\n",
  "web/own.py": "def own(): return 1\n",
  "pkgs/top.py": "def top(): return 3\n",
};

ruleTest(
  "scan-tracked-files",
  "a nested ignore file counts, with git, without, and as an exclude file",
  async () => {
    const root = folderOf({ ...NESTED, "web/.gitignore": "pkgs/\n" });
    git(root, "init", "-q", ".");
    expect(await bothWays(root)).toEqual([
      "pkgs/top.py",
      "web/.gitignore",
      "web/own.py",
    ]);
    rmSync(join(root, ".git"), { recursive: true });
    expect(paths(await scan(root))).toEqual([
      "pkgs/top.py",
      "web/.gitignore",
      "web/own.py",
    ]);

    const other = folderOf(NESTED);
    git(other, "init", "-q", ".");
    put(other, { ".git/info/exclude": "web/pkgs\n" });
    expect(await bothWays(other)).toEqual(["pkgs/top.py", "web/own.py"]);
  },
);

ruleTest(
  "scan-tracked-files",
  "repositories in the repository are entered, each by its own rules",
  async () => {
    const root = folderOf({
      "top.py": "",
      ".gitignore": "*.tmp\n",
      "a/a.py": "",
      "a/b/b.py": "",
      "a/b/x.tmp": "",
      "a/.gitignore": "*.log\n",
      "a/y.log": "",
      "loose/c.py": "",
      "loose/z.tmp": "",
    });
    for (const folder of ["a", "a/b", "loose"])
      git(join(root, folder), "init", "-q", ".");
    for (const folder of ["a/b", "a"]) {
      git(join(root, folder), "add", "-A");
      git(join(root, folder), "commit", "-qm", "i");
    }
    git(root, "init", "-q", ".");
    git(root, "add", "a");
    expect(git(root, "ls-files", "-s", "a")).toMatch(/^160000 /);
    expect(await bothWays(root)).toEqual([
      ".gitignore",
      "a/.gitignore",
      "a/a.py",
      "a/b/b.py",
      "a/b/x.tmp",
      "loose/c.py",
      "loose/z.tmp",
      "top.py",
    ]);
    rmSync(join(root, "a"), { recursive: true });
    mkdirSync(join(root, "a"));
    const result = await scan(root);
    expect(left(result)).toEqual({ a: wordings.LEFT_SUBMODULE });
    expect(paths(result)).not.toContain("a/a.py");
  },
);

ruleTest(
  "scan-tracked-files",
  "a submodule is entered once it is checked out",
  async () => {
    const library = folderOf({ "lib.py": "", ".gitignore": "*.out\n" });
    git(library, "init", "-q", ".");
    git(library, "add", "-A");
    git(library, "commit", "-qm", "i");
    const root = folderOf({ "top.py": "" });
    git(root, "init", "-q", ".");
    git(
      root,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      library,
      "deps/lib",
    );
    put(root, { "deps/lib/a.out": "", "deps/lib/new.py": "" });
    const all = [
      ".gitmodules",
      "deps/lib/.gitignore",
      "deps/lib/lib.py",
      "deps/lib/new.py",
      "top.py",
    ];
    expect(await bothWays(root)).toEqual(all);
    // One that another tool took the `.git` of is a folder of files like any other.
    rmSync(join(root, "deps/lib/.git"));
    expect(paths(await scan(root))).toEqual(all);
  },
);

ruleTest(
  "scan-stays-inside",
  "a repository whose work tree is set to another folder gives nothing from there",
  async () => {
    const root = folderOf({ "a.py": "" });
    put(dirname(root), { "out/secret.py": "" });
    git(root, "init", "-q", ".");
    for (const elsewhere of ["../../out", "../..", "/"]) {
      git(root, "config", "core.worktree", elsewhere);
      const result = await scan(root);
      expect(paths(result), elsewhere).toEqual(["a.py"]);
      expect(result.leftOut).toEqual([]);
    }
  },
);

ruleTest(
  "scan-tracked-files",
  "a worktree and a folder below the top are scanned like any other",
  async () => {
    const root = folderOf({
      "a.py": "",
      "sub/b.py": "",
      "sub/deep/c.py": "",
      "sub/x.log": "",
      ".gitignore": "/sub/*.log\nsub/deep/no.py\n",
      "sub/deep/no.py": "",
    });
    git(root, "init", "-q", ".");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "i");
    const tree = `${root}-tree`;
    git(root, "worktree", "add", "-q", tree);
    put(root, { ".git/info/exclude": "own.py\n" });
    put(tree, { "new.py": "", "own.py": "" });
    expect(await bothWays(tree)).toEqual([
      ".gitignore",
      "a.py",
      "new.py",
      "sub/b.py",
      "sub/deep/c.py",
    ]);
    expect(await bothWays(join(root, "sub"))).toEqual(["b.py", "deep/c.py"]);
  },
);

ruleTest(
  "scan-tracked-files",
  "an ignored folder that is named as the root is its own project",
  async () => {
    const root = folderOf({
      ".gitignore": "scratch/\n",
      "scratch/try/a.py": "",
      "scratch/try/node_modules/b.js": "",
    });
    git(root, "init", "-q", ".");
    for (const options of [{}, { git: false }] as const) {
      const result = await scan(join(root, "scratch/try"), options);
      expect(paths(result)).toEqual(["a.py"]);
      expect(left(result)).toEqual({
        node_modules: wordings.LEFT_DEPENDENCIES,
      });
    }
  },
);

ruleTest(
  "scan-tracked-files",
  "tracked although ignored, deleted, staged, or in conflict: what lies on disk counts once",
  async () => {
    const root = folderOf({
      ".gitignore": "*.gen\n",
      "kept.gen": "",
      "gone.py": "",
      "both.py": "1\n",
      "was-file": "",
    });
    git(root, "init", "-q", "-b", "main", ".");
    git(root, "add", "-f", ".");
    git(root, "commit", "-qm", "i");
    git(root, "checkout", "-qb", "side");
    put(root, { "both.py": "2\n" });
    git(root, "commit", "-qam", "s");
    git(root, "checkout", "-q", "main");
    put(root, { "both.py": "3\n" });
    git(root, "commit", "-qam", "m");
    expect(() => git(root, "merge", "-q", "side")).toThrow();
    rmSync(join(root, "gone.py"));
    rmSync(join(root, "was-file"));
    put(root, { "was-file/now.py": "", "other.gen": "" });
    const result = await scan(root);
    expect(paths(result)).toEqual([
      ".gitignore",
      "both.py",
      "kept.gen",
      "was-file/now.py",
    ]);
    expect(result.leftOut).toEqual([]);
  },
);

ruleTest(
  "scan-tracked-files",
  "variables that point at another repository do not count",
  async () => {
    const root = folderOf({ "a.py": "" });
    const other = folderOf({ "b.py": "" });
    for (const folder of [root, other]) git(folder, "init", "-q", ".");
    vi.stubEnv("GIT_DIR", join(other, ".git"));
    vi.stubEnv("GIT_WORK_TREE", other);
    expect(await bothWays(root)).toEqual(["a.py"]);
  },
);

ruleTest(
  "scan-tracked-files",
  "a repository's own settings start no program and change no file",
  async () => {
    const root = folderOf({ "a.py": "" });
    git(root, "init", "-q", ".");
    git(root, "add", "-A");
    const witness = join(dirname(root), "ran");
    git(root, "config", "core.fsmonitor", `touch ${witness}; false`);
    const before = readdirSync(join(root, ".git")).join();
    expect(paths(await scan(root))).toEqual(["a.py"]);
    expect(readdirSync(dirname(root))).toEqual(["p"]);
    expect(readdirSync(join(root, ".git")).join()).toBe(before);
  },
);

ruleTest(
  "scan-tracked-files",
  "unusual names survive, in the order of their units",
  async () => {
    const names = [
      's/a "b" c.py',
      "s/ lead.py",
      "s/-x.py",
      "s/nl\nname.py",
      "s/tab\there.py",
      "s/é.py",
      "s/trail ",
      "s/back\\slash",
      "s/𝒳.py",
      "s/ﬀ.py",
      "s/\u2028.py",
    ];
    const root = folderOf(Object.fromEntries(names.map((name) => [name, ""])));
    git(root, "init", "-q", ".");
    expect(await bothWays(root)).toEqual(names.toSorted());
    git(root, "add", "-A");
    expect(await bothWays(root)).toEqual(names.toSorted());
  },
);

ruleTest(
  "scan-stays-inside",
  "a name that is not UTF-8 is named as left out",
  async () => {
    const root = folderOf({ "a.py": "", "\uFFFD.py": "" });
    writeFileSync(Buffer.from(`${root}/caf\xe9.py`, "latin1"), "");
    mkdirSync(Buffer.from(`${root}/d\xe9`, "latin1"));
    writeFileSync(Buffer.from(`${root}/d\xe9/in.py`, "latin1"), "");
    const walked = await scan(root);
    expect(paths(walked)).toEqual(["a.py", "\uFFFD.py"]);
    expect(left(walked)).toEqual({
      "caf\uFFFD.py": wordings.LEFT_NAME,
      "d\uFFFD": wordings.LEFT_NAME,
    });
    git(root, "init", "-q", ".");
    const listed = await scan(root);
    expect(paths(listed)).toEqual(["a.py", "\uFFFD.py"]);
    expect(left(listed)).toEqual({
      "caf\uFFFD.py": wordings.LEFT_NAME,
      "d\uFFFD": wordings.LEFT_NAME,
    });
  },
);

ruleTest(
  "scan-stays-inside",
  "links that lead in circles or out are not followed",
  async () => {
    const root = folderOf({
      "a/x.py": "def once_only(): return 1\n",
      "a/b/c/y.py": "",
      "own.py": "def own_fn(): return 1\n",
    });
    put(dirname(root), { "out/secret.py": "def leaked_fn(): return 1\n" });
    symlinkSync(".", join(root, "a/self"));
    symlinkSync("../..", join(root, "a/b/c/up"));
    symlinkSync("a", join(root, "alias"));
    symlinkSync(join(dirname(root), "out/secret.py"), join(root, "link.py"));
    symlinkSync("../out", join(root, "out"));
    const links = Object.fromEntries(
      ["a/b/c/up", "a/self", "alias", "link.py", "out"].map((path) => [
        path,
        wordings.LEFT_SYMLINK,
      ]),
    );
    const walked = await scan(root);
    expect(paths(walked)).toEqual(["a/b/c/y.py", "a/x.py", "own.py"]);
    expect(left(walked)).toEqual(links);
    git(root, "init", "-q", ".");
    git(root, "add", "-A");
    expect(await bothWays(root)).toEqual(["a/b/c/y.py", "a/x.py", "own.py"]);
    expect(left(await scan(root))).toEqual(links);

    // A tracked folder whose place a link has taken.
    renameSync(join(root, "a"), join(dirname(root), "moved"));
    symlinkSync("../moved", join(root, "a"));
    const after = await scan(root);
    expect(paths(after)).toEqual(["own.py"]);
    expect(left(after)).toMatchObject({ a: wordings.LEFT_SYMLINK });
  },
);

ruleTest(
  "scan-stays-inside",
  "what has turned into a link since the scan is not read",
  () => {
    const root = folderOf({
      "a.py": "def own_fn(): return 1\n",
      "d/b.py": "b\n",
      "big.py": "12345",
    });
    put(dirname(root), { "out/b.py": "leaked\n" });
    const read = (path: string, most?: number): string => {
      const got = readInside(root, path, most);
      return typeof got === "string" ? got : Buffer.from(got.bytes).toString();
    };
    expect(read("a.py")).toBe("def own_fn(): return 1\n");
    expect(read("d/b.py")).toBe("b\n");
    expect(read("big.py", 5)).toBe("12345");
    expect(read("big.py", 4)).toBe("larger than 4 bytes");
    rmSync(join(root, "a.py"));
    symlinkSync("../out/b.py", join(root, "a.py"));
    rmSync(join(root, "d"), { recursive: true });
    symlinkSync("../out", join(root, "d"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    for (const path of [
      "a.py",
      "d/b.py",
      "pipe",
      "gone.py",
      "",
      "../out/b.py",
      "d/../../out/b.py",
      "/proc/self/environ",
    ])
      expect(read(path), path).toBe(wordings.LEFT_MOVED);
    // Nothing tells a hard link from a file of the project.
    linkSync(join(dirname(root), "out/b.py"), join(root, "hard.py"));
    expect(read("hard.py")).toBe("leaked\n");
  },
);

ruleTest(
  "scan-stays-inside",
  "pipes and sockets are named and not opened",
  async () => {
    const root = folderOf({ "r1.py": "" });
    execFileSync("mkfifo", [
      join(root, "pipe.py"),
      join(root, ".gitignore"),
      join(root, ".codegraphignore"),
    ]);
    const server = createServer().listen(join(root, "sock"));
    await new Promise((ready) => server.on("listening", ready));
    try {
      const walked = await scan(root);
      expect(paths(walked)).toEqual(["r1.py"]);
      expect(left(walked)).toEqual({
        ".codegraphignore": wordings.LEFT_SPECIAL,
        ".gitignore": wordings.LEFT_SPECIAL,
        "pipe.py": wordings.LEFT_SPECIAL,
        sock: wordings.LEFT_SPECIAL,
      });
      git(root, "init", "-q", ".");
      // Git waits for somebody to write into its ignore file.
      const patient = await scan(root, { gitPatienceMs: 200 });
      expect(patient.source).toBe("walk");
      expect(paths(patient)).toEqual(["r1.py"]);
      rmSync(join(root, ".gitignore"));
      expect(await bothWays(root)).toEqual(["r1.py"]);
    } finally {
      server.close();
    }
  },
);

/** Scans as a user without special rights, whoever runs the tests: root may read everything. One result for each of `options`. */
function scansAsNobody(
  root: string,
  options: readonly ScanOptions[],
): ScanResult[] {
  const nobody = 65_534;
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    for (const entry of [
      dirname(root),
      ...readdirSync(root, { recursive: true, encoding: "utf8" }).map((p) =>
        join(root, p),
      ),
      root,
    ])
      chownSync(entry, nobody, nobody);
  const code = `
    const { scan } = await import(${JSON.stringify(new URL("../src/index/scan.ts", import.meta.url).href)});
    if (${isRoot}) { process.setgroups([]); process.setgid(${nobody}); process.setuid(${nobody}); }
    const results = [];
    for (const options of ${JSON.stringify(options)})
      results.push(await scan(${JSON.stringify(root)}, options));
    console.log(JSON.stringify(results));`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", code], {
      encoding: "utf8",
    }),
  ) as ScanResult[];
}

ruleTest(
  "scan-stays-inside",
  "what this user may not read is named, and the rest is found",
  () => {
    const root = folderOf({ "r1.py": "", "r2.py": "", "closed/x.py": "" });
    git(root, "init", "-q", ".");
    chmodSync(join(root, "r2.py"), 0);
    chmodSync(join(root, "closed"), 0);
    const home = "/nowhere";
    const results = scansAsNobody(root, [{ home }, { home, git: false }]);
    expect(results.map(({ source }) => source)).toEqual(["git", "walk"]);
    for (const result of results) {
      expect(paths(result)).toEqual(["r1.py"]);
      expect(left(result)).toEqual({
        closed: wordings.LEFT_UNREADABLE,
        "r2.py": wordings.LEFT_UNREADABLE,
      });
    }
    chmodSync(join(root, "closed"), 0o755);
  },
);

ruleTest(
  "scan-walks-alike",
  "without git, or where git refuses, the walk finds the same files",
  async () => {
    const root = folderOf({
      ...NESTED,
      "web/.gitignore": "pkgs/\n",
      "node_modules/m/i.js": "",
    });
    git(root, "init", "-q", ".");
    const listed = await scan(root);
    const walked = await scan(root, { git: "no-such-program" });
    expect(walked.source).toBe("walk");
    expect(walked.files).toEqual(listed.files);
    expect(paths(listed)).toContain("node_modules/m/i.js");
    // A `.git` that is none: an ordinary folder, as git sees it.
    rmSync(join(root, ".git/HEAD"));
    expect(paths(await scan(root))).toEqual(
      paths(listed).filter((path) => !path.startsWith("node_modules")),
    );
  },
);

const NAMES = [
  "a",
  "b",
  "ab",
  "a.c",
  "b c",
  "[x]",
  "é",
  "A",
  "#a",
  "!b",
  "a\\",
  "a ",
];
const PATTERN_PIECES = [
  "a",
  "b",
  "ab",
  "a.c",
  "*",
  "**",
  "?",
  "/",
  "/",
  "!",
  "[ab]",
  "[!a]",
  "[^é]",
  "[]x]",
  "\\",
  ".",
  "c",
  " ",
  "#",
  "é",
  "[[:lower:]]",
  "[a-c]",
  "[x",
];
const WHOLE_PATTERNS = [
  "a/",
  "!a/",
  "*",
  "!*/",
  "/a/b",
  "a/**",
  "**/b",
  "a/**/b",
  "!b",
  "*.c",
  "/*",
  "!/a",
  "b/*",
  "**",
  "!**/a/",
  "a*/b",
  "a\r",
  "a ",
  "a\\ ",
  "a\\  ",
  "b c ",
];
const pattern = fc.oneof(
  fc.constantFrom(...WHOLE_PATTERNS),
  fc
    .array(fc.constantFrom(...PATTERN_PIECES), { minLength: 1, maxLength: 5 })
    .map((pieces) => pieces.join("")),
);
const way = (maxLength: number) =>
  fc
    .array(fc.constantFrom(...NAMES), { minLength: 0, maxLength })
    .map((names) => names.map((name) => `${name}/`).join(""));
const tree = fc.record({
  files: fc.array(fc.tuple(way(4), fc.constantFrom(...NAMES)), {
    minLength: 6,
    maxLength: 20,
  }),
  ignores: fc.array(
    fc.tuple(way(2), fc.array(pattern, { minLength: 1, maxLength: 4 })),
    { minLength: 1, maxLength: 5 },
  ),
});

// Many trees lie side by side, so that one git process answers for all of them.
law("ignore-patterns", "the walk and git agree on every tree", async () => {
  const root = emptyFolder();
  git(root, "init", "-q", ".");
  await fc.assert(
    fc.asyncProperty(
      fc.array(tree, { minLength: 15, maxLength: 15 }),
      fc.array(pattern, { maxLength: 2 }),
      async (trees, exclude) => {
        for (const name of readdirSync(root))
          if (name !== ".git") rmSync(join(root, name), { recursive: true });
        writeFileSync(join(root, ".git/info/exclude"), exclude.join("\n"));
        for (const [i, { files, ignores }] of trees.entries()) {
          for (const [folder, name] of files)
            putIfFree(root, `${i}/${folder}${name}`, "");
          for (const [folder, patterns] of ignores)
            putIfFree(root, `${i}/${folder}.gitignore`, patterns.join("\n"));
        }
        const wanted = git(root, "ls-files", "-co", "--exclude-standard", "-z")
          .split("\0")
          .filter(Boolean)
          .sort();
        expect(paths(await scan(root, { git: false }))).toEqual(wanted);
      },
    ),
    { numRuns: 4 },
  );
});

/** Writes a file unless another file stands where one of its folders would have to be. */
function putIfFree(root: string, path: string, text: string): void {
  try {
    put(root, { [path]: text });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTDIR" && code !== "EEXIST" && code !== "EISDIR")
      throw error;
  }
}

ruleTest(
  "ignore-patterns",
  "no pattern takes long, whatever it is",
  async () => {
    const patterns = readPatterns(
      `${"*a".repeat(60)}b\n${"**/a/".repeat(30)}b\n`,
    );
    const matched = () =>
      expect(
        word(patterns, `${"a/".repeat(100)}${"a".repeat(250)}`, false),
      ).toBe(undefined);
    expect(await least(200, matched)).toBeLessThan(200);
  },
);

ruleTest(
  "scan-own-ignore",
  "our own ignore files take away, in a repository and outside",
  async () => {
    const root = folderOf({
      "a.py": "",
      "big/b.py": "",
      "src/keep.gen": "",
      "src/x.gen": "",
      "src/deep/y.gen": "",
      "hidden.log": "",
      ".gitignore": "*.log\n",
      ".codegraphignore": "big/\n!hidden.log\n",
      "src/.codegraphignore": "*.gen\n!keep.gen\n",
    });
    const wanted = [
      ".codegraphignore",
      ".gitignore",
      "a.py",
      "src/.codegraphignore",
      "src/keep.gen",
    ];
    expect(paths(await scan(root))).toEqual(wanted);
    git(root, "init", "-q", ".");
    git(root, "add", "-f", ".");
    git(root, "rm", "-q", "--cached", "hidden.log");
    expect(await bothWays(root)).toEqual(wanted);
    // Ignored itself, which is how one keeps it private.
    put(root, { ".git/info/exclude": ".codegraphignore\n" });
    git(
      root,
      "rm",
      "-q",
      "--cached",
      ".codegraphignore",
      "src/.codegraphignore",
    );
    expect(await bothWays(root)).toEqual([
      ".gitignore",
      "a.py",
      "src/keep.gen",
    ]);
  },
);

ruleTest(
  "scan-own-folders",
  "git's data and ours are passed over at every depth",
  async () => {
    const root = folderOf({
      "a.py": "",
      ".codegraph/index.db": "",
      "sub/.codegraph/x": "",
      "sub/.git/config": "",
      "sub/b.py": "",
    });
    expect(paths(await scan(root))).toEqual(["a.py", "sub/b.py"]);
    git(root, "init", "-q", ".");
    git(root, "add", "-f", "a.py", ".codegraph/index.db", "sub/.codegraph/x");
    expect(await bothWays(root)).toEqual(["a.py", "sub/b.py"]);
    expect(lists.NEVER_ENTERED).toEqual([".git", ".codegraph"]);
  },
);

ruleTest(
  "scan-dependency-folders",
  "a folder of installed files is named, and an ignore file can bring it back",
  async () => {
    const root = folderOf({
      "a.js": "",
      "node_modules/m/i.js": "",
      "web/node_modules/n/i.js": "",
      "venv/x.py": "",
      "core/x/c.py": "",
      "data/y/d.py": "",
      "odd name/o.py": "",
    });
    const result = await scan(root);
    expect(paths(result)).toEqual([
      "a.js",
      "core/x/c.py",
      "data/y/d.py",
      "odd name/o.py",
    ]);
    expect(left(result)).toEqual(
      Object.fromEntries(
        ["node_modules", "venv", "web/node_modules"].map((path) => [
          path,
          wordings.LEFT_DEPENDENCIES,
        ]),
      ),
    );
    put(root, {
      "web/.gitignore": "!node_modules/\n",
      ".gitignore": "venv/\n",
    });
    const again = await scan(root);
    expect(paths(again)).toContain("web/node_modules/n/i.js");
    expect(left(again)).toEqual({ node_modules: wordings.LEFT_DEPENDENCIES });
  },
);

const troubleOf = async (
  root: string,
  options?: ScanOptions,
): Promise<[string, string]> => {
  try {
    await scan(root, options);
    return ["none", ""];
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    return [error.trouble, error.message];
  }
};

ruleTest(
  "scan-names-the-cause",
  "a wrong root is an error, an empty one has a reason",
  async () => {
    const root = folderOf({ "a.py": "" });
    expect(await troubleOf(join(root, "none"))).toEqual([
      "missing",
      `${join(root, "none")} does not exist`,
    ]);
    expect(await troubleOf(join(root, "a.py"))).toEqual([
      "no-folder",
      `${join(root, "a.py")} is not a folder`,
    ]);
    expect(await troubleOf(join(root, "a.py/x"))).toMatchObject([
      "missing",
      expect.anything(),
    ]);
    expect((await scan(root)).nothing).toBe("");
    expect((await scan(emptyFolder())).nothing).toBe(wordings.NOTHING_THERE);
    const ignored = folderOf({ ".gitignore": "*\n", "a.py": "" });
    expect((await scan(ignored)).nothing).toBe(wordings.NOTHING_LEFT);
    git(ignored, "init", "-q", ".");
    expect((await scan(ignored)).nothing).toBe(wordings.NOTHING_LEFT);
    const bare = emptyFolder();
    git(bare, "init", "-q", ".");
    expect((await scan(bare)).nothing).toBe(wordings.NOTHING_THERE);
  },
);

ruleTest(
  "scan-refuses-everything",
  "the home folder is refused through a link, and taken when the user insists",
  async () => {
    const home = folderOf({ "a/x.py": "" });
    const alias = `${home}-alias`;
    symlinkSync(home, alias);
    const refused = ["refused", expect.stringMatching(/--force$/)];
    expect(await troubleOf(home, { home })).toEqual(refused);
    expect(await troubleOf(alias, { home })).toEqual(refused);
    expect(await troubleOf(home, { home: alias })).toEqual(refused);
    expect(await troubleOf(dirname(home), { home })).toEqual(refused);
    expect(await troubleOf("/", { home })).toEqual(refused);
    expect(await troubleOf(join(home, "a"), { home })).toEqual(["none", ""]);
    expect(paths(await scan(alias, { home, force: true }))).toEqual(["a/x.py"]);
  },
);

ruleTest(
  "admit-by-name-and-size",
  "a huge asset is found by name and never read",
  async () => {
    const root = folderOf({
      "src/app.ts": "",
      "src/clip.mp4": "",
      "src/huge.ts": "",
      ".env": "API_TOKEN=x\n",
      ".gitattributes": "*.ts linguist-generated\n",
    });
    for (const name of ["clip.mp4", "huge.ts"])
      truncateSync(join(root, "src", name), 300 * 1024 * 1024);
    git(root, "init", "-q", ".");
    const { files } = await scan(root);
    const before = process.memoryUsage().rss;
    const taken = files.map(({ path, size }) => [path, admit(path, size).take]);
    expect(Object.fromEntries(taken)).toEqual({
      ".env": "nothing",
      ".gitattributes": "source",
      "src/app.ts": "source",
      "src/clip.mp4": "nothing",
      "src/huge.ts": "nothing",
    });
    expect(readInside(root, "src/huge.ts")).toBe(
      `larger than ${limits.MAX_FILE_BYTES} bytes`,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
    expect(attributesIn(root, files)("src/app.ts")).toEqual({
      generated: true,
    });
  },
);
