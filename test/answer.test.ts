/** What an answer looks like, and what holds for every answer. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { printSpans, readSpans, type Span } from "../src/model/span.ts";
import { explore } from "../src/serve/explore.ts";
import { answer } from "../src/render/answer.ts";
import {
  cutAfter,
  heading,
  printable,
  section,
  shortened,
} from "../src/render/section.ts";
import { limits, wordings, type Limits } from "../src/spec.gen.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { projects, type TestProject } from "./project.ts";
import { readAnswer } from "./reading.ts";

const project = projects();
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

examples(
  "answer-heading",
  ["given path", "given names"],
  ["then heading"],
  (row, moved) => ({
    "then heading": heading(
      row["given path"],
      row["given names"] === "–" ? [] : row["given names"].split(" "),
      "clusters",
      moved,
    ),
  }),
);

law(
  "answer-heading",
  "any path stands on one line, in back-quotes, and no two alike",
  () => {
    const path = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom("\\", "u", "0", "a", "`", "\n", "'", "/"),
        maxLength: 8,
      }),
    );
    fc.assert(
      fc.property(path, path, (a, b) => {
        // eslint-disable-next-line no-control-regex
        expect(printable(a)).not.toMatch(/[\u0000-\u001f\u007f`\u2028]/);
        expect(printable(a).isWellFormed()).toBe(true);
        if (a !== b && a.isWellFormed() && b.isWellFormed())
          expect(printable(a)).not.toBe(printable(b));
      }),
      { numRuns: 500 },
    );
  },
);

/** `f L1-9, class C L1-30` → definitions. */
const readDefinitions = (cell: string) =>
  cell.split(", ").map((part) => {
    const [span, name, kind] = part.split(" ").reverse();
    return {
      name: name!,
      span: readSpans(span!)[0]!,
      container: kind === "class",
    };
  });

examples(
  "answer-cut-marks",
  ["given definitions", "given shown"],
  ["then not shown after"],
  (row) => {
    const cut = cutAfter(
      { definitions: readDefinitions(row["given definitions"]) },
      readSpans(row["given shown"]),
    );
    return { "then not shown after": printSpans(cut ? [cut] : []) };
  },
);

examples(
  "answer-long-lines",
  ["given line of"],
  ["then shown", "then mark"],
  (row, moved) => {
    const text = shortened("x".repeat(Number(row["given line of"])), moved);
    const mark = /(?: (…?.*))?$/.exec(text.replace(/^x+/, ""))![1];
    return {
      "then shown": `${/^x*/.exec(text)![0].length}`,
      "then mark": mark ?? "–",
    };
  },
);

ruleTest(
  "answer-long-lines",
  "a cut between two halves of a character drops both",
  () => {
    const text = `${"x".repeat(limits.MAX_LINE_CHARS - 1)}😀😀`;
    expect(shortened(text).isWellFormed()).toBe(true);
  },
);

// One project with everything that could go wrong in a file.
const odd = {
  "crlf.py":
    "def ledger_one():\r\n    return 1\r\n\r\ndef ledger_two():\r\n    return 2\r\n",
  "cr.py": "def ledger_cr():\r    return 1\r",
  "mixed.py":
    "def ledger_mixed():\r\n    return 1\n\n\ndef other():\r    return 2\n",
  "no_end.py": "def ledger_open():\n    return 1",
  "blank.py": "\n\n\n",
  "fence.md": "# Ledger\n\n````md\n```js\nledger()\n```\n````\n",
  "long.js": `const ledger = "${"ü".repeat(3_000)}";\nexport function ledgerLong() {\n  return ledger;\n}\n`,
  "emoji.ts": `export const ledgerEmoji = "${"😀".repeat(300)}";\n`,
  "bom.py": "\ufeffdef ledger_bom():\n    return 1\n",
  "latin.py": Buffer.from(
    "# caf\xe9\ndef ledger_latin():\n    return 1\n",
    "latin1",
  ),
  "odd `name`.py": "def ledger_odd():\n    return 1\n",
  "sub/line\nfeed.py": "def ledger_feed():\n    return 1\n",
  "numbers.txt": times(
    400,
    (i) => `${i}\tledger ${i % 7 === 0 ? "settles" : ""}`,
  ).join("\n"),
  "marks.txt": times(90, (i) => `… L${i} not shown ledger`).join("\n"),
  "service.go": [
    "package service",
    "",
    ...times(
      14,
      (i) =>
        `// Settle${i} settles ledger ${i}.\nfunc Settle${i}(x int) int {\n${times(i * 9, (k) => `\tx += ${k} // ledger`).join("\n")}\n\treturn Settle${(i + 1) % 14}(x)\n}\n`,
    ),
  ].join("\n"),
  "app.yaml": `${times(60, (i) => `key_${i}: value-${i}-secret`).join("\n")}\n`,
  ".env": "API_TOKEN=tok-secret\n",
};
const all = await project.of(odd);

