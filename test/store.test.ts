/** What is written into an index is what is read from it, whoever wrote it in what order. */
import {
  copyFileSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect } from "vitest";
import { TextWriter } from "../src/index/text.ts";
import { scan } from "../src/index/scan.ts";
import { SYMBOL_KINDS } from "../src/model/extraction.ts";
import { ROLES, type IndexedFile, type LeftOut } from "../src/model/file.ts";
import { encodeReferences } from "../src/model/references.ts";
import { eachPosting, type Segment } from "../src/model/segment.ts";
import { say } from "../src/model/wording.ts";
import { wordings } from "../src/spec.gen.ts";
import { buildIndex } from "../src/store/build.ts";
import { currentIndex } from "../src/store/place.ts";
import { openIndex } from "../src/store/open.ts";
import {
  SqliteReader,
  SqliteWriter,
  UnreadableIndex,
} from "../src/store/sqlite.ts";
import type { IndexReader } from "../src/store/store.ts";
import { script } from "./binary.ts";
import { built } from "./built.ts";
import { folders, put, python } from "./folders.ts";
import { law, ruleTest } from "./from-spec.ts";
import { definition, indexedFile } from "./rows.ts";

const folder = folders();
const META = { extractorVersion: 1, commit: "c0ffee", source: "git" } as const;

let written = 0;
const home = folder();
const newFile = (): string => join(home, `${++written}.db`);

function write(
  files: readonly IndexedFile[],
  segments: readonly Segment[] = [],
  leftOut: readonly LeftOut[] = [],
): string {
  const path = newFile();
  const writer = new SqliteWriter(path, () => {});
  writer.addFiles(files);
  for (const segment of segments) writer.addSegment(segment);
  writer.addLeftOut(leftOut);
  writer.commit(META);
  return path;
}

/** Reads with a reader that is closed afterwards. */
function reading<T>(path: string, read: (index: SqliteReader) => T): T {
  const index = new SqliteReader(path);
  try {
    return read(index);
  } finally {
    index.close();
  }
}

const texts = fc.string({ unit: "grapheme", maxLength: 8 });
const line = fc.integer({ min: 1, max: 90_000 });
const span = fc.tuple(line, fc.nat(300)).map(([a, n]) => [a, a + n] as const);
const definitions = fc.array(
  fc.record({
    name: texts,
    kind: fc.constantFrom(...SYMBOL_KINDS),
    span,
    signatureSpan: span,
    container: fc.integer({ min: -1, max: 30 }),
    owner: texts,
    signature: texts,
    doc: texts,
    docSpan: fc.option(span, { nil: undefined }),
    exported: fc.boolean(),
  }),
  { maxLength: 5 },
);
const files = fc
  .array(
    fc.record({
      role: fc.constantFrom(...ROLES),
      language: fc.constantFrom("", "go", "tsx"),
      generated: fc.boolean(),
      minified: fc.boolean(),
      keysOnly: fc.boolean(),
      size: fc.nat(),
      mtimeMs: fc.double({ min: 0, max: 1e15, noNaN: true }),
      lines: fc.nat(),
      problem: texts,
      problemLine: fc.nat(),
      symbols: definitions,
    }),
    { maxLength: 6 },
  )
  .map((rows) =>
    rows.map((row, i) =>
      indexedFile(i + 1, { ...row, path: `d/${"é".repeat(i)}f ${i}` }),
    ),
  );

law("store-reads-what-was-written", "files and definitions come back", () =>
  fc.assert(
    fc.property(files, (some) => {
      reading(write(some), (index) => {
        expect(index.meta).toEqual(META);
        expect(index.counts()).toEqual({
          files: some.length,
          symbols: some.reduce((sum, f) => sum + f.symbols.length, 0),
          references: 0,
        });
        for (const file of some) {
          const { symbols, references: _, referenceCount: __, ...row } = file;
          expect(index.file(file.id)).toEqual(row);
          const rows = symbols.map((s, ordinal) => ({
            ...s,
            file: file.id,
            ordinal,
          }));
          expect(index.symbolsOf(file.id)).toEqual(rows);
          for (const row of rows) {
            expect(index.symbolAt(row)).toEqual(row);
            expect(index.symbolsNamed(row.name, 99)).toContainEqual(row);
            expect(index.placesNamed(row.name, 99)).toContainEqual({
              file: row.file,
              ordinal: row.ordinal,
              name: row.name,
            });
          }
        }
      });
    }),
    { numRuns: 40 },
  ),
);

ruleTest("store-reads-what-was-written", "references, by file", () => {
  const call = {
    name: "run",
    kind: "call",
    line: 7,
    within: 0,
    qualifier: "",
    alias: "",
  } as const;
  const path = write([
    indexedFile(1, { references: encodeReferences([call]), referenceCount: 1 }),
    indexedFile(2),
  ]);
  reading(path, (index) => {
    expect(index.referencesOf(1)).toEqual([call]);
    expect(index.referencesOf(2)).toEqual([]);
    expect(index.referencesOf(3)).toEqual([]);
    expect(index.counts().references).toBe(1);
  });
});

