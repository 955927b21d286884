/** What is kept of parsed files: that others find it, that it is right, that it does no harm and has an end. */
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { beforeAll, expect } from "vitest";
import {
  cacheFolder,
  ExtractionCache,
  Extractions,
} from "../src/index/cache.ts";
import { openPack, PackWriter } from "../src/index/cache-pack.ts";
import { isAged, sweep, type KeptFile } from "../src/index/cache-sweep.ts";
import { decodeKept, encodeKept, type Kept } from "../src/index/cache-value.ts";
import { createIndexer } from "../src/index/indexer.ts";
import { scan } from "../src/index/scan.ts";
import { SYMBOL_KINDS } from "../src/model/extraction.ts";
import { encodeReferences } from "../src/model/references.ts";
import { decodeSymbols, encodeSymbols } from "../src/model/symbols.ts";
import { limits, type Limits } from "../src/spec.gen.ts";
import { buildIndex, type BuildOptions } from "../src/store/build.ts";
import { currentIndex } from "../src/store/place.ts";
import { codegraph, script } from "./binary.ts";
import { folders, git, put, python } from "./folders.ts";
import { examples, law, ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";
import { definition } from "./rows.ts";
import { scratch } from "./scratch.ts";

const folder = folders();
const FIXTURES = globSync("test/fixtures/languages/*/*")
  .filter((path) => !path.endsWith(".txt"))
  .sort();

/** Every row of every table but when files were written. With one thread two equal trees give equal rows. */
function tablesOf(root: string): unknown {
  const db = new DatabaseSync(currentIndex(root)!, { readOnly: true });
  try {
    const names = db
      .prepare("select name from sqlite_schema where type = 'table'")
      .all() as { name: string }[];
    return names.map(({ name }) => [
      name,
      db
        .prepare(`select * from "${name}"`)
        .all()
        .map(({ mtime_ms: _, ...row }) => row),
    ]);
  } finally {
    db.close();
  }
}

const indexIn = async (root: string, options: BuildOptions = {}) =>
  buildIndex(await scan(root), () => {}, {
    workers: 1,
    script: script("index-worker"),
    ...options,
  });

/** A folder for a cache, as `userFolder` would make it. */
function emptyCache(): string {
  const path = join(scratch(), "extractions");
  mkdirSync(path, { mode: 0o700 });
  return path;
}

const someKept = (name = "f", bytes = 0): Kept => ({
  symbols: [definition({ name, doc: "d".repeat(bytes) })],
  references: encodeReferences([]),
  referenceCount: 0,
  errorLine: 0,
  tooMuchWork: false,
});
const digest = (i: number): string =>
  createHash("sha1").update(String(i)).digest("hex");

/** One run that keeps what it is given. */
function keepIn(
  cache: string,
  all: readonly [number, Kept][],
  moved: Limits = limits,
) {
  const run = new ExtractionCache(cache, moved);
  const thread = new Extractions(run.shared);
  for (const [i, kept] of all) thread.keep(digest(i), "go", kept);
  thread.finish();
  run.close();
}

/** What a new run finds of the first so many. */
function foundIn(cache: string, count: number): (string | undefined)[] {
  const run = new ExtractionCache(cache);
  const thread = new Extractions(run.shared);
  const found = Array.from(
    { length: count },
    (_, i) => thread.find(digest(i), "go")?.symbols[0]!.name,
  );
  run.close();
  return found;
}

const names = (cache: string): string[] => readdirSync(cache).sort();
const sizeOf = (cache: string): number =>
  names(cache).reduce((sum, n) => sum + lstatSync(join(cache, n)).size, 0);

const anyKept = (): fc.Arbitrary<Kept> => {
  const text = fc.string({ unit: "binary", maxLength: 20 });
  const line = fc.nat(1e6);
  const span = fc.tuple(line, line);
  return fc.record({
    symbols: fc.array(
      fc.record({
        name: text,
        kind: fc.constantFrom(...SYMBOL_KINDS),
        span,
        signatureSpan: span,
        container: fc.integer({ min: -1, max: 9 }),
        owner: text,
        signature: fc.oneof(text, fc.constant("\ud800")),
        doc: text,
        docSpan: fc.option(fc.tuple(fc.integer({ min: 1, max: 9 }), line), {
          nil: undefined,
        }),
        exported: fc.boolean(),
      }),
    ),
    references: fc.uint8Array(),
    referenceCount: fc.nat(),
    errorLine: line,
    tooMuchWork: fc.boolean(),
  });
};
law("extractions-are-what-a-parser-finds", "any extraction comes back", () =>
  fc.assert(
    fc.property(anyKept(), (kept) => {
      expect(decodeKept(encodeKept(kept))).toEqual(kept);
    }),
  ),
);
law("symbols-keep-their-texts", () =>
  fc.assert(
    fc.property(anyKept(), ({ symbols }) => {
      expect(decodeSymbols(encodeSymbols(symbols))).toEqual(symbols);
    }),
  ),
);

law(
  "extractions-do-no-harm",
  "a bit that changes anywhere in a pack loses at most its entry",
  () => {
    const cache = emptyCache();
    keepIn(cache, [
      [0, someKept("zero")],
      [1, someKept("one")],
    ]);
    const path = join(cache, names(cache)[0]!);
    const whole = readFileSync(path);
    fc.assert(
      fc.property(fc.nat(whole.length * 8 - 1), (bit) => {
        const torn = Buffer.from(whole);
        torn[bit >> 3]! ^= 1 << (bit & 7);
        writeFileSync(path, torn);
        const [zero, one] = foundIn(cache, 2);
        expect(["zero", undefined]).toContain(zero);
        expect(["one", undefined]).toContain(one);
      }),
    );
  },
);

const shared = emptyCache();
const fixtures = folder();
beforeAll(() => {
  for (const path of FIXTURES) cpSync(path, join(fixtures, basename(path)));
  put(fixtures, {
    "broken.py": "def broken(:\n",
    "latin.py": Buffer.from("# caf\xe9\ndef old(x): return x\n", "latin1"),
    "empty.go": "",
    "same.h": "int f(void);\n",
    "same.c": "int f(void);\n",
    "same.cpp": "int f(void);\n",
    "notes.txt": "words\n",
  });
});

ruleTest(
  "extractions-are-shared",
  "an index out of what is kept is the one that parsing gives, in every language",
  async () => {
    const first = await indexIn(fixtures, { cache: shared });
    expect(first.reused).toBe(0);
    const other = join(folder(), "elsewhere");
    cpSync(fixtures, other, {
      recursive: true,
      filter: (path) => !path.includes(".codegraph"),
    });
    const second = await indexIn(other, { cache: shared });
    const parsed = second.files - (second.languages.get("") ?? 0);
    expect(parsed).toBe(FIXTURES.length + 6);
    expect(second).toEqual({ ...first, root: other, reused: parsed });
    expect(tablesOf(other)).toEqual(tablesOf(fixtures));
  },
  // Every grammar is loaded.
  60_000,
);

ruleTest(
  "extractions-are-shared",
  "under other paths: what a path says is not kept",
  async () => {
    const root = folder({ "src/pay.py": python("pay", 3) });
    await indexIn(root, { cache: shared });
    const tree = { "test/test_pay.py": python("pay", 3) };
    const [plainly, again] = [folder(tree), folder(tree)];
    expect((await indexIn(again, { cache: shared })).reused).toBe(1);
    expect((await indexIn(plainly)).reused).toBe(0);
    expect(tablesOf(again)).toEqual(tablesOf(plainly));
  },
);

ruleTest(
  "extractions-are-what-a-parser-finds",
  "neither secrets nor keys nor texts",
  async () => {
    const cache = emptyCache();
    const root = folder({
      ".env": "API_TOKEN=tok-000-example\n",
      "app.yaml": "db:\n  password: pw-222-example\n",
      "deploy.tf": 'password = "pw-444-example"\n',
      "key.go": "-----BEGIN PRIVATE KEY-----\nMIIexample\n",
      "notes.md": "the quokka\n",
      "a.py": "def open_door(): return 1\n",
    });
    await indexIn(root, { cache });
    const bytes = names(cache).map((n) => readFileSync(join(cache, n)));
    const all = Buffer.concat(bytes).toString("latin1");
    expect(all).toContain("open_door");
    for (const no of ["API_TOKEN", "password", "example", "quokka", "a.py"])
      expect(all).not.toContain(no);
    const pack = openPack(
      cache,
      names(cache)[0]!,
      all.slice(0, all.indexOf("\n")),
    );
    expect(pack).toHaveProperty("heads.length", 1);
  },
);

ruleTest(
  "extractions-do-no-harm",
  "whatever lies in the folder, and without one",
  async () => {
    const outside = join(scratch(), "victim");
    writeFileSync(outside, "precious");
    const spoil: Record<string, (path: string) => void> = {
      empty: (p) => truncateSync(p, 0),
      cut: (p) => truncateSync(p, statSync(p).size - 9),
      longer: (p) => appendFileSync(p, "x"),
      foreign: (p) => writeFileSync(p, "x".repeat(5000)),
      otherVersion: (p) =>
        writeFileSync(
          p,
          readFileSync(p, "latin1").replace(/ 1\.\d+\n/, " 1.0\n"),
          "latin1",
        ),
      link: (p) => {
        rmSync(p);
        symlinkSync(outside, p);
      },
      folder: (p) => {
        rmSync(p);
        mkdirSync(p);
      },
      pipe: (p) => {
        rmSync(p);
        symlinkSync("/dev/zero", p);
      },
      noCache: (p) => rmSync(dirname(p), { recursive: true }),
      readOnly: (p) => chmodSync(dirname(p), 0o500),
    };
    for (const [how, spoiled] of Object.entries(spoil)) {
      const cache = emptyCache();
      keepIn(cache, [[0, someKept("kept")]]);
      const path = join(cache, names(cache)[0]!);
      spoiled(path);
      const found = foundIn(cache, 1);
      expect(found, how).toEqual([how === "readOnly" ? "kept" : undefined]);
      keepIn(cache, [[1, someKept("next")]]);
      if (how === "readOnly") chmodSync(dirname(path), 0o700);
      if (how !== "folder" && how !== "readOnly")
        expect(existsSync(path), how).toBe(false);
      if (how !== "noCache" && how !== "readOnly")
        expect(foundIn(cache, 2), how).toEqual([undefined, "next"]);
      expect(readFileSync(outside, "utf8")).toBe("precious");
    }
  },
);

ruleTest(
  "extractions-do-no-harm",
  "a folder that goes away during a run costs what would have been kept",
  async () => {
    const cache = emptyCache();
    const run = new ExtractionCache(cache);
    const thread = new Extractions(run.shared);
    rmSync(cache, { recursive: true });
    for (let i = 0; i < 3; i++) thread.keep(digest(i), "go", someKept());
    thread.finish();
    run.close();
    const root = folder({ "a.py": python("settle", 2) });
    expect(await indexIn(root, { cache })).toMatchObject({
      files: 1,
      reused: 0,
    });
  },
);

ruleTest(
  "extractions-do-no-harm",
  "a file is kept whole or not at all, for this user alone",
  () => {
    const cache = emptyCache();
    const run = new ExtractionCache(cache);
    const thread = new Extractions(run.shared);
    thread.keep(digest(0), "go", someKept());
    expect(names(cache)).toEqual([expect.stringMatching(/\.part$/)]);
    expect(foundIn(cache, 1)).toEqual([undefined]);
    expect(statSync(join(cache, names(cache)[0]!)).mode & 0o777).toBe(0o600);
    // As when a thread is lost: nothing of it is left.
    run.close();
    expect(names(cache)).toEqual([]);
    thread.finish();
    expect(names(cache)).toEqual([]);
  },
);

ruleTest(
  "extractions-do-no-harm",
  "a file on which a thread broke is neither looked up nor kept",
  async () => {
    const root = folder({ "ruin.py": python("ruin", 1) });
    const cache = emptyCache();
    for (const [textOnly, reused, packs, symbols] of [
      [["ruin.py"], 0, 0, 0],
      [[], 0, 1, 1],
      [["ruin.py"], 0, 1, 0],
      [[], 1, 1, 1],
    ] as const) {
      const run = new ExtractionCache(cache);
      const indexer = await createIndexer({
        root,
        textOnly,
        cache: run.shared,
      });
      const { files } = await scan(root);
      const found = await indexer.add(
        files.map((file) => ({ ...file, id: 1, attributes: {} })),
      );
      indexer.finish();
      run.close();
      expect(found.reused).toBe(reused);
      expect(found.files[0]!.symbols).toHaveLength(symbols);
      expect(names(cache)).toHaveLength(packs);
    }
  },
);

/** `17×1MB/2d` → seventeen files; numbered through. */
function filesIn(cell: string): KeptFile[] {
  const AGE: Record<string, number> = { m: 6e4, d: 864e5 };
  const all = [
    ...cell.matchAll(/(\d+)×([\d.]+)MB\/(\d+)([md])(?:\/(\w+))?/g),
  ].flatMap(([, times, mb, age, unit, what]) =>
    Array.from({ length: Number(times) }, () => ({
      bytes: Number(mb) * 1e6,
      ageMs: Number(age) * AGE[unit!]!,
      isPart: what === "part",
      isOurs: what !== "foreign",
    })),
  );
  return all.map((file, i) => ({ ...file, name: `${i + 1}` }));
}

const printed = (files: readonly KeptFile[]): string => {
  if (files.length === 0) return "–";
  const numbers = files.map(({ name }) => Number(name)).sort((a, b) => a - b);
  const isRun = numbers.at(-1)! - numbers[0]! === numbers.length - 1;
  return numbers.length > 1 && isRun
    ? `${numbers[0]}-${numbers.at(-1)}`
    : numbers.join(", ");
};

examples(
  "extractions-are-bounded",
  ["given packs"],
  ["then joined", "then removed", "then kept anew"],
  (row, moved) => {
    const files = filesIn(row["given packs"]);
    const { join, remove } = sweep(files, moved);
    return {
      "then joined": printed(join),
      "then removed": printed(remove),
      "then kept anew": printed(files.filter((file) => isAged(file, moved))),
    };
  },
);

ruleTest("extractions-are-bounded", "many small packs become one", () => {
  const cache = emptyCache();
  const count = limits.CACHE_SMALL_PACKS + 1;
  for (let i = 0; i < count; i++) {
    // Half of them know the same file besides.
    keepIn(cache, [
      [i, someKept(`f${i}`)],
      ...(i % 2 ? [] : [[99, someKept()] satisfies [number, Kept]]),
    ]);
    expect(names(cache)).toHaveLength(i + 1 === count ? 1 : i + 1);
  }
  expect(foundIn(cache, count)).toEqual(
    Array.from({ length: count }, (_, i) => `f${i}`),
  );
});

ruleTest("extractions-are-bounded", "the folder has a size at the end", () => {
  const cache = emptyCache();
  const small: Limits = { ...limits, CACHE_MB: 0.1 };
  for (let i = 0; i < 9; i++) {
    keepIn(
      cache,
      Array.from({ length: 50 }, (_, n) => [
        i * 50 + n,
        someKept(`f${n}`, 3000),
      ]),
      small,
    );
    expect(sizeOf(cache)).toBeLessThanOrEqual(100_000);
    expect(sizeOf(cache)).toBeGreaterThan(30_000);
  }
  // The last run kept half of the bound.
  expect(foundIn(cache, 401).at(-1)).toBe("f0");
});

ruleTest("extractions-are-bounded", "killed runs fill no disk", () => {
  const cache = emptyCache();
  for (let i = 0; i < 4; i++) {
    // What a run leaves that is killed before it is done; nothing is on the disk.
    const part = join(cache, `e1-0000000${i}-00000000.part`);
    writeFileSync(part, "");
    truncateSync(part, (limits.CACHE_MB / 2) * 1e6);
    const run = new ExtractionCache(cache);
    expect(sizeOf(cache)).toBeLessThanOrEqual(limits.CACHE_MB * 1e6);
    for (const { fd } of run.shared.packs) closeSync(fd);
  }
  expect(names(cache)).toHaveLength(2);
});

ruleTest("extractions-are-bounded", "what is used does not age", () => {
  const cache = emptyCache();
  keepIn(cache, [
    [0, someKept("used")],
    [1, someKept("unused")],
  ]);
  const old = join(cache, names(cache)[0]!);
  const then = Date.now() / 1000 - (limits.CACHE_REFRESH_DAYS + 1) * 86_400;
  utimesSync(old, then, then);
  const run = new ExtractionCache(cache);
  const thread = new Extractions(run.shared);
  expect(thread.find(digest(0), "go")?.symbols[0]!.name).toBe("used");
  thread.finish();
  run.close();
  rmSync(old);
  expect(foundIn(cache, 2)).toEqual(["used", undefined]);
});

ruleTest("extractions-are-bounded", "a pack ends where its room does", () => {
  const cache = emptyCache();
  const writer = new PackWriter(cache, "p", "x", 1000);
  for (let i = 0; i < 9; i++)
    writer.put({ digest: digest(i), kind: "go" }, new Uint8Array(400));
  expect(writer.finish()).toBe(true);
  expect(openPack(cache, "p.pack", "x")).toHaveProperty("heads.length", 2);
});

const results = (args: readonly string[], cwd: string, env = {}) => {
  const { status, stdout, stderr } = codegraph(args, { cwd, env });
  expect([status, stderr]).toEqual([0, expect.not.stringMatching(/[Ee]rror/)]);
  return stdout;
};

ruleTest(
  "extractions-are-shared",
  "each worktree answers with its own lines, and the second parses nothing",
  async () => {
    const root = folder({
      "core.py": python("settle", 3),
      "main.go": "package main\n\nfunc launch() {}\n",
    });
    git(root, "init", "-q");
    git(root, "add", ".");
    git(root, "commit", "-qm", "one");
    const cache = join(scratch(), "cache");
    const env = { CODEGRAPH_CACHE_DIR: cache, CODEGRAPH_EXTRACTION_CACHE: "1" };
    const index = (cwd: string, more = {}) =>
      JSON.parse(results(["index", "--json", "."], cwd, { ...env, ...more }));

    const off = { CODEGRAPH_EXTRACTION_CACHE: "0" };
    expect(index(root, off)).toMatchObject({ files: 2, reused: 0 });
    expect(existsSync(join(cache, "extractions"))).toBe(false);
    expect(index(root)).toMatchObject({ files: 2, reused: 0 });

    const second = join(dirname(root), "second");
    git(root, "worktree", "add", "-q", second);
    const shares = { cache: join(cache, "extractions") };
    expect(await indexIn(second, shares)).toMatchObject({
      files: 2,
      reused: 2,
    });

    put(second, {
      "core.py": python("settle", 3).replace("x + 1", "x + 1000"),
    });
    expect(await indexIn(second, shares)).toMatchObject({
      files: 2,
      reused: 1,
    });
    const ask = async (cwd: string) =>
      (await here(["explore", "settle"], { cwd, env })).stdout;
    expect(await ask(root)).toContain("    x = x + 1\n");
    expect(await ask(root)).not.toContain("1000");
    expect(await ask(second)).toContain("    x = x + 1000\n");

    // Back to the old bytes, as a switch of branches does: known.
    put(second, { "core.py": python("settle", 3) });
    expect(results(["index", "."], second, env)).toContain(
      "2 files known from an earlier run and not parsed again.",
    );

    const kept = names(join(cache, "extractions"));
    expect(kept).toHaveLength(2);
    expect((await here(["uninit", "."], { cwd: second, env })).status).toBe(0);
    expect(names(join(cache, "extractions"))).toEqual(kept);
  },
);

ruleTest(
  "extractions-do-no-harm",
  "runs at once share it, without waiting for each other",
  async () => {
    const tree: Record<string, string> = {};
    for (let i = 0; i < 30; i++) tree[`f${i}.py`] = python(`f${i}`, 30);
    const cache = emptyCache();
    // Each run has a thread and names of its own.
    const run = () => indexIn(folder(tree), { cache });
    for (const one of await Promise.all([run(), run()]))
      expect(one.files).toBe(30);
    expect(await run()).toMatchObject({ files: 30, reused: 30 });
  },
);

ruleTest("extractions-are-shared", "0 is no folder", () => {
  const base = scratch();
  const env = { CODEGRAPH_CACHE_DIR: base };
  expect(cacheFolder({ ...env, CODEGRAPH_EXTRACTION_CACHE: "0" })).toBe(
    undefined,
  );
  expect(readdirSync(base)).toEqual([]);
  expect(cacheFolder(env)).toBe(join(base, "extractions"));
});
