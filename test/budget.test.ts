/** How large an answer may be. */
import fc from "fast-check";
import { expect } from "vitest";
import { budgetOf } from "../src/render/budget.ts";
import { limits } from "../src/spec.gen.ts";
import { examples, law } from "./from-spec.ts";

const LARGE = 1_000_000;

examples(
  "budget-tiers",
  ["given indexed files"],
  ["then chars", "then files", "then file chars"],
  (row, moved) => {
    const budget = budgetOf(Number(row["given indexed files"]), {}, moved);
    return {
      "then chars": `${budget.chars}`,
      "then files": `${budget.files}`,
      "then file chars": `${budget.fileChars}`,
    };
  },
);

const asked = (cell: string): number | undefined =>
  cell === "–" ? undefined : Number(cell);

examples(
  "budget-arguments",
  ["given maxFiles", "given maxChars"],
  ["then files", "then chars", "then raised"],
  (row, moved) => {
    const maxFiles = asked(row["given maxFiles"]);
    const maxChars = asked(row["given maxChars"]);
    const budget = budgetOf(
      LARGE,
      {
        ...(maxFiles === undefined ? {} : { maxFiles }),
        ...(maxChars === undefined ? {} : { maxChars }),
      },
      moved,
    );
    return {
      "then files": `${budget.files}`,
      "then chars": `${budget.chars}`,
      "then raised": budget.raised ? "yes" : "no",
    };
  },
);

law("budget-tiers", "more files never mean less, in all or for one file", () =>
  fc.assert(
    fc.property(fc.nat(60_000), fc.nat(60_000), (a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)].map((n) =>
        budgetOf(n),
      );
      expect(more!.chars).toBeGreaterThanOrEqual(less!.chars);
      expect(more!.files).toBeGreaterThanOrEqual(less!.files);
      expect(more!.fileChars).toBeGreaterThanOrEqual(less!.fileChars);
      expect(more!.chars / more!.files).toBeGreaterThanOrEqual(
        less!.chars / less!.files,
      );
    }),
  ),
);

law(
  "budget-arguments",
  "any numbers give a usable budget, and no larger one",
  () =>
    fc.assert(
      fc.property(
        fc.nat(60_000),
        fc.oneof(fc.double(), fc.integer()),
        fc.oneof(fc.double(), fc.integer()),
        (files, maxFiles, maxChars) => {
          const most = budgetOf(files);
          const budget = budgetOf(files, { maxFiles, maxChars });
          expect(budget.files).toBeGreaterThanOrEqual(1);
          expect(budget.files).toBeLessThanOrEqual(most.files);
          expect(budget.chars).toBeGreaterThanOrEqual(limits.MIN_ANSWER_CHARS);
          expect(budget.chars).toBeLessThanOrEqual(most.chars);
        },
      ),
    ),
);
