/** How a question is read. */
import fc from "fast-check";
import { expect } from "vitest";
import { printSpans } from "../src/model/span.ts";
import { readQuery, type Query } from "../src/rank/query.ts";
import { limits } from "../src/spec.gen.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";

const yes = (is: boolean): string => (is ? "yes" : "no");
const names = ({ names: all }: Query): string =>
  all.map((n) => `${n.name}${n.distinctive ? "!" : ""}`).join(" ");

/** Names that could be one: a plain word of prose is none. */
const nameLike = (query: Query): Query => ({
  ...query,
  names: query.names.filter(
    (n) => n.distinctive || query.bag || /^\p{Lu}/u.test(n.name),
  ),
});

examples(
  "query-names-and-words",
  ["given query"],
  ["then names", "then paths", "then bag"],
  (row) => {
    const query = nameLike(readQuery(row["given query"]));
    return {
      "then names": names(query) || "–",
      "then paths": query.paths.map((p) => p.path).join(" ") || "–",
      "then bag": yes(query.bag),
    };
  },
);

examples("query-about-tests", ["given query"], ["then about tests"], (row) => ({
  "then about tests": yes(readQuery(row["given query"]).aboutTests),
}));

examples(
  "query-about-uses",
  ["given query"],
  ["then about uses", "then bag of"],
  (row) => {
    const query = readQuery(row["given query"]);
    return {
      "then about uses": yes(query.aboutUses),
      "then bag of": query.bag ? query.names.map((n) => n.name).join(" ") : "–",
    };
  },
);

examples("query-lines", ["given query"], ["then lines of path"], (row) => ({
  "then lines of path": readQuery(row["given query"])
    .paths.map(
      ({ path, lines }) => `${path} ${printSpans(lines ? [lines] : [])}`,
    )
    .join(", "),
}));

const many = (word: (i: number) => string, count: number): string =>
  Array.from({ length: count }, (_, i) => word(i)).join(" ");

loadBearing("query-is-bounded", "QUERY_CHARS_READ", (moved) =>
  [limits.QUERY_CHARS_READ, limits.QUERY_CHARS_READ + 1].map(
    (length) => readQuery("z".repeat(length), moved).cut,
  ),
);
ruleTest("query-is-bounded", "what is cut off is not read", () => {
  const query = `${"z ".repeat(limits.QUERY_CHARS_READ / 2)}not_read`;
  expect(readQuery(query).names.map((n) => n.name)).toEqual(["z"]);
});
loadBearing(
  "query-is-bounded",
  "MAX_QUERY_NAMES",
  (moved) =>
    readQuery(
      many((i) => `name_${i}`, 60),
      moved,
    ).names.length,
);
loadBearing(
  "query-is-bounded",
  "MAX_QUERY_PATHS",
  (moved) =>
    readQuery(
      many((i) => `f${i}.py`, 60),
      moved,
    ).paths.length,
);
loadBearing(
  "query-is-bounded",
  "MAX_QUERY_TERMS",
  (moved) =>
    readQuery(
      many((i) => `w${i}`, 300),
      moved,
    ).terms.size,
);

law("query-is-bounded", "any text is read, within the bounds", () =>
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.string({ maxLength: 300 }),
        fc.constantFrom(
          "\u0000",
          "\ud800",
          "`",
          "a/".repeat(3_000),
          "(".repeat(9_000),
        ),
      ),
      (text) => {
        const query = readQuery(text);
        expect(query.names.length).toBeLessThanOrEqual(limits.MAX_QUERY_NAMES);
        expect(query.terms.size).toBeLessThanOrEqual(limits.MAX_QUERY_TERMS);
        for (const { name } of query.names) expect(name).not.toBe("");
        for (const term of query.terms.keys())
          expect(query.spelling.get(term)).toBeTruthy();
      },
    ),
    { numRuns: 300 },
  ),
);