ruleTest("store-reads-what-was-written", "names in order, case ignored", () => {
  const named = (...names: string[]) =>
    names.map((name) => definition({ name }));
  const path = write([
    indexedFile(2, { path: "a", symbols: named("Run", "stop") }),
    indexedFile(1, {
      path: "b",
      symbols: [...named("run"), definition({ name: "x", kind: "field" })],
    }),
  ]);
  reading(path, (index) => {
    expect(index.files().map((f) => f.path)).toEqual(["a", "b"]);
    expect(index.symbolsNamed("RUN", 9).map((s) => s.name)).toEqual([
      "run",
      "Run",
    ]);
    expect(index.symbolsNamed("run", 1)).toHaveLength(1);
    expect(index.symbolNames(9)).toEqual(["run", "Run", "stop"]);
    expect(index.symbolNames(2)).toEqual(["run", "Run"]);
    expect(index.symbolsNamed("", 9)).toEqual([]);
    expect(index.symbolAt({ file: 1, ordinal: 9 })).toBeUndefined();
  });
});

ruleTest("store-reads-what-was-written", "what was left out, by path", () => {
  const some = [
    { path: "z", reason: "binary", size: 7, mtimeMs: 1.5 },
    { path: "a", reason: "too large", size: 0, mtimeMs: 0 },
  ];
  reading(write([], [], some), (index) =>
    expect(index.leftOut()).toEqual(some.toReversed()),
  );
});

const WORDS = ["alpha", "beta", "gammaRay", "x1", "𝒙y", "delta_wing"] as const;
const wordFiles = fc.array(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }),
  { minLength: 1, maxLength: 9 },
);

/** Segments of files whose lines are one word each; file `i` goes to segment `i % parts`. */
function segmentsOf(
  some: readonly (readonly string[])[],
  parts: number,
): Segment[] {
  const writers = Array.from({ length: parts }, () => new TextWriter());
  some.forEach((lines, i) => {
    const passages = lines.map((_, n) => [n + 1, n + 1] as const);
    writers[i % parts]!.add({
      id: i + 1,
      path: `f${i}`,
      lines,
      symbols: [],
      passages,
    });
  });
  return writers.map((writer) => writer.finish());
}

/** Everything that a question about words can see. */
function textOf(index: IndexReader): unknown {
  const terms = index.termsWithPrefix("", 1000);
  const tables = new Map(index.segments().map((s) => [s.id, s.table]));
  const { fileWeight, ...statistics } = index.statistics();
  return {
    statistics,
    fileWeight: [...fileWeight].sort((a, b) => a[0] - b[0]),
    postings: terms.map((term) => {
      const at: string[] = [];
      for (const [segment, list] of index.postings(term))
        eachPosting(list, (p, count) => {
          const t = tables.get(segment)!;
          at.push(`${t.file[p]}:${t.firstLine[p]}-${t.lastLine[p]} ${count}`);
        });
      return [term, at.sort()];
    }),
  };
}

law("store-reads-what-was-written", "several segments say what one says", () =>
  fc.assert(
    fc.property(wordFiles, fc.integer({ min: 2, max: 4 }), (some, parts) => {
      const rows = some.map((_, i) => indexedFile(i + 1));
      const one = reading(write(rows, segmentsOf(some, 1)), textOf);
      const more = segmentsOf(some, parts).reverse();
      expect(reading(write(rows, more), textOf)).toEqual(one);
    }),
    { numRuns: 40 },
  ),
);

ruleTest(
  "store-reads-what-was-written",
  "words of a file that is gone are passed over",
  () => {
    const some = [["alpha"], ["beta", "beta"]];
    const path = write([indexedFile(1)], segmentsOf(some, 1));
    reading(path, (index) => {
      expect(index.statistics().passages).toBe(1);
      expect([...index.statistics().fileWeight.keys()]).toEqual([1]);
    });
  },
);

ruleTest("store-reads-what-was-written", "terms by their beginning", () => {
  const path = write([indexedFile(1)], segmentsOf([[...WORDS]], 2));
  reading(path, (index) => {
    expect(index.termsWithPrefix("gamma", 9)).toEqual(["gamma", "gammaray"]);
    expect(index.termsWithPrefix("gamma", 1)).toEqual(["gamma"]);
    expect(index.termsWithPrefix("𝒙", 9)).toEqual(["𝒙y"]);
    expect(index.postings("none").size).toBe(0);
  });
});

/** All rows of an index but the words, which `textOf` reads. */
const rowsOf = (index: IndexReader): unknown =>
  index.files().map(({ mtimeMs: _, ...file }) => ({
    ...file,
    symbols: index.symbolsOf(file.id),
    references: index.referencesOf(file.id),
  }));

