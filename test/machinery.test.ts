/** The spec machinery refuses what would be a check that nobody runs. */
import {
  mkdtempSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Project as TsMorph, SyntaxKind, ts } from "ts-morph";
import { afterAll, describe, expect, test } from "vitest";
import { accept, differs, goldenNames } from "../tools/golden/golden.ts";
import { checks } from "../tools/spec/check.ts";
import { citations } from "../tools/spec/cite.ts";
import { emitConstants, emitCoverage } from "../tools/spec/emit.ts";
import { exemptions } from "../tools/spec/exempt.ts";
import { readPage, refuseRepeats } from "../tools/spec/read.ts";
import { allHold, move, tried } from "./from-spec.ts";
import { complaints, parsed } from "./invariants/invariant.ts";

const read = (source: string) => readPage("spec/x.md", source);

const LIMITS = `
| limit | value | unit | why |
| --- | --: | --- | --- |
| \`MAX_A\` | 12,000 | chars | enough */ |
`;
const EXAMPLES = `
| given held | then sent | because |
| --- | --- | --- |
| L1-7 | – | short |
`;
const rule = (id: string, rest = "") => `### ${id}\n\nIt holds.\n${rest}\n`;

describe("the reader understands", () => {
  test("rules, limits, wordings, lists and examples", () => {
    const [one, two] = read(
      `# Page\n\nReasons stand here.\n\n${rule("one-rule", LIMITS + EXAMPLES)}${rule(
        "two-rule",
        "\n| wording | text | why |\n|-|-|-|\n| `HI` | `**{name}**: hi \\| ho` | polite |\n\n| list | items | why |\n|-|-|-|\n| LANGS | `go` `c++` | few |\n",
      )}`,
    );
    expect(one).toMatchObject({
      id: "one-rule",
      page: "spec/x.md",
      line: 5,
      text: "It holds.\n",
      limits: [
        { name: "MAX_A", value: 12_000, unit: "chars", why: "enough */" },
      ],
      examples: [
        {
          line: 15,
          cells: { "given held": "L1-7", "then sent": "–", because: "short" },
        },
      ],
      deferred: undefined,
    });
    expect(two).toMatchObject({
      wordings: [{ name: "HI", text: "**{name}**: hi | ho", why: "polite" }],
      lists: [{ name: "LANGS", items: ["go", "c++"], why: "few" }],
    });
  });

  test("a deferral, which is no part of the rule's text", () => {
    const [plain] = read(rule("a-rule"));
    const [late] = read(rule("a-rule", "\nDeferred: no client yet."));
    expect(late!.deferred).toBe("no client yet.");
    expect(late!.hash).toBe(plain!.hash);
  });

  test("that a word changes the rule, and a line break does not", () => {
    const hash = (text: string) => read(`### a-rule\n\n${text}\n`)[0]!.hash;
    expect(hash("It holds\nalways.")).toBe(hash("It holds always."));
    expect(hash("It holds often.")).not.toBe(hash("It holds always."));
  });

  test("that a ## heading ends the rule before it", () => {
    const [only] = read(`${rule("a-rule")}\n## More\n\nReasons.\n`);
    expect(only!.text).toBe("It holds.\n");
  });
});

const ENTRIES = `
| entry | names | told by | why |
| --- | --- | --- | --- |
| \`AN_A\` | \`a\` \`b\` | a \`hook\` | few |
| \`AN_B\` | – | nothing | likewise |
`;

describe("entries", () => {
  test("columns of code spans are data, others are for readers", async () => {
    const rules = read(rule("a-rule", ENTRIES));
    expect(rules[0]!.entries).toEqual([
      { name: "AN_A", why: "few", columns: { names: ["a", "b"] } },
      { name: "AN_B", why: "likewise", columns: { names: [] } },
    ]);
    const text = await emitConstants(rules);
    expect(text).toContain('AN_A: { names: ["a", "b"] },');
    expect(text).toContain("/** few. @spec a-rule */");
  });
});

