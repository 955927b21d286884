/** Which files answer a question, and in what order. */
import fc from "fast-check";
import { expect } from "vitest";
import { rank, type Candidate } from "../src/rank/candidates.ts";
import { lexical } from "../src/rank/lexical.ts";
import { nearestNames, vocabulary } from "../src/rank/nearest.ts";
import { readQuery } from "../src/rank/query.ts";
import { byRelevance, regions, signatures } from "../src/rank/regions.ts";
import { printSpans, readSpans, type Span } from "../src/model/span.ts";
import { limits, type Limits } from "../src/spec.gen.ts";
import type { IndexReader, SymbolRow } from "../src/store/store.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { projects, type TestProject } from "./project.ts";
import { definition, indexedFile } from "./rows.ts";

const project = projects();
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const files = (count: number, make: (i: number) => [string, string]) =>
  Object.fromEntries(times(count, make));

/** Candidates as far as the order hangs on them. */
const ranked = (
  { index }: { readonly index: IndexReader },
  query: string,
  moved: Limits = limits,
) =>
  rank(index, readQuery(query, moved), moved).candidates.map((c) => ({
    path: c.file.path,
    score: c.score,
    weak: c.weak,
  }));
const paths = (at: TestProject, query: string): string[] =>
  ranked(at, query).map((c) => c.path);

// Files that hold a word among more and more others.
const graded = await project.of({
  ...files(45, (i) => [
    `n${i}.txt`,
    `ledger ${times(i * 9, (k) => `filler${i}x${k}`).join(" ")}\n`,
  ]),
  ...files(9, (i) => [
    `m${i}.txt`,
    `ledger ledger\n${times(i * 4, (k) => `more${i}x${k}`).join("\n")}\n`,
  ]),
  "long.txt": times(40 * 16, (i) => (i % 40 === 3 ? "ledger" : "line")).join(
    "\n",
  ),
  "compute.py": "def compute_ledger(x):\n    return x\n",
  "ledger.py": "def ledger(x):\n    return x\n",
});

const words = (query: string) => readQuery(query).terms;
const bm25 = (moved: Limits) => {
  const text = lexical(graded.index, words("ledger line"), moved);
  return [...text.files.values()].map(({ file, score, passages }) => ({
    score,
    passages,
    hits: text.hits(file).length,
  }));
};
loadBearing("rank-bm25", "BM25_K1", bm25);
loadBearing("rank-bm25", "BM25_B", bm25);
loadBearing("rank-bm25", "PASSAGES_OF_FILE", bm25);
loadBearing("rank-several-passages", "NEXT_PASSAGE_SHARE", bm25);
loadBearing("rank-several-passages", "WHOLE_FILE_SHARE", (moved) =>
  ranked(graded, "ledger line", moved),
);
loadBearing(
  "rank-several-passages",
  "MAX_CANDIDATES",
  (moved) => ranked(graded, "ledger in prose", moved).length,
);
loadBearing(
  "rank-drops-the-weak",
  "MIN_SCORE_SHARE",
  (moved) => ranked(graded, "ledger", moved).length,
);
loadBearing(
  "rank-drops-the-weak",
  "STRONG_SHARE",
  (moved) =>
    ranked(graded, "what is a ledger", moved).filter((c) => c.weak).length,
);

ruleTest("rank-bm25", "the scores are those of the formula", () => {
  const { averageFile, fileWeight, passages } = graded.index.statistics();
  const text = lexical(graded.index, words("compute"));
  const [hit] = [...text.files.values()];
  const [[, data]] = [...graded.index.postings("comput")] as never as [
    [number, Uint8Array],
  ];
  expect(data.length).toBeGreaterThan(0);
  const idf = Math.log(1 + (passages - 1 + 0.5) / (1 + 0.5));
  const weight = fileWeight.get(hit!.file)!;
  const k = limits.BM25_K1;
  // The name, its definition and its path: the count is what the index holds.
  const score = (n: number) =>
    (idf * n * (k + 1)) /
    (n + k * (1 - limits.BM25_B + (limits.BM25_B * weight) / averageFile));
  expect(
    times(40, (n) => score(n + 1)).some((s) => Math.abs(s - hit!.score) < 1e-9),
  ).toBe(true);
});