/** The lines of a file, found without the product's code. */
function linesOf(root: string, path: string): readonly string[] {
  const bytes = readFileSync(join(root, path));
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    text = bytes.toString("latin1");
  }
  if (!text.includes("\n")) return text.replace(/\r$/, "").split("\r");
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""));
}

/** All that has to hold for an answer about files that lie still. */
function sound(
  at: TestProject,
  text: string,
  files: readonly { path: string; spans: readonly Span[]; kind: string }[],
): void {
  expect(text).not.toBe("");
  expect(text.endsWith("\n")).toBe(true);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toContain("secret");
  expect(text).not.toContain(at.root);
  const read = readAnswer(text);
  expect(read.sections.map((s) => s.path)).toEqual(files.map((f) => f.path));
  expect(read.contents.map((c) => c.path)).toEqual(files.map((f) => f.path));
  read.sections.forEach((s, i) => {
    const { spans, kind } = files[i]!;
    const real = linesOf(at.root, s.path);
    const shown = s.lines.map((line) => line.n);
    expect(shown).toEqual(
      spans.flatMap(([a, b]) => times(b - a + 1, (k) => a + k)),
    );
    const isOwn = (line: string, own: string): boolean => {
      if (own.length <= limits.MAX_LINE_CHARS)
        return line === own.toWellFormed();
      const cut = own.slice(0, limits.MAX_LINE_CHARS).toWellFormed();
      return line.startsWith(`${cut} … [cut: the line has ${own.length} `);
    };
    expect(
      s.lines.filter(({ n, text: line }) => !isOwn(line, real[n - 1]!)),
    ).toEqual([]);
    if (kind === "whole") {
      expect(shown.length).toBe(real.length);
      expect(s.marks).toEqual([]);
      expect(read.contents[i]!.what).toBe(wordings.WHOLE_FILE);
      return;
    }
    expect(read.contents[i]!.what).toBe(printSpans(spans));
    expect(s.signatures).toBe(kind === "signatures");
    const gaps = spans
      .slice(1)
      .map((span, k): { after: number; lines: Span } => ({
        after: spans[k]![1],
        lines: [spans[k]![1] + 1, span[0] - 1],
      }));
    const last = spans.at(-1)![1];
    const tail = s.marks.filter((mark) => mark.after === last);
    // Of a file that is asked for, what stands before is marked too.
    const head = s.marks.filter((mark) => mark.after === 0);
    if (head.length > 0)
      expect(head).toEqual([{ after: 0, lines: [1, spans[0]![0] - 1] }]);
    expect(
      s.marks.filter((mark) => mark.after !== last && mark.after !== 0),
    ).toEqual(kind === "signatures" ? [] : gaps);
    expect(tail.length).toBeLessThanOrEqual(kind === "signatures" ? 0 : 1);
    for (const {
      lines: [a, b],
    } of tail) {
      expect(a).toBe(last + 1);
      expect(b >= a && b <= real.length).toBe(true);
    }
  });
}

const word = fc.constantFrom(
  "ledger",
  "settles",
  "Settle3",
  "Settle4",
  "ledger_two",
  "ledgerLong",
  "crlf.py",
  "service.go",
  "service.go:20-60",
  "fence.md",
  "app.yaml",
  ".env",
  "callers of",
  "who calls",
  "tests",
  "numbers.txt lines 3-9",
  "no_such_name",
  "odd `name`.py",
  "how is the",
  "?",
  "value",
  "key_3",
);
const query = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 5 }).map((all) => all.join(" ")),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "x".repeat(1_000_000),
    "ledger ".repeat(150_000),
    "a.py ".repeat(90_000),
    "/".repeat(5_000),
    "(((".repeat(999),
    "\n\n",
    "--",
    "`",
  ),
);
const arguments_ = fc.record(
  {
    maxFiles: fc.oneof(fc.integer({ min: -2, max: 20 }), fc.double()),
    maxChars: fc.oneof(fc.integer({ min: -5, max: 30_000 }), fc.double()),
  },
  { requiredKeys: [] },
);
const ask = (at: TestProject, text: string, more: object = {}) => {
  const first = at.ask(text, more);
  expect(at.ask(text, more).text).toBe(first.text);
  return first;
};