describe("the reader refuses", () => {
  const cases: readonly (readonly [name: string, text: string, say: string])[] =
    [
      [
        "a stray table",
        rule("a-rule", "\n| a | b |\n|-|-|\n| 1 | 2 |"),
        'spec/x.md:5: a table with the columns "a | b"; write "given … | when … | then … | because"',
      ],
      [
        "an empty table",
        rule("a-rule", LIMITS.split("\n").slice(0, 3).join("\n")),
        "spec/x.md:5: a table without rows; add them",
      ],
      [
        "an unread column",
        rule(
          "a-rule",
          LIMITS.replaceAll("why |", "why | note |")
            .replace("| --- |\n", "| --- | --- |\n")
            .replace("*/ |", "*/ | x |"),
        ),
        'spec/x.md:5: a table with the columns "limit | value | unit | why | note"; write "limit | value | unit | why"',
      ],
      [
        "a column of another kind",
        rule("a-rule", EXAMPLES.replace("then sent", "sends")),
        'spec/x.md:5: a table with the columns "given held | sends | because"',
      ],
      [
        "examples without an outcome",
        rule("a-rule", EXAMPLES.replace("then sent", "when sent")),
        "spec/x.md:5: a table with the columns",
      ],
      [
        "a column twice",
        rule("a-rule", EXAMPLES.replace("given held", "then sent")),
        "spec/x.md:5: a table with the columns",
      ],
      [
        "a second example table",
        rule("a-rule", EXAMPLES + EXAMPLES),
        "spec/x.md:9: a second example table of a-rule; split the rule",
      ],
      [
        "a table outside any rule",
        `# Page\n${LIMITS}`,
        "spec/x.md:3: a table outside any rule; give it a ### rule",
      ],
      [
        "a table after the rule's section",
        `${rule("a-rule")}\n## More\n${LIMITS}`,
        "spec/x.md:8: a table outside any rule",
      ],
      [
        "a damaged delimiter row",
        rule("a-rule", LIMITS.replace("| --- | --: |", "| --- | -x: |")),
        "spec/x.md:5: a table that did not parse as one; repair",
      ],
      [
        "a delimiter row a column short",
        rule("a-rule", LIMITS.replace("| --- | --: |", "| --: |")),
        "spec/x.md:5: a table that did not parse as one",
      ],
      [
        "a missing delimiter row",
        rule("a-rule", EXAMPLES.replace("| --- | --- | --- |\n", "")),
        "spec/x.md:5: a table that did not parse as one",
      ],
      [
        "a delimiter row that is a heading's",
        rule("a-rule", EXAMPLES.replace("| --- | --- | --- |", "---")),
        "spec/x.md:5: a table that did not parse as one",
      ],
      [
        "a table in code",
        rule("a-rule", EXAMPLES.replaceAll("\n|", "\n    |")),
        "spec/x.md:5: a table that did not parse as one",
      ],
      [
        "a table in a comment",
        rule("a-rule", `\n<!--${EXAMPLES}-->`),
        "spec/x.md:6: a table that did not parse as one",
      ],
      [
        "a table in a quote",
        rule("a-rule", EXAMPLES.replaceAll("\n|", "\n> |")),
        "spec/x.md:5: a table that did not parse as one",
      ],
      [
        "a row torn off its table",
        rule("a-rule", `${EXAMPLES}\n| L1-8 | L1-8 | at the limit |`),
        "spec/x.md:9: a table that did not parse as one",
      ],
      [
        "a delimiter row without outer pipes",
        rule("a-rule", "\na table\n- | -"),
        "spec/x.md:6: a table that did not parse as one",
      ],
      [
        "a cell too many",
        rule("a-rule", EXAMPLES.replace("short |", "short | a |")),
        "spec/x.md:7: 4 cells under 3 columns; write a pipe as \\|",
      ],
      [
        "a cell too few",
        rule("a-rule", EXAMPLES.replace("| – | short |", "| – |")),
        "spec/x.md:7: 2 cells under 3 columns",
      ],
      [
        "prose that ran into the table",
        rule("a-rule", `${EXAMPLES}More text.`),
        "spec/x.md:8: 1 cells under 3 columns",
      ],
      [
        "an empty cell",
        rule("a-rule", EXAMPLES.replace("–", " ")),
        "spec/x.md:7: an empty cell; write –",
      ],
      [
        "an empty reason",
        rule("a-rule", EXAMPLES.replace("short", "")),
        "spec/x.md:7: an empty cell",
      ],
      [
        "an empty column name",
        rule("a-rule", EXAMPLES.replace("given held", " ")),
        "spec/x.md:5: an empty cell",
      ],
      [
        "formatting in a value",
        rule("a-rule", EXAMPLES.replace("–", "**bold**")),
        "spec/x.md:7: strong in a cell that is a value; write it as a code span",
      ],
      [
        "a limit that is no number",
        rule("a-rule", LIMITS.replace("12,000", "12k")),
        'spec/x.md:7: "12k" is no number; write digits',
      ],
      [
        "a limit with a misplaced comma",
        rule("a-rule", LIMITS.replace("12,000", "12,00")),
        'spec/x.md:7: "12,00" is no number',
      ],
      [
        "a name in small letters",
        rule("a-rule", LIMITS.replace("MAX_A", "maxA")),
        'spec/x.md:7: "maxA" is no name; write it as UPPER_CASE',
      ],
      [
        "a brace that is no placeholder",
        rule(
          "a-rule",
          "\n| wording | text | why |\n|-|-|-|\n| HI | `{a b}` | x |",
        ),
        "spec/x.md:7: a brace that is no {placeholder}",
      ],
      [
        "entries without a reason",
        rule("a-rule", ENTRIES.replace("| why |", "| note |")),
        'spec/x.md:5: a table with the columns "entry | names | told by | note"',
      ],
      [
        "an entry in small letters",
        rule("a-rule", ENTRIES.replace("AN_A", "an")),
        'spec/x.md:7: "an" is no name',
      ],
      [
        "an item of an entry twice",
        rule("a-rule", ENTRIES.replace("`a` `b`", "`a` `a`")),
        'spec/x.md:7: "a" is listed twice',
      ],
      [
        "an item that is no code",
        rule(
          "a-rule",
          "\n| list | items | why |\n|-|-|-|\n| L | `a`, `b` | x |",
        ),
        "spec/x.md:7: an item that is no code span",
      ],
      [
        "an item twice",
        rule(
          "a-rule",
          "\n| list | items | why |\n|-|-|-|\n| L | `a` `a` | x |",
        ),
        'spec/x.md:7: "a" is listed twice',
      ],
      [
        "a rule without prose",
        `### a-rule\n${EXAMPLES}`,
        "spec/x.md:1: a-rule has no prose; say what holds",
      ],
      [
        "a rule that is only deferred",
        "### a-rule\n\nDeferred: later.\n",
        "spec/x.md:1: a-rule has no prose",
      ],
      [
        "a deferral without a reason",
        rule("a-rule", "\nDeferred:"),
        "spec/x.md:5: a deferral without a reason",
      ],
      [
        "two deferrals",
        rule("a-rule", "\nDeferred: a.\n\nDeferred: b."),
        "spec/x.md:7: a-rule is deferred twice",
      ],
      [
        "a deferral of nothing",
        "Deferred: later.\n",
        "spec/x.md:1: a deferral outside any rule",
      ],
      [
        "a rule id of one word",
        rule("rule"),
        'spec/x.md:1: "rule" is no rule id',
      ],
      [
        "a rule id with capitals",
        rule("A-rule"),
        'spec/x.md:1: "A-rule" is no rule id',
      ],
      [
        "a heading below a rule",
        rule("a-rule", "\n#### More"),
        "spec/x.md:5: a heading below ###",
      ],
      [
        "a demand outside any rule",
        "# Page\n\nIt must hold.\n",
        "spec/x.md:3: a demand outside any rule; give it a ### rule",
      ],
    ];
  test.each(cases)("%s", (_, text, say) => {
    let refusal = "it was read";
    try {
      read(text);
    } catch (error) {
      refusal = (error as Error).message;
    }
    expect(refusal.slice(0, say.length)).toBe(say);
  });

  test.each([
    [
      "a rule id",
      rule("a-rule") + rule("a-rule"),
      "spec/x.md:5: a-rule is declared twice; see spec/x.md:1",
    ],
    [
      "a limit",
      rule("a-rule", LIMITS) + rule("b-rule", LIMITS),
      "spec/x.md:9: MAX_A is declared twice; see spec/x.md:1",
    ],
    [
      "a name for a limit and a list",
      rule("a-rule", LIMITS) +
        rule(
          "b-rule",
          "\n| list | items | why |\n|-|-|-|\n| MAX_A | `a` | x |",
        ),
      "spec/x.md:9: MAX_A is declared twice",
    ],
  ])("%s that is repeated", (_, text, say) => {
    expect(() => refuseRepeats(read(text))).toThrow(say);
  });
});