law(
  "rank-bm25",
  "how files are spread over segments does not matter",
  async () => {
    const spread = await project.again(graded, {
      segments: 4,
      backwards: true,
    });
    for (const query of ["ledger", "compute ledger line", "filler3x1 ledger"])
      expect(ranked(spread, query)).toEqual(ranked(graded, query));
  },
);

ruleTest("rank-bm25", "files that are gone count for nothing", () => {
  const now = [["ledger_one"], ["ledger_two", "ledger_three"], ["other"]];
  const before = times(9, (i) => [`ledger_${i}`, "ledger_one"]);
  for (const query of ["ledger", "ledger_one other"])
    expect(ranked({ index: project.names(now, before) }, query)).toEqual(
      ranked({ index: project.names(now) }, query),
    );
});

// Names and paths.
const named = await project.of({
  ...files(8, (i) => [`e${i}/eight.py`, "x = 1\n"]),
  ...files(9, (i) => [`e${i}/nine.py`, "x = 1\n"]),
  "forty.py": times(
    40,
    (i) => `class F${i}:\n    def forty(self): pass\n`,
  ).join(""),
  "forty_one.py": times(
    41,
    (i) => `class G${i}:\n    def forty_one(self): pass\n`,
  ).join(""),
  "many.py": times(
    1_000,
    (i) => `class M${i}:\n    def a_thousand(self): pass\n`,
  ).join(""),
  "more.py": times(
    1_001,
    (i) => `class N${i}:\n    def and_one(self): pass\n`,
  ).join(""),
  "Case.py": "x = 1\n",
  "cap.py": "class Ledger:\n    pass\n\ndef run_ledger():\n    return 1\n",
  "m/one.py": "def run():\n    return 1\n",
  "m/two.py": "class Two:\n    def run(self):\n        return 2\n",
});
const definitions = (query: string, moved: Limits): number =>
  rank(named.index, readQuery(query), moved).named.length;
const pathsNamed = (query: string, moved: Limits): number =>
  rank(named.index, readQuery(query), moved).candidates.filter(
    (c) => c.namedPath,
  ).length;

loadBearing("rank-names-first", "NAMED_SCORE", (moved) =>
  ranked(named, "run_ledger", moved),
);
loadBearing("rank-names-first", "CAPITAL_TRUST", (moved) =>
  ranked(named, "where is the Ledger closed", moved),
);
loadBearing("rank-names-first", "PLAIN_TRUST", (moved) =>
  ranked(named, "where is the run closed", moved),
);
loadBearing("rank-names-first", "NAMED_PATH_SCORE", (moved) =>
  ranked(named, "Case.py", moved),
);
loadBearing("rank-names-first", "MAX_FILES_OF_PATH", (moved) => [
  pathsNamed("eight.py", moved),
  pathsNamed("nine.py", moved),
]);
loadBearing("rank-names-first", "MAX_DEFINITIONS", (moved) => [
  definitions("forty", moved),
  definitions("forty_one", moved),
]);
loadBearing("rank-names-first", "MAX_QUALIFIED_DEFINITIONS", (moved) => [
  definitions("M7.a_thousand", moved),
  definitions("N7.and_one", moved),
]);

ruleTest("rank-names-first", "what is named so often is still known", () => {
  const found = rank(
    named.index,
    readQuery("forty_one nine.py nowhere.py no_such"),
  );
  expect(found.named).toEqual([]);
  expect(found.unknownNames).toEqual(["no_such"]);
  expect(found.unknownPaths).toEqual(["nowhere.py"]);
});