ruleTest(
  "store-reads-what-was-written",
  "any number of threads and any order of creation give the same rows",
  async () => {
    const tree: Record<string, string> = { "m.py": "def shared(): return 1\n" };
    for (let i = 0; i < 40; i++)
      tree[`u${i}.py`] = `from m import shared\n\n${python(`user_${i}`, i)}`;
    tree["keys.yaml"] = "a:\n  b: 1\n";
    tree["readme.md"] = "# shared words\n";
    const backwards = Object.entries(tree).reverse();
    const seen: unknown[] = [];
    for (const [workers, entries] of [
      [1, Object.entries(tree)],
      [2, backwards],
    ] as const) {
      const root = folder();
      for (const [path, text] of entries) put(root, { [path]: text });
      await buildIndex(await scan(root), () => {}, {
        workers,
        script: script("index-worker"),
      });
      const index = openIndex(root)!.index;
      seen.push({ rows: rowsOf(index), text: textOf(index) });
      expect(index.segments()).toHaveLength(workers);
      index.close();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]).toHaveProperty("rows.length", 43);
  },
);

const good = write(
  [
    indexedFile(1, {
      symbols: Array.from({ length: 60 }, (_, i) =>
        definition({ name: `name${i}`, signature: "s".repeat(80) }),
      ),
      references: encodeReferences([
        {
          name: "n",
          kind: "call",
          line: 1,
          within: -1,
          qualifier: "q",
          alias: "",
        },
      ]),
      referenceCount: 1,
    }),
  ],
  segmentsOf([[...WORDS]], 2),
);

const reason = (path: string): string => {
  try {
    new SqliteReader(path).close();
    return "–";
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableIndex);
    expect((error as UnreadableIndex).file).toBe(path);
    return (error as UnreadableIndex).message;
  }
};
const broken = (spoil: (path: string) => void): string => {
  const path = newFile();
  copyFileSync(good, path);
  spoil(path);
  return path;
};

ruleTest("store-refuses-the-unreadable", "the reason is told", () => {
  expect(reason(good)).toBe("–");
  const { length } = readFileSync(good);
  for (const end of [0, length - 1])
    expect(reason(broken((path) => truncateSync(path, end)))).toBe(
      wordings.UNREADABLE_CUT,
    );
  for (const end of [4096, 8192])
    expect(reason(broken((path) => truncateSync(path, end)))).toBe(
      say(wordings.UNREADABLE_DAMAGED, {
        message: "database disk image is malformed",
      }),
    );
  expect(reason(broken((path) => truncateSync(path, 100)))).toMatch(
    /^it is damaged: /,
  );
  expect(reason(broken((p) => writeFileSync(p, "not one".repeat(999))))).toBe(
    say(wordings.UNREADABLE_DAMAGED, { message: "file is not a database" }),
  );
  const altered = (sql: string) =>
    broken((path) => {
      const db = new DatabaseSync(path);
      db.exec(sql);
      db.close();
    });
  expect(
    reason(altered("update meta set value = '999' where key = 'schema'")),
  ).toBe(wordings.UNREADABLE_NEWER);
  expect(
    reason(altered("update meta set value = '1' where key = 'schema'")),
  ).toBe(wordings.UNREADABLE_VERSION);
  expect(reason(altered("delete from meta"))).toBe(wordings.UNREADABLE_VERSION);
  expect(reason(altered("drop table meta"))).toBe(wordings.UNREADABLE_VERSION);
  expect(
    reason(altered("update meta set value = '{' where key = 'index'")),
  ).toMatch(/^it is damaged: /);
  expect(reason(join(home, "none.db"))).toMatch(/^it is damaged: /);
  expect(reason(home)).toMatch(/^it is damaged: /);
});

law(
  "store-refuses-the-unreadable",
  "any damage is told or does no harm",
  () => {
    const bytes = readFileSync(good);
    const byte = fc.tuple(
      fc.nat(bytes.length - 1),
      fc.integer({ max: 255, min: 0 }),
    );
    const path = newFile();
    let refused = 0;
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 60 }), (flips) => {
        const spoilt = Buffer.from(bytes);
        for (const [at, value] of flips) spoilt[at] = value;
        writeFileSync(path, spoilt);
        try {
          reading(path, (index) => {
            textOf(index);
            rowsOf(index);
            index.leftOut();
            index.counts();
            index.symbolNames(999);
            index.symbolsNamed("name1", 9);
          });
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableIndex);
          refused++;
        }
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(0);
  },
);

ruleTest("store-refuses-the-unreadable", "damage that a question meets", () => {
  const path = broken((p) => {
    const bytes = readFileSync(p);
    const at = bytes.indexOf("name59");
    bytes.fill(0xff, Math.floor(at / 4096) * 4096, at);
    writeFileSync(p, bytes);
  });
  reading(path, (index) =>
    expect(() => [index.symbolsOf(1), index.symbolsNamed("name59", 1)]).toThrow(
      UnreadableIndex,
    ),
  );
});

ruleTest(
  "folder-swap",
  "an index that is replaced as it is opened",
  async () => {
    const root = folder({ "a.py": python("f", 3) });
    await built(root);
    const file = currentIndex(root)!;
    truncateSync(file, 10);
    expect(() => openIndex(root)).toThrow(UnreadableIndex);
    expect(openIndex(folder())).toBeUndefined();
  },
);
