/** References as one value a file. */
import fc from "fast-check";
import { expect } from "vitest";
import { REFERENCE_KINDS, type Reference } from "../src/model/extraction.ts";
import { decodeReferences, encodeReferences } from "../src/model/references.ts";
import { law, ruleTest } from "./from-spec.ts";

/** Everything a text can hold: NUL, a leading U+FEFF, characters beyond the BMP. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("", "\0", "\0\0", "a\0b", "\ufeff", "\ufeffx", "𝒙", "\r\n"),
);
const references = fc
  .array(
    fc.record({
      name: text,
      kind: fc.constantFrom(...REFERENCE_KINDS),
      line: fc.integer({ min: 1, max: 100_000 }),
      within: fc.integer({ min: -1, max: 5_000 }),
      qualifier: text,
      alias: text,
    }),
    { maxLength: 60 },
  )
  .map((some): Reference[] => some.sort((a, b) => a.line - b.line));

law("references-keep-their-texts", "they come back as they were", () =>
  fc.assert(
    fc.property(references, (some) => {
      expect(decodeReferences(encodeReferences(some))).toEqual(some);
    }),
  ),
);

const one = (name: string, line: number): Reference => ({
  name,
  kind: "call",
  line,
  within: -1,
  qualifier: "",
  alias: "",
});

ruleTest(
  "references-keep-their-texts",
  "halves of a pair become U+FFFD, also side by side",
  () => {
    const halves = [one("a\ud83d", 1), one("\ude00b", 2), one("😀", 3)];
    expect(
      decodeReferences(encodeReferences(halves)).map(({ name }) => name),
    ).toEqual(["a\ufffd", "\ufffdb", "😀"]);
  },
);

ruleTest("references-keep-their-texts", "line order is demanded", () => {
  expect(() => encodeReferences([one("b", 9), one("a", 3)])).toThrow(
    RangeError,
  );
});

ruleTest("references-keep-their-texts", "a repeated text is kept once", () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, i) => one("aLongEnoughName", i + 1));
  const grown =
    encodeReferences(calls(1000)).length - encodeReferences(calls(500)).length;
  expect(grown).toBe(500 * 4);
});