ruleTest(
  "rank-names-first",
  "a qualifier chooses, and letter case may be wrong",
  () => {
    const name = (query: string) =>
      rank(named.index, readQuery(query)).named.map(
        (s) => `${named.index.file(s.file)!.path}:${s.span[0]}`,
      );
    expect(name("Two.run")).toEqual(["m/two.py:2"]);
    expect(name("Three.run()")).toEqual(["m/one.py:1", "m/two.py:2"]);
    expect(name("M7.a_thousand")).toEqual(["many.py:16"]);
    expect(name("RUN_LEDGER")).toEqual(["cap.py:4"]);
    expect(paths(named, "case.py")[0]).toBe("Case.py");
  },
);

// One text in files of every role.
const text = "the ledger is settled\n";
const roles = await project.of({
  "src/a.py": `# ${text}`,
  "tests/test_a.py": `# ${text}`,
  "docs/a.md": text,
  "examples/a.py": `# ${text}`,
  "vendor/a.py": `# ${text}`,
  "src/gen.py": `# Code generated by tool. DO NOT EDIT.\n# ${text}`,
  "src/a.min.js": `// ${text}`,
});
const byRole = (moved: Limits) => ranked(roles, "is the ledger settled", moved);
loadBearing("rank-roles", "TEST_SHARE", byRole);
loadBearing("rank-roles", "DOCS_SHARE", byRole);
loadBearing("rank-roles", "EXAMPLE_SHARE", byRole);
loadBearing("rank-roles", "VENDORED_SHARE", byRole);
loadBearing("rank-roles", "GENERATED_SHARE", byRole);
loadBearing("rank-roles", "MINIFIED_SHARE", byRole);

ruleTest(
  "rank-roles",
  "the product's own code comes first, unless a file is named",
  () => {
    expect(byRole(limits)).toHaveLength(7);
    expect(byRole(limits)[0]!.path).toBe("src/a.py");
    expect(paths(roles, "docs/a.md ledger")[0]).toBe("docs/a.md");
    expect(paths(roles, "which tests settle the ledger")[0]).toBe(
      "tests/test_a.py",
    );
  },
);

// Regions.
const symbol = (some: Partial<SymbolRow>, ordinal: number): SymbolRow => ({
  ...definition(some),
  file: 1,
  ordinal,
});
const candidate = (some: Partial<Candidate>): Candidate => ({
  file: indexedFile(1),
  score: 1,
  weak: false,
  named: [],
  users: [],
  led: [],
  namedPath: false,
  isExact: false,
  lines: [],
  hits: [],
  symbols: [],
  ...some,
});
const hit = ([firstLine, lastLine]: Span, score = 1) => ({
  firstLine,
  lastLine,
  score,
  coverage: 1,
});
/** `f L1-9, class C L10-20` → definitions. */
const readDefinitions = (cell: string): SymbolRow[] =>
  cell === "–"
    ? []
    : cell.split(", ").map((part, i) => {
        const [span, name, kind] = part.split(" ").reverse();
        return symbol(
          {
            name: name!,
            span: readSpans(span!)[0]!,
            kind: kind === "class" ? "class" : "function",
          },
          i,
        );
      });

examples(
  "regions-hold-definitions",
  ["given definitions", "given passages", "given named"],
  ["then regions", "then padded"],
  (row, moved) => {
    const symbols = readDefinitions(row["given definitions"]);
    const found = regions(
      candidate({
        symbols,
        named: symbols.filter((s) => s.name === row["given named"]),
        hits: readSpans(row["given passages"]).map((span) => hit(span)),
      }),
      1_000,
      moved,
    );
    const order = (spans: readonly Span[]) =>
      spans.map((s) => printSpans([s])).join(", ");
    return {
      "then regions": order(found.map((r) => r.span)),
      "then padded": order(found.map((r) => r.padded)),
    };
  },
);