describe("what is generated", () => {
  test("documents each constant with its reason, unit and rule", async () => {
    const text = await emitConstants(
      read(
        rule("a-rule", LIMITS) +
          rule("b-rule", "\n| list | items | why |\n|-|-|-|\n| L | `a` | x |"),
      ),
    );
    expect(text).toContain(
      "  /** enough *\\/. Unit: chars. @spec a-rule */\n  MAX_A: 12000,\n",
    );
    expect(text).toContain(
      '  /** x. @spec b-rule */\n  L: ["a"] as readonly string[],\n',
    );
    expect(text).toContain('export type RuleId = "a-rule" | "b-rule";\n');
  });

  test("shows deferred rules with their reason", async () => {
    const rules = read(rule("a-rule", "\nDeferred: no client yet."));
    const text = await emitCoverage(rules, citations(new Map()));
    expect(text).toMatch(
      /\[a-rule\]\(x\.md#a-rule\) \| [0-9a-f]{6} \| no client yet\./,
    );
  });
});

describe("citations", () => {
  const cite = (texts: Readonly<Record<string, string>>) =>
    citations(new Map(Object.entries(texts)));

  test("stand on functions, consts, classes, methods, interfaces and members", () => {
    const { code, stray } = cite({
      "src/a/b.ts": `
        /** @spec r-f r-all */ export function f() {}
        /** Text. @spec r-c */ export const c = 1;
        /** @spec r-k */ export class K {
          /**
           * @spec r-m
           * r-all
           */
          m() {}
        }
        /** @spec r-i */ interface I {
          /** @spec r-p */
          p: string;
        }
      `,
    });
    expect(Object.fromEntries(code)).toEqual({
      "r-f": ["a/b.ts#f"],
      "r-all": ["a/b.ts#f", "a/b.ts#K.m"],
      "r-c": ["a/b.ts#c"],
      "r-k": ["a/b.ts#K"],
      "r-m": ["a/b.ts#K.m"],
      "r-i": ["a/b.ts#I"],
      "r-p": ["a/b.ts#I.p"],
    });
    expect(stray).toEqual([]);
  });

  test("in a comment that documents nothing are reported", () => {
    expect(cite({ "src/a.ts": "// @spec a-rule\nf();\n" }).stray).toEqual([
      "src/a.ts:1: this @spec tag is on nothing",
    ]);
  });

  test("are the calls of the helpers, with what they scan and move", () => {
    const { checks: found, stray } = cite({
      "test/a.test.ts": [
        `examples("r-e", ["a"], ["b"], run, ["MAX_B"]);`,
        `law("r-l", () => {});`,
        `describe("x", () => { for (const x of y) ruleTest("r-t", "n", f); });`,
        `loadBearing("r-b", "MAX_C", f);`,
        `invariant("s", { rule: "r-i", over: "src/**/*.ts" });`,
      ].join("\n"),
    });
    expect(
      found.map((c) => [c.rule, c.kind, c.line, c.over, ...c.moves]),
    ).toEqual([
      ["r-e", "examples", 1, "", "MAX_B"],
      ["r-l", "law", 2, ""],
      ["r-t", "ruleTest", 3, ""],
      ["r-b", "loadBearing", 4, "", "MAX_C"],
      ["r-i", "invariant", 5, "src/**/*.ts"],
    ]);
    expect(stray).toEqual([]);
  });

  test("that may never run, or name no rule literally, are reported", () => {
    const { checks: found, stray } = cite({
      "test/a.test.ts": [
        `if (slow) law("a-rule", f);`,
        `slow && law("a-rule", f);`,
        `law(id, f);`,
        `function later() { law("a-rule", f); }`,
        `const later = () => law("a-rule", f);`,
      ].join("\n"),
      "test/helper.ts": `law("a-rule", f);`,
    });
    expect(found).toEqual([]);
    expect(stray).toEqual([
      "test/a.test.ts:1: a check under a condition, or in a function, may never run",
      "test/a.test.ts:2: a check under a condition, or in a function, may never run",
      "test/a.test.ts:3: law names no rule; write it literally",
      "test/a.test.ts:4: a check under a condition, or in a function, may never run",
      "test/a.test.ts:5: a check under a condition, or in a function, may never run",
      "test/helper.ts:1: a check outside a .test.ts file never runs",
    ]);
  });
});

describe("spec against code and checks", () => {
  /** The complaints of one check about a page, one source file and one test file. */
  const complain = (
    sentence: string,
    page: string,
    src: string,
    tests: string,
  ): string[] => {
    const sources = new Map([
      ["src/a.ts", src],
      ["test/a.test.ts", tests],
    ]);
    const cited = citations(sources);
    return checks[sentence]!({ rules: read(page), cited, sources });
  };
  const CODE = "/** @spec a-rule */\nexport const f = MAX_A;\n";
  const CHECK = `examples("a-rule", ["a"], ["b"], f);\n`;
  const FULL = rule("a-rule", LIMITS + EXAMPLES);
  const LIST = rule(
    "a-rule",
    "\n| list | items | why |\n|-|-|-|\n| L_X | `a` | x |",
  );

  test.each(Object.keys(checks))("nothing to say: %s", (sentence) => {
    expect(complain(sentence, FULL, CODE, CHECK)).toEqual([]);
  });

  test.each([
    ["every rule has code", FULL, "", CHECK, "spec/x.md:1: a-rule has no code"],
    [
      "every rule has a check",
      FULL,
      CODE,
      "",
      "spec/x.md:1: a-rule has no check",
    ],
    [
      "a deferred rule has neither code nor check",
      rule("a-rule", "\nDeferred: later."),
      CODE,
      "",
      "spec/x.md:1: a-rule is deferred, yet a.ts#f cites it",
    ],
    [
      "a deferred rule has neither code nor check",
      rule("a-rule", "\nDeferred: later."),
      "",
      CHECK,
      "spec/x.md:1: a-rule is deferred, yet test/a.test.ts:1 cites it",
    ],
    [
      "every citation names a rule",
      FULL,
      CODE.replace("a-rule", "b-rule"),
      CHECK,
      'a.ts#f: "b-rule" is no rule',
    ],
    [
      "every citation names a rule",
      FULL,
      CODE,
      CHECK.replace("a-rule", "b-rule"),
      'test/a.test.ts:1: "b-rule" is no rule',
    ],
    [
      "every tag and every check counts",
      FULL,
      "// @spec a-rule",
      "",
      "src/a.ts:1: this @spec tag is on nothing",
    ],
    [
      "every example table has a reader",
      FULL,
      CODE,
      `law("a-rule", f);`,
      "spec/x.md:1: a-rule has a table that no test reads",
    ],
    [
      "some check stands on every limit",
      FULL,
      CODE,
      `law("a-rule", f);`,
      "spec/x.md:1: a-rule: no check stands on MAX_A",
    ],
    [
      "every limit, wording, list and entry is read",
      FULL,
      "",
      `${CHECK}MAX_A`,
      "spec/x.md:1: a-rule: no code reads MAX_A",
    ],
    [
      "every limit, wording, list and entry is read",
      LIST,
      "",
      "",
      "spec/x.md:1: a-rule: nothing reads L_X",
    ],
    [
      "every limit, wording, list and entry is read",
      rule("a-rule", ENTRIES),
      "",
      "",
      "spec/x.md:1: a-rule: no code reads the column names",
    ],
    [
      "a rule has at most one invariant",
      FULL,
      "",
      `invariant("a", { rule: "a-rule", over: "src/*.ts" });\n`.repeat(2),
      "test/a.test.ts:2: a second invariant of a-rule",
    ],
    [
      "every exemption is one of an invariant",
      FULL,
      "f(); // exempt a-rule: x",
      "",
      "src/a.ts:1: no invariant of a-rule scans this file",
    ],
    [
      "every exemption is one of an invariant",
      FULL,
      "f(); // exempt a-rule: x",
      `invariant("a", { rule: "a-rule", over: "src/b/*.ts" });`,
      "src/a.ts:1: no invariant of a-rule scans this file",
    ],
    [
      "every exemption is one of an invariant",
      FULL,
      "f(); // exempt a-rule",
      `invariant("a", { rule: "a-rule", over: "src/*.ts" });`,
      "src/a.ts:1: no exemption",
    ],
  ])("%s (%#)", (sentence, page, src, tests, say) => {
    const [first = "nothing", ...more] = complain(sentence, page, src, tests);
    expect(first.slice(0, say.length)).toBe(say);
    expect(more).toEqual([]);
  });

  test("an exemption stands in a comment, with a reason", () => {
    const parse = (text: string) =>
      exemptions(
        ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true),
      );
    expect(
      parse(
        'f(); // exempt a-rule: it is small\nconst t = "// exempt a-rule: x";\nconst u = `\n// exempt a-rule: x`;\nf(); // exempt\n',
      ),
    ).toEqual([
      { line: 1, rule: "a-rule" },
      { line: 5, rule: "" },
    ]);
  });
});

