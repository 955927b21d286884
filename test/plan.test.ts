/** How an answer's budget is spent. */
import fc from "fast-check";
import { expect } from "vitest";
import { joined, type Span } from "../src/model/span.ts";
import type { Region } from "../src/rank/regions.ts";
import { plan, type PlanFile } from "../src/render/plan.ts";
import {
  contentsLine,
  priced,
  section,
  type Form,
  type Source,
} from "../src/render/section.ts";
import { limits, type Limits } from "../src/spec.gen.ts";
import { law, loadBearing, ruleTest } from "./from-spec.ts";

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const source = (
  lines: readonly string[],
  some: Partial<Source> = {},
): Source => ({
  path: "src/a.ts",
  fence: "ts",
  lines,
  definitions: [],
  notes: [],
  ...some,
});
const region = (span: Span, score = 1, some: Partial<Region> = {}): Region => ({
  span,
  padded: span,
  body: span[0],
  score,
  asked: false,
  context: undefined,
  ...some,
});
const file = (
  lines: number | readonly string[],
  regions: readonly Region[],
  some: Partial<PlanFile> = {},
): PlanFile => {
  const text =
    typeof lines === "number" ? times(lines, (i) => `line ${i + 1}`) : lines;
  return {
    score: 1,
    lines: text.length,
    prices: priced(source(text)),
    regions,
    signatures: regions.map((r): Span => [r.span[0], r.span[0]]),
    namedPath: false,
    byNumber: false,
    weak: false,
    drifted: false,
    ...some,
  };
};
const budget = (chars: number, files = 12) => ({
  chars,
  files,
  fileChars: limits.FILE_CHARS,
});
const seen = (
  files: readonly PlanFile[],
  chars: number,
  moved: Limits = limits,
  most = 12,
) =>
  plan(files, budget(chars, most), moved).map(({ kind, spans }) => ({
    kind,
    spans,
  }));
/** What comes of a plan under many budgets. */
const sweep = (files: readonly PlanFile[], moved: Limits, most = 12) =>
  times(120, (i) => plan(files, budget(i * 100, most), moved));

// Prices.
const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "",
    "\t}",
    "``` code",
    "````",
    "x".repeat(400),
    "y".repeat(401),
    "z".repeat(3_000),
    "é\u0301 ㎞ 😀\ud800",
  ),
);
const spansIn = (lines: number): fc.Arbitrary<readonly Span[]> =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: lines }), fc.nat(30)), {
      minLength: 1,
      maxLength: 6,
    })
    .map((all) =>
      joined(all.map(([a, more]): Span => [a, Math.min(lines, a + more)])),
    );
const anySource = fc
  .array(text, { minLength: 1, maxLength: 60 })
  .chain((lines) =>
    fc.record({
      path: fc.constantFrom(
        "a.ts",
        "odd `name`\n.py",
        "s/\ud800.c",
        "a\\u000a.c",
      ),
      fence: fc.constantFrom("", "ts", "python"),
      lines: fc.constant(lines),
      notes: fc.array(
        fc.string({ maxLength: 20 }).map((s) => s.replaceAll("\n", " ")),
        { maxLength: 2 },
      ),
      definitions: fc.array(
        fc
          .tuple(
            fc.string({ minLength: 1, maxLength: 9 }),
            fc.integer({ min: 1, max: lines.length }),
            fc.nat(20),
            fc.boolean(),
          )
          .map(([name, first, more, container]) => ({
            name,
            span: [first, Math.min(lines.length, first + more)] as const,
            container,
          })),
        { maxLength: 9 },
      ),
      spans: spansIn(lines.length),
      form: fc.constantFrom<Form>("whole", "clusters", "signatures"),
    }),
  );

