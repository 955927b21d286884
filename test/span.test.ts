import fc from "fast-check";
import { expect } from "vitest";
import {
  joined,
  lineCount,
  printSpans,
  readSpans,
  type Span,
} from "../src/model/span.ts";
import { examples, law, ruleTest } from "./from-spec.ts";

/** `5..9 12..12` in the table, so that the notation is not checked by itself. */
const pairs = (text: string): Span[] =>
  [...text.matchAll(/(\d+)\.\.(\d+)/g)].map(([, a, b]): Span => [
    Number(a),
    Number(b),
  ]);

examples("span-notation", ["given spans"], ["then printed"], (row) => ({
  "then printed": printSpans(pairs(row["given spans"])),
}));

const span = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([first, more]): Span => [first, first + more]);
const spans = fc.array(span, { maxLength: 12 });

law("span-notation", "what is printed is read back", () =>
  fc.assert(
    fc.property(spans, (any) => {
      expect(readSpans(printSpans(any))).toEqual(any);
    }),
  ),
);

examples(
  "span-refuses-other-notation",
  ["given text"],
  ["then refused"],
  (row) => {
    try {
      readSpans(row["given text"]);
      return { "then refused": "no" };
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
      return { "then refused": "yes" };
    }
  },
);

examples("spans-are-joined", ["given spans"], ["then joined"], (row) => ({
  "then joined": printSpans(joined(readSpans(row["given spans"]))),
}));

const linesOf = (some: readonly Span[]): Set<number> =>
  new Set(
    some.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, i) => first + i),
    ),
  );

law("spans-are-joined", "no line is added or lost, and none stands twice", () =>
  fc.assert(
    fc.property(spans, (any) => {
      const result = joined(any);
      expect(linesOf(result)).toEqual(linesOf(any));
      expect(result.reduce((sum, s) => sum + lineCount(s), 0)).toBe(
        linesOf(any).size,
      );
      for (const [i, [first]] of result.entries())
        if (i > 0) expect(first).toBeGreaterThan(result[i - 1]![1] + 1);
    }),
  ),
);

ruleTest("spans-are-joined", "what it is given stays as it was", () => {
  const given: Span[] = [
    [4, 9],
    [1, 5],
  ];
  joined(given);
  expect(given).toEqual([
    [4, 9],
    [1, 5],
  ]);
});
