/** The words of the full-text index: questions and source come to the same ones. */
import fc from "fast-check";
import { expect } from "vitest";
import { identifiers, nameParts, stem, termsOf } from "../src/model/terms.ts";
import { VarintReader, VarintWriter } from "../src/model/varint.ts";
import { examples, law, ruleTest } from "./from-spec.ts";

const printed = (terms: readonly string[]): string => terms.join(" ") || "–";

examples(
  "terms-identifier-parts",
  ["given identifier"],
  ["then terms"],
  (row, limits) => ({
    "then terms": printed(termsOf(row["given identifier"], limits)),
  }),
);

examples(
  "terms-without-spaces",
  ["given identifier"],
  ["then terms"],
  (row) => ({
    "then terms": printed(termsOf(row["given identifier"])),
  }),
);

const word = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc
    .array(fc.constantFrom("get", "HTTP", "Item", "_", "2", "é", "渲染", "x"))
    .map((parts) => parts.join("")),
);

law(
  "terms-identifier-parts",
  "the terms are its own and its parts' stems",
  () =>
    fc.assert(
      fc.property(word, (any) => {
        const terms = termsOf(any);
        const parts = nameParts(any);
        expect(new Set(terms).size).toBe(terms.length);
        expect(terms).toEqual(expect.arrayContaining(parts.map(stem)));
        expect(terms.length).toBeLessThanOrEqual(parts.length + 1);
        expect(terms).not.toContain("");
      }),
    ),
);

law("terms-identifier-parts", "letter case alone parts no plain word", () =>
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (plain) => {
      const asked = termsOf(plain);
      expect(termsOf(plain.toUpperCase())).toEqual(asked);
      expect(termsOf(plain[0]!.toUpperCase() + plain.slice(1))).toEqual(asked);
    }),
  ),
);

law("terms-identifier-parts", "nothing of a text is in two identifiers", () =>
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      const found = identifiers(text);
      let at = 0;
      for (const one of found) {
        at = text.indexOf(one, at);
        expect(at).toBeGreaterThanOrEqual(0);
        at += one.length;
      }
      expect(found.join("").match(/[A-Za-z0-9]/g) ?? []).toEqual(
        text.match(/[A-Za-z0-9]/g) ?? [],
      );
    }),
  ),
);

law("terms-without-spaces", "accents count alike, composed or not", () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("é", "Ü", "name", "x", "_")),
      (parts) => {
        const text = parts.join("");
        const terms = (form: string) =>
          identifiers(text.normalize(form)).flatMap((one) => termsOf(one));
        expect(terms("NFD")).toEqual(terms("NFC"));
      },
    ),
  ),
);

ruleTest("terms-without-spaces", "half a pair harms nothing", () => {
  expect(termsOf("a\ud800b\udc00")).toContain("a");
  expect(identifiers("\ud800")).toEqual([]);
});

const bytesOf = (numbers: readonly number[]): Uint8Array => {
  const writer = new VarintWriter();
  for (const n of numbers) writer.put(n);
  return writer.take();
};

examples("numbers-as-bytes", ["given numbers"], ["then bytes"], (row) => {
  try {
    const bytes = bytesOf(row["given numbers"].split(" ").map(Number));
    return {
      "then bytes": Array.from(bytes, (b) =>
        b.toString(16).padStart(2, "0"),
      ).join(" "),
    };
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return { "then bytes": "refused" };
  }
});

const number = fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 0xffff_ffff }));

law("numbers-as-bytes", "what is put is read", () =>
  fc.assert(
    fc.property(fc.array(number, { maxLength: 200 }), (numbers) => {
      const reader = new VarintReader(bytesOf(numbers));
      const read: number[] = [];
      while (!reader.done) read.push(reader.next());
      expect(read).toEqual(numbers);
    }),
  ),
);

law("numbers-as-bytes", "any bytes are read to their end", () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const reader = new VarintReader(bytes);
      let steps = 0;
      for (; !reader.done; steps++)
        expect(reader.next()).toBeGreaterThanOrEqual(0);
      expect(steps).toBeLessThanOrEqual(bytes.length);
    }),
  ),
);