describe("an invariant", () => {
  const RULE = "no-module-state";
  const of = (text: string) =>
    complaints(
      new TsMorph({ useInMemoryFileSystem: true }).createSourceFile(
        "/src/a.ts",
        text,
      ),
      RULE,
      (file) =>
        file
          .getDescendantsOfKind(SyntaxKind.DebuggerStatement)
          .map((node) => ({ node, say: "no debugger" })),
    );

  test("says where it is broken", () => {
    expect(of("f();\ndebugger;\n")).toEqual(["/src/a.ts:2: no debugger"]);
  });

  test("excuses the line of an exemption, and no other", () => {
    expect(of(`debugger; // exempt ${RULE}: a reason\n`)).toEqual([]);
    expect(of(`debugger; // exempt ${RULE}: a reason\ndebugger;\n`)).toEqual([
      "/src/a.ts:2: no debugger",
    ]);
    expect(of("debugger; // exempt other-rule: a reason\n")).toEqual([
      "/src/a.ts:1: no debugger",
    ]);
    expect(of(`debugger; // exempt ${RULE}\n`)).toEqual([
      "/src/a.ts:1: no debugger",
    ]);
  });

  test("refuses an exemption that excuses nothing", () => {
    expect(of(`f(); // exempt ${RULE}: a reason\n`)).toEqual([
      "/src/a.ts:1: this exemption excuses nothing; delete it",
    ]);
  });

  test("over no file fails", () => {
    expect(() => parsed("nowhere/**/*.ts")).toThrow(
      "nowhere/**/*.ts matches no file",
    );
  });
});

