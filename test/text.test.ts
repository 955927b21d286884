/** What a passage is found by, and how much each word of it counts. */
import fc from "fast-check";
import { expect } from "vitest";
import { passages } from "../src/index/passages.ts";
import { TextWriter, type TextFile } from "../src/index/text.ts";
import { Words } from "../src/index/words.ts";
import type { SymbolDefinition } from "../src/model/extraction.ts";
import { lineStarts } from "../src/model/lines.ts";
import { decodePassages, eachPosting } from "../src/model/segment.ts";
import { identifiers, termsOf } from "../src/model/terms.ts";
import { limits, type Limits } from "../src/spec.gen.ts";
import { law, loadBearing, ruleTest } from "./from-spec.ts";
import { definition } from "./rows.ts";

type Counts = Record<string, number>;

/** The terms of each passage, by `file:line`, as the segment says. */
function counted(
  files: readonly TextFile[],
  moved: Limits = limits,
): Record<string, Counts> {
  const writer = new TextWriter(moved);
  for (const file of files) writer.add(file);
  const segment = writer.finish();
  const table = decodePassages(segment.passages);
  const out = Array.from(table.file, (): Counts => ({}));
  segment.terms.forEach((term, i) => {
    eachPosting(
      segment.postings.subarray(segment.ends[i - 1] ?? 0, segment.ends[i]),
      (p, count) => {
        out[p]![term] = count;
      },
    );
  });
  out.forEach((counts, p) =>
    expect(table.weight[p]).toBe(
      Object.values(counts).reduce((sum, n) => sum + n, 0),
    ),
  );
  return Object.fromEntries(
    out.map((counts, p) => [`${table.file[p]}:${table.firstLine[p]}`, counts]),
  );
}

/** A definition over lines 1 to 60, a second one in line 45, in passages of 40 lines. */
const long: TextFile = {
  id: 1,
  path: "queue/worker.py",
  lines: Array.from({ length: 60 }, (_, i) =>
    i === 0 ? "def outer():" : i === 44 ? "  def inner():" : "  pass",
  ),
  symbols: [
    definition({ name: "outer", span: [1, 60] }),
    definition({ name: "inner", span: [45, 50] }),
  ],
  passages: [
    [1, 40],
    [41, 60],
  ],
};

ruleTest(
  "text-weights-names-and-paths",
  "each kind of word counts its part",
  () => {
    const [first, second] = Object.values(counted([long]));
    expect(first).toEqual({
      def: 1,
      outer: 1 + limits.NAME_WEIGHT,
      pass: 39,
      queue: limits.PATH_WEIGHT,
      worker: limits.PATH_WEIGHT,
      py: limits.PATH_WEIGHT,
    });
    expect(second).toEqual({
      def: 1,
      inner: 1 + limits.NAME_WEIGHT,
      outer: limits.ENCLOSING_WEIGHT,
      pass: 19,
      queue: limits.PATH_WEIGHT,
      worker: limits.PATH_WEIGHT,
      py: limits.PATH_WEIGHT,
    });
  },
);

loadBearing("text-weights-names-and-paths", "NAME_WEIGHT", (moved) =>
  counted([long], moved),
);
loadBearing("text-weights-names-and-paths", "ENCLOSING_WEIGHT", (moved) =>
  counted([long], moved),
);
loadBearing("text-weights-names-and-paths", "PATH_WEIGHT", (moved) =>
  counted([long], moved),
);

const WORDS = [
  "alpha",
  "betaGamma",
  "x1",
  "delta",
  "alpha_beta",
  "1$x",
] as const;
type Lined = TextFile & { readonly lines: readonly string[] };
const file = (id: number): fc.Arbitrary<Lined> =>
  fc
    .record({
      path: fc.constantFrom("src/alpha.ts", "test/betaGamma.go", "x"),
      lines: fc.array(
        fc
          .array(fc.constantFrom(...WORDS), { maxLength: 3 })
          .map((w) => w.join(".")),
        { maxLength: 90 },
      ),
      symbols: fc.array(
        fc.record({
          name: fc.constantFrom(...WORDS),
          first: fc.integer({ min: 1, max: 90 }),
          more: fc.nat(80),
        }),
        { maxLength: 6 },
      ),
    })
    .map(({ path, lines, symbols }) => {
      const all: SymbolDefinition[] = symbols
        .map(({ name, first, more }) =>
          definition({
            name,
            span: [
              Math.min(first, lines.length),
              Math.min(first + more, lines.length),
            ],
          }),
        )
        .filter(({ span }) => span[0] >= 1)
        .sort((a, b) => a.span[0] - b.span[0]);
      return {
        id,
        path,
        lines,
        symbols: all,
        passages: passages(lines.length, all),
      };
    });

/** The rule, read aloud. */
function model(files: readonly Lined[]): Record<string, Counts> {
  const out: Record<string, Counts> = {};
  for (const { id, path, lines, symbols, passages: cut } of files)
    for (const [first, last] of cut) {
      const counts: Counts = {};
      const add = (terms: Iterable<string>, times: number) => {
        for (const term of terms) counts[term] = (counts[term] ?? 0) + times;
      };
      for (const word of identifiers(lines.slice(first - 1, last).join(" ")))
        add(termsOf(word), 1);
      for (const { name, span } of symbols)
        if (span[0] >= first && span[0] <= last)
          add(termsOf(name), limits.NAME_WEIGHT);
        else if (span[0] < first && span[1] >= first)
          add(termsOf(name), limits.ENCLOSING_WEIGHT);
      add(
        new Set(identifiers(path).flatMap((word) => termsOf(word))),
        limits.PATH_WEIGHT,
      );
      out[`${id}:${first}`] = counts;
    }
  return out;
}

const asBytes = (file: Lined): TextFile => {
  const text = file.lines.map((line) => `${line}\n`).join("");
  return {
    ...file,
    lines: { bytes: Buffer.from(text), starts: lineStarts(text) },
  };
};

law("text-weights-names-and-paths", "passages count as the rule says", () =>
  fc.assert(
    fc.property(file(1), file(2), file(5), (...files) => {
      expect(counted(files)).toEqual(model(files));
      expect(counted(files.map(asBytes))).toEqual(model(files));
    }),
  ),
);

law(
  "text-weights-names-and-paths",
  "a word has one number, whatever came before it",
  () =>
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "B", "1", "_", "é") })),
        (texts) => {
          const met: string[] = [];
          const words = new Words(limits.MAX_TERM_CHARS, (word) =>
            met.push(word),
          );
          const many = [
            ...texts,
            ...Array.from({ length: 5_000 }, (_, i) => `w${i}`),
          ];
          const numbers = [...many, ...many].map((word) => words.number(word));
          expect(numbers.map((n) => met[n])).toEqual([...many, ...many]);
          expect(new Set(met).size).toBe(met.length);
        },
      ),
      { numRuns: 5 },
    ),
);
