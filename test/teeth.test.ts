/** The faults of `pnpm teeth` still apply: it runs outside the gate, its edits do not rot. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faults } from "../tools/teeth/faults.ts";
import { edited } from "../tools/teeth/inject.ts";

test("there are ten faults", () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(10);
  for (const { variants } of faults) expect(variants).not.toEqual([]);
});

describe("each fault finds its text", () => {
  for (const { name, variants } of faults)
    test(name, () => {
      for (const { edits } of variants) {
        const texts = new Map<string, string>();
        for (const edit of edits) {
          const text = texts.get(edit.path) ?? readFileSync(edit.path, "utf8");
          texts.set(edit.path, edited(text, edit));
        }
        expect(texts.size).toBeGreaterThan(0);
      }
    });
});

test("a fault that has lost its text says so", () => {
  const edit = { path: "a.ts", find: /one/, put: "two" };
  expect(() => edited("none", { ...edit, find: /xyz/ })).toThrow("0 times");
  expect(() => edited("one one", edit)).toThrow("2 times");
  expect(() => edited("one", { ...edit, put: "one" })).toThrow(
    "changes nothing",
  );
  expect(edited("one", edit)).toBe("two");
});