describe("a limit", () => {
  const rows = [
    { line: 1, cells: { "given n": "7", "then long": "no", because: "short" } },
    {
      line: 2,
      cells: { "given n": "8", "then long": "yes", because: "at it" },
    },
  ];
  const run =
    (limits: { readonly MIN: number }) =>
    (row: { readonly "given n": string }) => ({
      "then long": Number(row["given n"]) >= limits.MIN ? "yes" : "no",
    });

  test("on which rows stand breaks one when it moves, either way", async () => {
    const at = (MIN: number) => allHold(rows, ["then long"], run({ MIN }));
    expect([await at(7), await at(8), await at(9)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("without the boundary row is not held", async () => {
    expect(
      await allHold(rows.slice(0, 1), ["then long"], run({ MIN: 9 })),
    ).toBe(true);
  });

  test("that makes the code throw breaks the row", async () => {
    const boom = (): never => {
      throw new RangeError("negative");
    };
    expect(await allHold(rows, ["then long"], boom)).toBe(false);
  });

  test("moves by one in its last written digit", () => {
    const all = { A: 8, B: 0.3, C: 1.25, D: 0 };
    expect(move(all, "A", 1)).toEqual({ ...all, A: 9 });
    expect(move(all, "B", -1)).toEqual({ ...all, B: 0.2 });
    expect(move(all, "C", 1)).toEqual({ ...all, C: 1.26 });
    expect(move(all, "D", -1)).toEqual({ ...all, D: -1 });
    expect(() => move(all, "E", 1)).toThrow("no limit E");
  });
});

describe("a law", () => {
  const outcome = (body: () => void | Promise<void>): Promise<string> =>
    tried(body).then(
      () => "passes",
      (error: unknown) => (error as Error).message,
    );

  test("that tries nothing fails", async () => {
    const empty = await outcome(() => {});
    const unrun = await outcome(() => {
      fc.property(fc.nat(), () => true);
    });
    expect([empty, unrun]).toEqual(
      Array(2).fill("the law tried nothing; assert a property in its body"),
    );
  });

  test("that runs a property or asserts passes", async () => {
    const property = await outcome(() =>
      fc.assert(fc.property(fc.nat(), (n) => n >= 0)),
    );
    const later = await outcome(() =>
      fc.assert(fc.asyncProperty(fc.nat(), async (n) => n >= 0)),
    );
    const plain = await outcome(() => expect(1).toBe(1));
    expect([property, later, plain]).toEqual(["passes", "passes", "passes"]);
  });

  test("that is wrong fails with its counterexample, the same in every run", async () => {
    const wrong = () =>
      outcome(() => fc.assert(fc.property(fc.nat(), (n) => n < 1000)));
    const first = await wrong();
    expect(first).toContain("Counterexample: [1000]");
    expect(await wrong()).toBe(first);
  });
});

describe("goldens", () => {
  const dir = mkdtempSync(join(tmpdir(), "goldens-"));
  afterAll(() => rmSync(dir, { recursive: true }));
  const home = { dir, ci: false };
  const ci = { dir, ci: true };
  mkdirSync(join(dir, "a"));
  writeFileSync(join(dir, "a/same.md"), "one\ntwo\n");
  writeFileSync(join(dir, "a/other.md"), "one\ntwo\n");

  test("of the same bytes do not differ", () => {
    expect(differs("a/same", "one\ntwo\n", home)).toBeUndefined();
    expect(goldenNames(home)).toEqual(["a/other", "a/same"]);
  });

  test("differ by a line ending, and show it", () => {
    expect(differs("a/same", "one\r\ntwo\n", ci)).toContain("+one␍");
  });

  test("that are missing differ even from nothing", () => {
    expect(differs("a/none", "", ci)).toContain("pnpm golden a/none");
  });

  test("are written by nobody in CI", () => {
    differs("a/other", "three\n", ci);
    expect(goldenNames({ ...home, dir: join(dir, ".actual") })).toEqual([]);
    expect(() => accept(["a/other"], ci)).toThrow("CI accepts no golden");
  });

  test("are accepted by name, after a run that differed, all or none", () => {
    expect(() => accept([], home)).toThrow("name the goldens");
    const patch = differs("a/other", "one\nthree\n", home);
    expect(patch).toContain("-two\n+three\n");
    expect(() => accept(["a/other", "a/same"], home)).toThrow(
      "a/same has no new bytes",
    );
    expect(readFileSync(join(dir, "a/other.md"), "utf8")).toBe("one\ntwo\n");
    accept(["a/other"], home);
    expect(readFileSync(join(dir, "a/other.md"), "utf8")).toBe("one\nthree\n");
    expect(() => accept(["a/other"], home)).toThrow("no new bytes");
  });

  test("that are right again leave no bytes to accept", () => {
    differs("a/other", "four\n", home);
    differs("a/other", "one\nthree\n", home);
    expect(() => accept(["a/other"], home)).toThrow("no new bytes");
  });

  test("have names that stay in their folder", () => {
    for (const name of ["../x", "/x", "a/../../x", "A b", ".actual/a"])
      expect(() => differs(name, "", home)).toThrow(RangeError);
  });
});
