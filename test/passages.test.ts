/** How a file is cut into the passages that are searched. */
import fc from "fast-check";
import { expect } from "vitest";
import { passages } from "../src/index/passages.ts";
import type { SymbolDefinition } from "../src/model/extraction.ts";
import { lineCount, printSpans } from "../src/model/span.ts";
import { limits } from "../src/spec.gen.ts";
import { examples, law, ruleTest } from "./from-spec.ts";
import { definition } from "./rows.ts";

const at = (line: number): SymbolDefinition =>
  definition({ span: [line, line] });

examples(
  "passages-follow-definitions",
  ["given lines", "given definitions at"],
  ["then passages"],
  (row, moved) => {
    const starts =
      row["given definitions at"] === "–"
        ? []
        : row["given definitions at"].split(", ").map(Number);
    return {
      "then passages": printSpans(
        passages(Number(row["given lines"]), starts.map(at), moved),
      ),
    };
  },
);

law("passages-follow-definitions", "they are the file, each line once", () =>
  fc.assert(
    fc.property(
      fc.nat(400),
      fc.array(fc.integer({ min: 1, max: 420 })),
      (lines, starts) => {
        const cut = passages(lines, starts.sort((a, b) => a - b).map(at));
        let next = 1;
        for (const span of cut) {
          expect(span[0]).toBe(next);
          expect(lineCount(span)).toBeGreaterThan(0);
          expect(lineCount(span)).toBeLessThanOrEqual(limits.PASSAGE_MAX_LINES);
          next = span[1] + 1;
        }
        expect(next).toBe(lines + 1);
      },
    ),
  ),
);

ruleTest(
  "passages-follow-definitions",
  "a comment goes with what it describes",
  () => {
    const documented = definition({ span: [25, 40], docSpan: [22, 24] });
    expect(printSpans(passages(50, [documented]))).toBe("L1-21, L22-50");
  },
);