const long = [symbol({ name: "long", span: [200, 390] }, 0)];
const several = (moved: Limits) => {
  const symbols = [
    symbol({ name: "f1", span: [20, 25] }, 0),
    symbol({ name: "caller", span: [30, 35] }, 1),
    symbol({ name: "led", span: [40, 45] }, 2),
    symbol({ name: "named", span: [50, 55] }, 3),
  ];
  return [
    candidate({ lines: [[1, 5]] }),
    candidate({
      symbols,
      named: [symbols[3]!],
      users: [{ file: indexedFile(1), line: 32, by: symbols[1] }],
      led: [symbols[2]!],
      hits: [hit([60, 70])],
    }),
    // A definition that is longer than a region, and passages down to nothing.
    candidate({
      isExact: true,
      symbols: long,
      named: long,
      hits: times(11, (i) => hit([400 + 10 * i, 405 + 10 * i], 1 - i / 10)),
    }),
  ].flatMap((c) =>
    regions(c, 600, moved).map(({ span, score }) => ({ span, score })),
  );
};
loadBearing("regions-in-order", "LINES_SCORE", several);
loadBearing("regions-in-order", "DEFINITION_SCORE", several);
loadBearing("regions-in-order", "REST_SCORE", several);
loadBearing("regions-in-order", "EXACT_HIT_SHARE", several);
loadBearing("regions-in-order", "CALLER_REGION_SCORE", several);
loadBearing("regions-in-order", "NAMESAKE_SCORE", several);
loadBearing("regions-in-order", "LED_REGION_SCORE", several);

ruleTest("regions-in-order", "asked for, then used, then matching", () => {
  expect(several(limits).map((r) => r.span)).toEqual([
    [1, 5],
    [50, 55],
    [30, 35],
    [60, 70],
    [20, 25],
    [40, 45],
    // A long definition goes on before passages that resemble its name.
    [200, 239],
    [200, 390],
    [400, 405],
    [410, 415],
    [420, 425],
    [430, 435],
  ]);
});

ruleTest(
  "regions-hold-definitions",
  "a piece of a function brings its signature",
  () => {
    const long = symbol(
      { name: "long", span: [10, 300], signatureSpan: [10, 12] },
      1,
    );
    const shell = symbol(
      { name: "Shell", kind: "class", span: [1, 900], signatureSpan: [1, 1] },
      0,
    );
    const [piece] = regions(
      candidate({ symbols: [shell, long], hits: [hit([100, 130])] }),
      1_000,
    );
    expect(piece).toMatchObject({ span: [100, 130], context: [10, 12] });
    const [method] = regions(
      candidate({ symbols: [shell], hits: [hit([100, 130])] }),
      1_000,
    );
    expect(method!.context).toBeUndefined();
  },
);

law(
  "regions-hold-definitions",
  "they lie within the file, and so does what pads them",
  () => {
    const span = fc
      .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 120 }))
      .map(([a, more]): Span => [a, a + more]);
    fc.assert(
      fc.property(
        fc.array(span, { maxLength: 8 }),
        fc.array(span, { maxLength: 6 }),
        fc.array(span, { maxLength: 2 }),
        fc.integer({ min: 1, max: 300 }),
        (defined, hits, asked, lines) => {
          const symbols = defined
            .toSorted((a, b) => a[0] - b[0])
            .map((s, i) =>
              symbol(
                { name: `f${i}`, span: s, signatureSpan: [s[0], s[0]] },
                i,
              ),
            );
          const c = candidate({
            symbols,
            named: symbols.slice(0, 1),
            led: symbols.slice(1, 2),
            hits: hits.map((h) => hit(h)),
            lines: asked,
            namedPath: asked.length > 0,
          });
          for (const {
            span: [a, b],
            padded: [from, to],
            body,
          } of regions(c, lines)) {
            expect(
              1 <= from && from <= a && a <= b && b <= to && to <= lines,
            ).toBe(true);
            expect(a <= body && body <= b).toBe(true);
          }
        },
      ),
    );
  },
);