law(
  "answer-verbatim",
  "every line shown is the file's own, and every mark true",
  () =>
    fc.assert(
      fc.property(query, arguments_, (text, more) => {
        const { text: got, files } = ask(all, text, more);
        sound(all, got, files);
      }),
      { numRuns: 250 },
    ),
);

law("answer-ceiling", "no question and no limit gives a longer answer", () =>
  fc.assert(
    fc.property(query, arguments_, (text, more) => {
      const { text: got } = all.ask(text, more);
      const asked = Math.floor(more.maxChars ?? NaN);
      const ceiling = Math.max(
        limits.MIN_ANSWER_CHARS,
        Math.min(limits.TIER_1_CHARS, Number.isNaN(asked) ? Infinity : asked),
      );
      expect(got.length).toBeLessThanOrEqual(ceiling);
    }),
    { numRuns: 250 },
  ),
);

law("explore-never-empty", "any text gets an answer, in bounded time", () =>
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 4_000 }), (text) => {
      const { text: got } = all.ask(text);
      expect(got.trim()).not.toBe("");
    }),
    { numRuns: 150 },
  ),
);

law("answer-verbatim", "on files of any text", async () => {
  const line = fc.oneof(
    fc.constantFrom(
      "def ledger():",
      "    return ledger()",
      "class Ledger:",
      "",
      "```",
      "    def settle(self): pass",
    ),
    fc.string({ maxLength: 40 }).map((s) => s.replace(/[\0\n\r]/g, "")),
  );
  const ending = fc.constantFrom("\n", "\r\n");
  const anyFile = fc
    .tuple(
      fc.array(line, { minLength: 1, maxLength: 120 }),
      ending,
      fc.boolean(),
    )
    .map(([lines, end, closed]) => lines.join(end) + (closed ? end : ""));
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFile, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 900, max: 6_000 }),
      async (texts, maxChars) => {
        const at = await project.of(
          Object.fromEntries(texts.map((t, i) => [`f${i}.py`, t])),
        );
        for (const text of [
          "ledger settle",
          "how is the ledger settled",
          "f0.py",
        ]) {
          const { text: got, files } = ask(at, text, { maxChars });
          sound(at, got, files);
          expect(got.length).toBeLessThanOrEqual(
            Math.max(maxChars, limits.MIN_ANSWER_CHARS),
          );
        }
      },
    ),
    { numRuns: 12 },
  );
});

