/**
 * Answers byte for byte. Every golden file has a row in the spec, and every row has
 * a file and a hand count.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { differs, goldenNames } from "../tools/golden/golden.ts";
import { examples } from "./from-spec.ts";
import { projects } from "./project.ts";
import { readAnswer } from "./reading.ts";

const project = projects();

examples(
  "explore-goldens",
  ["golden", "given project", "given limits", "given edited", "when asked"],
  ["then source lines", "then files"],
  async (row) => {
    const { root, ask } = await project.fixture(row["given project"]);
    if (row["given edited"] !== "–")
      appendFileSync(join(root, row["given edited"]), "\n\nEDITED = True\n");
    const limit = /^(\d+) (files|chars)$/.exec(row["given limits"]);
    const { text } = ask(row["when asked"], {
      ...(limit?.[2] === "files" && { maxFiles: Number(limit[1]) }),
      ...(limit?.[2] === "chars" && { maxChars: Number(limit[1]) }),
    });
    const patch = differs(row.golden, text);
    if (patch) expect.fail(patch);
    const { sections } = readAnswer(text);
    return {
      "then source lines": `${sections.reduce((sum, s) => sum + s.lines.length, 0)}`,
      "then files": `${sections.length}`,
    };
  },
);

const rows = inject("rules").flatMap(({ page, examples: all }) =>
  all
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
