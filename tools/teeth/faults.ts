/**
 * Ten faults that the gate has to catch, as edits of the sources. Each names the
 * rule whose checks are run, and what the failure has to say: red for another
 * reason proves nothing.
 */
import { limits, type RuleId } from "../../src/spec.gen.ts";

export interface Edit {
  readonly path: string;
  /** Has to match exactly once. */
  readonly find: RegExp;
  /** As in String.replace. */
  readonly put: string;
}
/** One way to commit a fault. */
export interface Variant {
  readonly edits: readonly Edit[];
  /** The rule whose test files are run, beside those that hold the spec together. */
  readonly rule: RuleId;
  /** Test files to run besides. */
  readonly files?: readonly string[];
  readonly red: RegExp;
  /** Accept what differs once the run was red; the next run has to be red as well. */
  readonly acceptGoldens?: RegExp;
}
export interface Fault {
  readonly name: string;
  readonly variants: readonly Variant[];
}

const GENERATED_STALE = /src\/spec\.gen\.ts is stale/;
const COVERAGE_STALE = /spec\/COVERAGE\.md is stale/;
const SPANS_LAW =
  /law\("spans-are-joined", "no line is added or lost, and none stands twice", \(\) =>/;

export const faults: readonly Fault[] = [
  {
    name: "off by one at a limit in code",
    variants: [
      {
        edits: [
          {
            path: "src/index/passages.ts",
            find: /held >= limits\.PASSAGE_MAX_LINES/,
            put: "held > limits.PASSAGE_MAX_LINES",
          },
        ],
        rule: "passages-follow-definitions",
        red: /FAIL.*spec\/text\.md:\d+ /,
      },
      {
        edits: [
          {
            path: "src/model/terms.ts",
            find: /identifier\.length > limits\.MAX_TERM_CHARS/,
            put: "identifier.length >= limits.MAX_TERM_CHARS",
          },
        ],
        rule: "terms-identifier-parts",
        red: /FAIL.*spec\/text\.md:\d+ exactly the limit/,
      },
    ],
  },
  {
    name: "spec value changed and not regenerated",
    variants: [
      {
        edits: [
          {
            path: "spec/text.md",
            find: /(\| `MAX_TERM_CHARS` *\| *)\d+/,
            put: `$1${limits.MAX_TERM_CHARS + 1}`,
          },
        ],
        rule: "terms-identifier-parts",
        red: GENERATED_STALE,
      },
    ],
  },
  {
    name: "generated file edited",
    variants: [
      {
        edits: [
          {
            path: "src/spec.gen.ts",
            find: /\bMAX_TERM_CHARS: \d+/,
            put: `MAX_TERM_CHARS: ${limits.MAX_TERM_CHARS + 1}`,
          },
        ],
        rule: "terms-identifier-parts",
        red: GENERATED_STALE,
      },
      {
        edits: [
          {
            path: "spec/COVERAGE.md",
            find: /^\| \[spans-are-joined\].*\n/m,
            put: "",
          },
        ],
        rule: "spans-are-joined",
        red: COVERAGE_STALE,
      },
    ],
  },
  {
    name: "boundary row deleted",
    variants: [
      {
        edits: [
          {
            path: "spec/text.md",
            find: /^\|.*\| exactly the limit *\|\n/m,
            put: "",
          },
        ],
        rule: "terms-identifier-parts",
        red: /no row of spec\/text\.md:\d+ stands on MAX_TERM_CHARS/,
      },
    ],
  },
  {
    name: "table delimiter damaged",
    variants: [
      {
        edits: [
          {
            path: "spec/span.md",
            find: /(\| given spans *\| then joined .*\n\| )-/,
            put: "$1=",
          },
        ],
        rule: "spans-are-joined",
        red: /spec\/span\.md:\d+: a table that did not parse as one/,
      },
      {
        edits: [
          {
            path: "spec/span.md",
            find: /(\| given spans *\| then joined .*\n)\|.*\n/,
            put: "$1",
          },
        ],
        rule: "spans-are-joined",
        red: /spec\/span\.md:\d+: a table that did not parse as one/,
      },
    ],
  },
  {
    name: "law skipped",
    variants: [
      {
        edits: [
          {
            path: "test/span.test.ts",
            find: SPANS_LAW,
            put: "export const skipped = (() => () =>",
          },
          {
            path: "test/span.test.ts",
            find: /(first\)\.toBeGreaterThan\(result\[i - 1\]!\[1\] \+ 1\);\n {4}\}\),\n {2}\),\n)\);/,
            put: "$1",
          },
        ],
        rule: "spans-are-joined",
        red: COVERAGE_STALE,
      },
      {
        edits: [
          { path: "test/span.test.ts", find: SPANS_LAW, put: "$& () =>" },
        ],
        rule: "spans-are-joined",
        red: /the law tried nothing/,
      },
      {
        edits: [
          {
            path: "test/span.test.ts",
            find: SPANS_LAW,
            put: "if (process.env.SLOW) $&",
          },
        ],
        rule: "spans-are-joined",
        red: /a check under a condition, or in a function, may never run/,
      },
      {
        edits: [
          {
            path: "test/from-spec.ts",
            find: /test\(`law \$\{id\}/,
            put: "test.skip(`law ${id}",
          },
        ],
        rule: "spans-are-joined",
        red: /test\/from-spec\.ts:\d+: test\.skip: run it/,
      },
    ],
  },
  {
    name: "column renamed",
    variants: [
      {
        edits: [
          { path: "spec/span.md", find: /then joined/, put: "then merged" },
        ],
        rule: "spans-are-joined",
        red: /FAIL.*its table has the columns that are read/,
      },
    ],
  },
  {
    name: "rule prose reworded",
    variants: [
      {
        edits: [
          {
            path: "spec/span.md",
            find: /spans apart by a line or more stay apart/,
            put: "spans apart by a few lines stay apart",
          },
        ],
        rule: "spans-are-joined",
        red: COVERAGE_STALE,
      },
    ],
  },
  {
    name: "threshold literal typed into src",
    variants: [
      {
        edits: [
          {
            path: "src/index/passages.ts",
            find: /held >= limits\.PASSAGE_MAX_LINES/,
            put: `held >= ${limits.PASSAGE_MAX_LINES}`,
          },
        ],
        rule: "spec-values-are-imported",
        red: /src\/index\/passages\.ts:\d+: \d+ is .*PASSAGE_MAX_LINES.* of the spec/,
      },
      {
        edits: [
          {
            path: "src/index/passages.ts",
            find: /const out: Span\[\] = \[\];/,
            put: "$&\nconst MOST_LINES = 123_456;\nif (lines > MOST_LINES) return out;",
          },
        ],
        rule: "spec-values-are-imported",
        red: /MOST_LINES is a bound that the spec does not know/,
      },
    ],
  },
  {
    name: "renderer drops source and its golden is accepted",
    variants: [
      {
        edits: [
          {
            path: "src/render/section.ts",
            find: /for \(let n = first; n <= last; n\+\+\)/,
            put: "for (let n = first; n < last; n++)",
          },
        ],
        rule: "answer-verbatim",
        files: ["test/goldens.test.ts"],
        red: /pnpm golden \S+/,
        acceptGoldens: /FAIL.*spec\/\w+\.md:\d+ /,
      },
    ],
  },
];