ruleTest(
  "answer-verbatim",
  "no line ends its fence, even with a line ending of another kind in it",
  () => {
    const lines = ["plain", "a\r```", "b\r`````", "c"];
    const source = {
      path: "a.md",
      fence: "md",
      lines,
      definitions: [],
      notes: [],
    };
    expect(section(source, [[1, 1]], "clusters")).toMatch(/^```md$/m);
    expect(section(source, [[1, 2]], "clusters")).toMatch(/^````md$/m);
    expect(section(source, [[1, 4]], "whole")).toMatch(
      /^``````md$[^]*^``````$/m,
    );
  },
);

ruleTest("answer-ceiling", "what does not fit is left out from the end", () => {
  const source = (path: string) => ({
    path,
    fence: "",
    lines: times(20, () => "x".repeat(40)),
    definitions: [],
    notes: [],
  });
  const parts = {
    total: 3,
    notes: ["First.", "Second."],
    path: "",
    sections: ["a", "b"].map((path) => ({
      source: source(path),
      spans: [[1, 20]] as Span[],
      form: "whole" as const,
    })),
    relations: ["one", "two"],
  };
  const whole = answer({ ...parts, ceiling: 9_000 }).text;
  expect(whole).toContain("- two\n");
  const fits = (ceiling: number) => {
    const { text, sections } = answer({ ...parts, ceiling });
    expect(text.length).toBeLessThanOrEqual(ceiling);
    return [
      sections.length,
      text.includes("- one"),
      text.includes("Second."),
      text.includes("First."),
    ];
  };
  expect(fits(whole.length)).toEqual([2, true, true, true]);
  expect(fits(whole.length - 1)).toEqual([2, true, true, true]);
  expect(fits(whole.length - 40)).toEqual([2, false, true, true]);
  expect(fits(1_400)).toEqual([1, false, true, true]);
  expect(fits(20)).toEqual([0, false, true, true]);
  expect(fits(10)).toEqual([0, false, false, true]);
  expect(fits(3)[0]).toBe(0);
});

// Limits of the answer as a whole.
const used = await project.of({
  "core.py": "def settle(x):\n    return x\n",
  ...Object.fromEntries(
    times(40, (i) => [
      `user${i}.py`,
      `from core import settle\n\ndef a_rather_long_name_of_a_user_${i}():\n    return settle(${i})\n`,
    ]),
  ),
  ...Object.fromEntries(
    times(9, (i) => [
      `near${i}.py`,
      `def compute_total${i}():\n    return ${i}\n`,
    ]),
  ),
  "fruit.txt": "pear plum fig kiwi lime\n",
  "big.yaml": `${times(60, (i) => `key_${i}: 1`).join("\n")}\n`,
});
const said =
  (text: string, more: object = {}) =>
  (moved: Limits) =>
    explore(used.root, used.index, { query: text, ...more }, moved).text;
loadBearing(
  "answer-dependents",
  "DEPENDENTS_SHARE",
  said("settle", { maxChars: 6_000 }),
);
loadBearing(
  "answer-dependents",
  "ASKED_USES_SHARE",
  said("callers of settle", { maxChars: 4_000 }),
);
loadBearing("answer-notes", "MAX_NAMES_IN_NOTE", said("compute_totals"));
loadBearing("answer-notes", "MAX_KEYS_IN_NOTE", said("big.yaml"));
loadBearing("answer-notes", "NOTES_SHARE", (moved) =>
  times(8, (i) =>
    said(
      `settle ${times(i, (k) => `unknown_name_of_some_length_${k}`).join(" ")}`,
      { maxChars: 1_000 },
    )(moved),
  ),
);
const unknownWords = (count: number): string =>
  times(count, (k) => `zz${"abcdefgh"[k % 8]}${"stuvwxyz"[k >> 3]}`).join(" ");
// Where the known words hold about as much of the question as they have to.
loadBearing("explore-never-empty", "MIN_COVERAGE", (moved) =>
  [3, 4, 5].map((known) =>
    times(2 * known, (i) =>
      said(
        `${"pear plum fig kiwi lime".split(" ").slice(-known).join(" ")} ${unknownWords(i + 6 * known)}`,
      )(moved).includes("Source of"),
    ),
  ),
);
loadBearing("explore-never-empty", "MAX_SIGNATURE_FILES", (moved) =>
  said("what is a user of long names")(moved),
);

ruleTest("answer-notes", "what is not there is said, beside what is", () => {
  const { text } = used.ask("settle no_such_name nowhere.py of zebras");
  expect(text).toContain("No definition is named `no_such_name`.");
  expect(text).toContain("No indexed file is named `nowhere.py`.");
  expect(text).toContain("contains `zebras`.");
  expect(text).toContain("**`core.py`** — settle");
  expect(used.ask("big.yaml").text).toMatch(
    /is a configuration file; .* keys: key_0, .*, \+20 more/,
  );
  expect(used.ask(`settle ${"x".repeat(5_000)}`).text).toContain(
    "Only the first 4000 characters",
  );
});

ruleTest(
  "answer-contents",
  "the list stands before the source, in its order",
  () => {
    const { text, files } = used.ask("how do users settle");
    const { contents } = readAnswer(text);
    expect(contents.map((c) => c.path)).toEqual(files.map((f) => f.path));
    expect(
      text.startsWith(`Source of ${files.length} of 52 indexed files`),
    ).toBe(true);
    expect(text.indexOf("**`")).toBeGreaterThan(
      text.indexOf(`- \`${files.at(-1)!.path}\``),
    );
  },
);

ruleTest(
  "answer-cut-marks",
  "of a file that is asked for, shown lines and marks together are all of it",
  async () => {
    const at = await project.of({
      "big.py": times(60, (i) =>
        [`def fn_${i}(x):`, ...times(20, (k) => `    x = x + ${k}`), ""].join(
          "\n",
        ),
      ).join("\n"),
    });
    for (const asked of [
      "big.py",
      "show the complete file big.py",
      "fn_30 in big.py",
    ]) {
      const { text, files } = ask(at, asked, {});
      expect(files[0]!.kind).toBe("clusters");
      const [s] = readAnswer(text).sections;
      const all = [
        ...s!.lines.map(({ n }) => n),
        ...s!.marks.flatMap(({ lines: [a, b] }) =>
          times(b - a + 1, (k) => a + k),
        ),
      ].sort((a, b) => a - b);
      expect(all).toEqual(
        times(linesOf(at.root, "big.py").length, (k) => k + 1),
      );
    }
  },
);
