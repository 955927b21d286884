/** The spec, the code and the checks hold together, and what is generated is fresh. */
import { existsSync, readFileSync } from "node:fs";
import { createTwoFilesPatch } from "diff";
import { expect, inject, test } from "vitest";
import { checks } from "../tools/spec/check.ts";
import { citations, readSources } from "../tools/spec/cite.ts";
import { generated } from "../tools/spec/generated.ts";

const rules = inject("rules");
const sources = readSources();
const cited = citations(sources);

test("there are rules, code and checks to compare", () => {
  expect(rules.length).toBeGreaterThan(5);
  expect(cited.code.size).toBeGreaterThan(5);
  expect(cited.checks.length).toBeGreaterThan(5);
});

for (const { path, text } of await generated(rules, cited))
  test(`${path} is fresh`, () => {
    const found = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    if (!found.equals(Buffer.from(text)))
      expect.fail(
        `${path} is stale; read the patch, then run: pnpm spec\n` +
          createTwoFilesPatch(path, "from spec", found.toString(), text),
      );
  });

for (const [sentence, complaints] of Object.entries(checks))
  test(sentence, () => {
    expect(complaints({ rules, cited, sources })).toEqual([]);
  });
