/** Every golden file has a row in the spec, and every row has a file and a hand count. */
import { expect, test } from "vitest";
import { goldenNames } from "../tools/golden/golden.ts";
import { readSpec } from "../tools/spec/read.ts";

const rows = readSpec().flatMap(({ page, examples }) =>
  examples
    .filter(({ cells }) => "golden" in cells)
    .map(({ line, cells }) => ({ at: `${page}:${line}`, cells })),
);

test("every golden file has a row, and every row a file", () => {
  const named = new Set(rows.map(({ cells }) => cells.golden!));
  expect(goldenNames()).toEqual([...named].sort());
});

test("every golden's row counts by hand what its bytes hold", () => {
  const uncounted = rows.filter(
    ({ cells }) =>
      !Object.entries(cells).some(
        ([column, cell]) => column.startsWith("then ") && /^\d/.test(cell),
      ),
  );
  expect(uncounted.map(({ at }) => `${at}: no count`)).toEqual([]);
});
