/** What uses what, and how one definition reaches another. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { rank } from "../src/rank/candidates.ts";
import { Graph } from "../src/rank/graph.ts";
import { readQuery } from "../src/rank/query.ts";
import { callPath, dependents, subjects } from "../src/render/relations.ts";
import { limits, wordings, type Limits } from "../src/spec.gen.ts";
import type { SymbolRow } from "../src/store/store.ts";
import { law, loadBearing, ruleTest } from "./from-spec.ts";
import { projects, type TestProject } from "./project.ts";

const project = projects();
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const files = (count: number, make: (i: number) => [string, string]) =>
  Object.fromEntries(times(count, make));

const one = ({ index }: TestProject, name: string): SymbolRow =>
  index.symbolsNamed(name, 1)[0]!;
const pathOf =
  (at: TestProject, ...names: string[]) =>
  (moved: Limits) =>
    new Graph(at.index, moved)
      .path(names.map((name) => one(at, name)))
      .map((s) => s.name);
const scores = (at: TestProject, query: string) => (moved: Limits) =>
  rank(at.index, readQuery(query), moved).candidates.map((c) => [
    c.file.path,
    c.score,
  ]);

// A function that many files use.
const popular = await project.of({
  "core.py": "def settle(x):\n    return x\n",
  ...files(125, (i) => [
    `u${String(i).padStart(3, "0")}.py`,
    `from core import settle\n\ndef user_${i}():\n    return settle(${i})\n`,
  ]),
});
loadBearing(
  "graph-uses",
  "USES_MAX_FILES",
  (moved) =>
    new Graph(popular.index, moved).uses(one(popular, "settle")).uses.length,
);
loadBearing("graph-uses", "HINT_MAX_FILES", (moved) => {
  const graph = new Graph(popular.index, moved);
  const options = { most: 10_000, asked: false };
  return dependents(
    [one(popular, "settle")],
    { graph },
    popular.index,
    options,
    moved,
  );
});
loadBearing("graph-uses", "CALLER_SCORE", scores(popular, "callers of settle"));

// Steps from one function to the next.
const steps = await project.of({
  "chain.py": times(
    12,
    (i) => `def step_${i}(x):\n    return step_${i + 1}(x)\n\n`,
  ).join(""),
  "fan.py": [
    "def root(x):",
    ...times(130, (i) => `    branch_${i}(x)`),
    "",
    ...times(130, (i) =>
      [
        `def branch_${i}(x):`,
        i === 118
          ? "    near_leaf(x)"
          : i === 119
            ? "    far_leaf(x)"
            : "    pass",
        "",
      ].join("\n"),
    ),
    "def near_leaf(x): pass\n",
    "def far_leaf(x): pass\n",
  ].join("\n"),
  ...files(4, (i) => [`four${i}.py`, "def four(x): pass\n"]),
  ...files(5, (i) => [`five${i}.py`, "def five(x): pass\n"]),
  "asks.py":
    "from four1 import four\nfrom five1 import five\n\ndef asks(x):\n    four(x)\n    five(x)\n",
  "a.py": "from b import between\n\ndef first_one(x):\n    between(x)\n",
  "b.py": "from c import last_one\n\ndef between(x):\n    last_one(x)\n",
  "c.py": "def last_one(x):\n    return x\n",
  "recursive.py":
    "def ping(x):\n    return pong(x)\n\ndef pong(x):\n    return ping(x)\n",
});
const tenNames = times(12, (i) => `step_${i}`).join(" ");
loadBearing("graph-call-path", "PATH_MAX_NAMES", (moved) =>
  rank(steps.index, readQuery(tenNames), moved).path.map((s) => s.name),
);
loadBearing("graph-call-path", "PATH_MAX_STEPS", (moved) => [
  pathOf(steps, "step_0", "step_4")(moved),
  pathOf(steps, "step_0", "step_5")(moved),
]);
loadBearing("graph-call-path", "PATH_MAX_VISITS", (moved) => [
  pathOf(steps, "root", "near_leaf")(moved),
  pathOf(steps, "root", "far_leaf")(moved),
]);
loadBearing("graph-call-path", "PATH_MAX_DEFINITIONS", (moved) =>
  new Graph(steps.index, moved).reached(one(steps, "asks")).map((s) => s.name),
);
loadBearing(
  "graph-call-path",
  "PATH_SCORE",
  scores(steps, "first_one last_one"),
);

ruleTest(
  "graph-call-path",
  "the shortest way, through what lies between",
  () => {
    expect(pathOf(steps, "first_one", "last_one")(limits)).toEqual([
      "first_one",
      "between",
      "last_one",
    ]);
    expect(pathOf(steps, "last_one", "first_one")(limits)).toHaveLength(3);
    expect(pathOf(steps, "ping", "pong")(limits)).toEqual(["ping", "pong"]);
    expect(pathOf(steps, "four", "last_one")(limits)).toEqual([]);
    expect(pathOf(steps, "asks")(limits)).toEqual([]);
  },
);

ruleTest(
  "answer-call-path",
  "it stands in one line, and what lies between is shown",
  () => {
    const { text, files: shown } = steps.ask("first_one last_one");
    expect(text).toContain(
      "**Call path:** `first_one` (a.py:3) → `between` (b.py:3) → `last_one` (c.py:1)",
    );
    expect(shown.map((f) => f.path)).toContain("b.py");
    expect(callPath([one(steps, "between")], steps.index)).toBe("");
    expect(steps.ask("four last_one").text).not.toContain("Call path");
  },
);

law(
  "graph-call-path",
  "every step, and every use, is a reference that stands there",
  () => {
    const names = [
      "step_0",
      "step_3",
      "step_4",
      "root",
      "far_leaf",
      "first_one",
      "last_one",
      "ping",
      "asks",
      "four",
    ];
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...names), {
          minLength: 1,
          maxLength: 5,
        }),
        (some) => {
          const graph = new Graph(steps.index);
          const symbols = some.map((name) => one(steps, name));
          const line = (s: SymbolRow, n: number) =>
            readFileSync(
              join(steps.root, steps.index.file(s.file)!.path),
              "utf8",
            ).split("\n")[n - 1]!;
          const path = graph.path(symbols);
          path.slice(1).forEach((to, i) => {
            const from = path[i]!;
            const body = Array.from(
              { length: from.span[1] - from.span[0] + 1 },
              (_, k) => line(from, from.span[0] + k),
            ).join("\n");
            expect(body).toMatch(new RegExp(`\\b${to.name}\\b`));
          });
          for (const s of symbols)
            for (const use of graph.uses(s).uses) {
              const text = readFileSync(
                join(steps.root, use.file.path),
                "utf8",
              ).split("\n")[use.line - 1]!;
              expect(text).toMatch(new RegExp(`\\b${s.name}\\b`));
              if (use.by)
                expect(
                  use.by.span[0] <= use.line && use.line <= use.by.span[1],
                ).toBe(true);
            }
        },
      ),
      { numRuns: 60 },
    );
  },
);

// What the best files refer to.
const ledger = (i: number) =>
  `from h${i} import helper_${i}\n\ndef ledger_entry_${i}(x):\n    # ledger entry\n    return helper_${i}(x)\n`;
const votes = await project.of({
  ...files(9, (i) => [`l${i}.py`, ledger(i)]),
  ...files(9, (i) => [
    `h${i}.py`,
    `from z${i} import deep_thing_${i}\n\ndef helper_${i}(x):\n    return deep_thing_${i}(x)\n`,
  ]),
  ...files(9, (i) => [`z${i}.py`, `def deep_thing_${i}(x):\n    return x\n`]),
  "long.py": [
    ...times(8, (i) => `from p${i} import part_${i}`),
    ...times(8, (i) =>
      [
        `def piece_${i}(x):`,
        `    ${"# journal ".repeat(9 - i)}`,
        `    part_${i}(x)`,
        ...times(45, (k) => `    x = x + ${k}`),
      ].join("\n"),
    ),
  ].join("\n"),
  ...files(8, (i) => [`p${i}.py`, `def part_${i}(x):\n    return x\n`]),
  "ts/scene.ts":
    "export class Scene {\n  triggerUpdate() {\n    return 1;\n  }\n  plain() {\n    return 2;\n  }\n}\n",
  "ts/app.ts":
    "export function refreshCanvas(app) {\n  // paints the canvas anew\n  app.view.scene.triggerUpdate();\n  app.view.scene.plain();\n}\n",
});
loadBearing(
  "graph-neighbours",
  "NEIGHBOUR_FILES",
  scores(votes, "a ledger entry"),
);
loadBearing(
  "graph-neighbours",
  "NEXT_NEIGHBOUR_SHARE",
  scores(votes, "a ledger entry"),
);
loadBearing(
  "graph-neighbours",
  "NEIGHBOUR_SCORE",
  scores(votes, "a ledger entry"),
);
loadBearing(
  "graph-neighbours",
  "NEIGHBOUR_PASSAGES",
  scores(votes, "of the journal"),
);

ruleTest("graph-neighbours", "a guess needs a name of several words", () => {
  const { candidates } = rank(votes.index, readQuery("paints the canvas anew"));
  const scene = candidates.find((c) => c.file.path === "ts/scene.ts");
  expect(scene!.led.map((s) => s.name)).toEqual(["triggerUpdate"]);
});

// Dependents.
const asked = (at: TestProject, query: string, moved: Limits = limits) => {
  const ranking = rank(at.index, readQuery(query), moved);
  return dependents(
    subjects(ranking, moved),
    ranking,
    at.index,
    { most: 4_000, asked: true },
    moved,
  );
};
loadBearing(
  "answer-dependents",
  "MAX_SUBJECTS",
  (moved) =>
    asked(steps, `callers of ${times(8, (i) => `step_${i}`).join(" ")}`, moved)
      .length,
);
loadBearing("answer-dependents", "USES_LINE_CHARS", (moved) => {
  const graph = new Graph(popular.index, moved);
  return [limits.USES_LINE_CHARS, limits.USES_LINE_CHARS - 1].map(
    (most) =>
      dependents(
        [one(popular, "settle")],
        { graph },
        popular.index,
        { most, asked: true },
        moved,
      ).length,
  );
});

ruleTest(
  "answer-dependents",
  "as many uses as there is room for, and how many more",
  () => {
    const [line] = asked(popular, "callers of settle");
    expect(line!.length).toBeLessThanOrEqual(4_000);
    expect(line).toMatch(
      /^`settle` \(core\.py:1\) ← `user_0` u000\.py:4, `user_1` u001\.py:4, .*, and more in files that were not read$/,
    );
    const told = line!.match(/ u\d+\.py:4/g)!.length;
    const rest = /\+(\d+) more,/.exec(line!)?.[1] ?? "0";
    expect(told + Number(rest)).toBe(119);
  },
);

law(
  "answer-dependents",
  "the lines together are no longer than they may be",
  () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3_000 }),
        fc.boolean(),
        (most, isAsked) => {
          const graph = new Graph(popular.index);
          const symbols = ["settle", "user_1", "user_2"].map((name) =>
            one(popular, name),
          );
          const lines = dependents(symbols, { graph }, popular.index, {
            most,
            asked: isAsked,
          });
          expect(lines.join("\n").length).toBeLessThanOrEqual(most);
          for (const line of lines) expect(line).not.toBe("");
        },
      ),
    ),
);

ruleTest("answer-dependents", "it is a hint, unless uses are asked for", () => {
  const hint = popular.ask("settle").text;
  const full = popular.ask("callers of settle").text;
  const length = (text: string) =>
    (text.split(wordings.DEPENDENTS_TITLE)[1] ?? "").length;
  expect(length(hint)).toBeGreaterThan(0);
  expect(length(hint)).toBeLessThanOrEqual(
    limits.TIER_1_CHARS * limits.DEPENDENTS_SHARE + 10,
  );
  expect(length(full)).toBeGreaterThan(2_000);
});