ruleTest(
  "definitions-in-order",
  "asked for, using, then by passages and names",
  () => {
    const symbols = [
      symbol({ name: "field", kind: "field", span: [1, 1] }, 0),
      symbol({ name: "other", span: [5, 9] }, 1),
      symbol({ name: "settle", span: [10, 14] }, 2),
      symbol({ name: "using", span: [20, 24] }, 3),
      symbol({ name: "asked", span: [30, 34] }, 4),
      symbol({ name: "outer", span: [40, 200] }, 5),
      symbol({ name: "far", span: [300, 310] }, 6),
    ];
    const c = candidate({
      symbols,
      named: [symbols[4]!],
      users: [{ file: indexedFile(1), line: 21, by: symbols[3] }],
      hits: [hit([100, 110], 5), hit([5, 15], 4)],
    });
    const order = byRelevance(c, new Map([["settl", 2]]));
    expect(order.map((s) => s.name)).toEqual([
      "asked",
      "using",
      "settle",
      "other",
      "outer",
      "far",
    ]);
    expect(signatures(c, order)).toEqual([
      [30, 34],
      [10, 14],
      [5, 9],
      [40, 200],
    ]);
  },
);

// Names that are spelt alike.
const near = (index: IndexReader, word: string, moved: Limits = limits) =>
  nearestNames(index, word, moved);
const alike = project.names([
  [
    "abcdefgh",
    "contained",
    `n_${"q".repeat(26)}`,
    "computeInvoiceTotal",
    "compute_invoice_totals",
  ],
]);
loadBearing("nearest-names", "NEAR_PREFIX_CHARS", (moved) => [
  near(alike, "abXdefgh", moved),
  near(alike, "abcXefgh", moved),
]);
loadBearing("nearest-names", "NEAR_SHARE", (moved) => [
  near(alike, `n_${"q".repeat(19)}${"z".repeat(7)}`, moved),
  near(alike, `n_${"q".repeat(19)}${"z".repeat(6)}`, moved),
]);
const crowd = project.names([
  [
    ...times(limits.VOCABULARY_SAMPLE - 2, () => "alpha"),
    "beta",
    "gamma",
    "delta",
  ],
  times(limits.NEAR_MAX_TERMS + 2, (i) => `qqq_${String(i).padStart(4, "0")}`),
]);
loadBearing("nearest-names", "NEAR_MAX_TERMS", (moved) => [
  near(crowd, "qqq_1998", moved)[0],
  near(crowd, "qqq_1999", moved)[0],
]);
loadBearing("nearest-vocabulary", "VOCABULARY_SAMPLE", (moved) =>
  vocabulary(crowd, moved),
);
const tongue = project.names([
  times(20, (i) => `word${String.fromCharCode(97 + i)}x`),
]);
loadBearing("nearest-vocabulary", "MAX_VOCABULARY", (moved) =>
  vocabulary(tongue, moved),
);

ruleTest("nearest-names", "the nearest first, in any letter case", () => {
  expect(near(alike, "ComputeInvoicTotl")).toEqual(["computeInvoiceTotal"]);
  expect(near(alike, "contaned")).toEqual(["contained"]);
  expect(near(alike, "ab")).toEqual([]);
  expect(near(alike, "zzzzzz")).toEqual([]);
});
ruleTest(
  "nearest-vocabulary",
  "the most frequent first, short and stop words aside",
  () => {
    const index = project.names([
      ["get_invoice", "invoice_of_us", "pay_invoice", "pay_id"],
    ]);
    expect(vocabulary(index)).toEqual(["invoice", "pay", "get"]);
  },
);

ruleTest(
  "graph-uses",
  "a file that uses it twice gets no more for it",
  async () => {
    const caller = (last: string) =>
      `from core import settle\n\ndef uses_it(x):\n    y = settle(x)\n    return ${last}\n`;
    const score = async (text: string) => {
      const at = await project.of({
        "core.py": "def settle(x):\n    return x\n",
        "u.py": text,
      });
      return ranked(at, "callers of settle").find((c) => c.path === "u.py")!
        .score;
    };
    const more =
      (await score(caller("settle(y)"))) - (await score(caller("y + y")));
    expect(Math.abs(more)).toBeLessThan(limits.CALLER_SCORE / 2);
  },
);