law("plan-prices", "a section costs what it writes", () =>
  fc.assert(
    fc.property(anySource, ({ spans: some, form, ...of }) => {
      const spans: readonly Span[] =
        form === "whole" ? [[1, of.lines.length]] : some;
      const cost = priced(of).cost(spans, form);
      const written =
        section(of, spans, form).length +
        1 +
        contentsLine(of, spans, form).length +
        1;
      expect(cost).toBeGreaterThanOrEqual(written);
      // A longer fence than is needed is all that it may be above.
      const longest = Math.max(
        2,
        ...of.lines.flatMap((l) =>
          (l.match(/`{3,}/g) ?? []).map((run) => run.length),
        ),
      );
      expect(cost - written).toBeLessThanOrEqual(2 * (longest - 2));
    }),
    { numRuns: 400 },
  ),
);

const anyFile = fc.array(text, { maxLength: 80 }).chain((lines) =>
  fc
    .record({
      score: fc.double({ min: 0.01, max: 12, noNaN: true }),
      regions: fc.array(
        fc
          .record({
            first: fc.integer({ min: 1, max: Math.max(1, lines.length) }),
            more: fc.nat(50),
            score: fc.double({ min: 0, max: 4, noNaN: true }),
            asked: fc.boolean(),
          })
          .map(({ first, more, score, asked }) => {
            const span: Span = [
              first,
              Math.min(Math.max(1, lines.length), first + more),
            ];
            return region(span, score, {
              asked,
              body: span[0] + ((span[1] - span[0]) >> 1),
            });
          }),
        { maxLength: 5 },
      ),
      namedPath: fc.boolean(),
      weak: fc.boolean(),
      drifted: fc.boolean(),
    })
    .map(({ regions, ...some }) =>
      file(
        lines,
        lines.length === 0 ? [] : regions.toSorted((a, b) => b.score - a.score),
        some,
      ),
    ),
);

law(
  "plan-carries-forward",
  "the costs together are within the budget, and each is true",
  () =>
    fc.assert(
      fc.property(
        fc.array(anyFile, { maxLength: 8 }),
        fc.integer({ min: -100, max: 12_000 }),
        fc.integer({ min: 1, max: 6 }),
        (files, chars, most) => {
          const plans = plan(files, budget(chars, most));
          const sum = plans.reduce((all, made) => all + made.cost, 0);
          expect(sum).toBeLessThanOrEqual(Math.max(0, chars));
          expect(
            plans.filter((p) => p.kind === "whole" || p.kind === "clusters")
              .length,
          ).toBeLessThanOrEqual(most);
          plans.forEach((made, i) => {
            if (made.kind === "none") {
              expect([made.spans, made.cost]).toEqual([[], 0]);
              return;
            }
            expect(made.cost).toBe(
              files[i]!.prices.cost(made.spans, made.kind),
            );
            expect(joined(made.spans)).toEqual(made.spans);
            expect(made.spans.at(-1)![1]).toBeLessThanOrEqual(files[i]!.lines);
            if (files[i]!.drifted) expect(made.kind).toBe("whole");
          });
        },
      ),
      { numRuns: 300 },
    ),
);

// Shares.
const threeLong = [3, 2, 1].map((score) =>
  file(
    600,
    times(30, (i) => region([i * 20 + 1, i * 20 + 10])),
    { score },
  ),
);
loadBearing("plan-carries-forward", "SHARE_EXPONENT", (moved) =>
  sweep(threeLong, moved),
);
loadBearing("plan-carries-forward", "MIN_FILE_CHARS", (moved) =>
  sweep(threeLong, moved),
);

ruleTest(
  "plan-carries-forward",
  "what a short file leaves goes to the next",
  () => {
    const [, second] = plan([file(3, []), threeLong[1]!], budget(6_000));
    const [, alone] = plan([threeLong[0]!, threeLong[1]!], budget(6_000));
    expect(second!.allocated).toBeGreaterThan(alone!.allocated * 2);
  },
);

law("plan-carries-forward", "a larger budget gives the best file no less", () =>
  fc.assert(
    fc.property(
      fc.array(anyFile, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 500, max: 9_000 }),
      (files, chars) => {
        const [less] = plan(files, budget(chars));
        const [more] = plan(files, budget(chars * 2));
        expect(more!.allocated).toBeGreaterThanOrEqual(less!.allocated);
      },
    ),
  ),
);

// Whole files.
const ofCost = (cost: number, regions: readonly Region[]): PlanFile => {
  const lines = times(200, () => "x".repeat(10));
  const whole = file(lines, regions).prices.cost([[1, 200]], "whole");
  return file([...lines.slice(0, -1), "x".repeat(10 + cost - whole)], regions);
};
const kinds = (files: readonly PlanFile[], moved: Limits) =>
  files.map((f) => plan([f], budget(9_000), moved)[0]!.kind);
loadBearing("plan-whole-when-it-fits", "WHOLE_CHARS", (moved) =>
  kinds(
    [
      ofCost(limits.WHOLE_CHARS, [region([1, 5])]),
      ofCost(limits.WHOLE_CHARS + 1, [region([1, 5])]),
    ],
    moved,
  ),
);
loadBearing("plan-whole-when-it-fits", "WHOLE_SHARE", (moved) =>
  kinds(
    [45, 48, 60, 65].map((last) =>
      file(
        times(200, () => "x".repeat(20)),
        [region([1, last * 2])],
      ),
    ),
    moved,
  ),
);
loadBearing("plan-whole-when-it-fits", "GAP_MAX_LINES", (moved) =>
  seen(
    [
      file(900, [
        region([1, 9]),
        region([13, 20]),
        region([50, 60]),
        region([65, 70]),
      ]),
    ],
    9_000,
    moved,
  ),
);

ruleTest(
  "plan-whole-when-it-fits",
  "a small gap is closed, a larger one is not",
  () => {
    const [made] = seen(
      [
        file(900, [
          region([1, 9]),
          region([13, 20]),
          region([50, 60]),
          region([65, 70]),
        ]),
      ],
      9_000,
    );
    expect(made!.spans).toEqual([
      [1, 20],
      [50, 60],
      [65, 70],
    ]);
  },
);

ruleTest(
  "plan-whole-when-it-fits",
  "files that are named are whole while all fit",
  () => {
    const long = (namedPath: boolean) =>
      file(
        times(150, () => "x".repeat(20)),
        [region([1, 150], 0, { asked: true })],
        { namedPath, score: 8 },
      );
    const cost = long(true).prices.cost([[1, 150]], "whole");
    expect(
      seen([long(true), long(true), long(true)], cost * 3).map((p) => p.kind),
    ).toEqual(["whole", "whole", "whole"]);
    const tight = seen([long(true), long(true), long(true)], cost * 2);
    expect(tight.map((p) => p.kind)).not.toContain("none");
    expect(seen([long(true)], cost - 1)[0]!.spans).toEqual([
      [1, expect.any(Number)],
    ]);
  },
);

// Cuts.
const wide = (score: number) =>
  file(
    times(600, () => "x".repeat(60)),
    [region([1, 9], 1), region([101, 180], score)],
  );
loadBearing("plan-cuts-the-best", "CUT_SCORE", (moved) =>
  [0.65, 0.75].map((score) => seen([wide(score)], 3_000, moved)),
);
loadBearing("plan-cuts-the-best", "MIN_CUT_LINES", (moved) =>
  times(200, (i) => seen([wide(0.9)], 1_400 + i * 10, moved)),
);

ruleTest("plan-cuts-the-best", "the definition rather than its comment", () => {
  const [made] = seen(
    [
      file(
        times(200, () => "x".repeat(60)),
        [region([1, 100], 1, { body: 41 })],
      ),
    ],
    2_400,
  );
  expect(made!.spans[0]![0]).toBe(41);
});

ruleTest("plan-cuts-the-best", "what is asked for is begun in any room", () => {
  const asked = file(
    times(200, () => "x".repeat(60)),
    [region([1, 100], 2, { asked: true })],
  );
  const [made] = seen([asked], 500);
  expect(made).toMatchObject({
    kind: "clusters",
    spans: [[1, expect.any(Number)]],
  });
});

// Signatures.
const ten = times(10, (i) =>
  file(400, [region([i + 1, 300])], { score: 10 - i }),
);
loadBearing("plan-signatures", "SIGNATURE_SHARE", (moved) =>
  sweep(ten, moved, 3),
);
loadBearing("plan-signatures", "SIGNATURE_FILE_CHARS", (moved) =>
  times(
    250,
    (i) =>
      seen(
        [file(["x".repeat(i)], [region([1, 1])], { weak: true })],
        900,
        moved,
      )[0]!.kind,
  ),
);

ruleTest(
  "plan-signatures",
  "files beyond the shown, and those that do not fit",
  () => {
    const made = seen(ten, 9_000, limits, 2);
    expect(made.map((p) => p.kind)).toEqual(
      ["clusters", "clusters", ...times(8, () => "signatures")].slice(
        0,
        made.length,
      ),
    );
    expect(made[5]!.spans).toEqual([[6, 6]]);
    expect(
      seen([file(400, [region([1, 300])], { weak: true })], 9_000)[0]!.kind,
    ).toBe("signatures");
  },
);

ruleTest("plan-spends-the-rest", "on further regions of the best file", () => {
  const first = file(
    600,
    [region([1, 20]), region([101, 120], 0.5), region([201, 400], 0.1)],
    { score: 1 },
  );
  const second = file(600, [region([1, 20])], { score: 1 });
  const made = seen([first, second], 9_000);
  expect(made[1]!.spans).toEqual([[1, 20]]);
  expect(made[0]!.spans).toEqual([
    [1, 20],
    [101, 120],
    [201, 400],
  ]);
});

ruleTest(
  "rank-drops-the-weak",
  "of a weak file that is small all is shown, and it takes a place",
  () => {
    const weak = file(3, [region([1, 3])], { weak: true });
    const strong = file(400, [region([1, 300])]);
    expect(seen([weak, strong], 9_000, limits, 1).map((p) => p.kind)).toEqual([
      "whole",
      "signatures",
    ]);
  },
);
