/** What each language's entry gives, on fixtures and on lines of source. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect } from "vitest";
import { budget } from "../src/index/parse/budget.ts";
import { grammarsOnDisk, PARSER_WASM } from "../src/index/parse/grammars.ts";
import { withoutAnalysis } from "../src/index/parse/module.ts";
import { detectLanguage, languages } from "../src/languages/index.ts";
import type { Extracted } from "../src/index/parse.ts";
import {
  EXTRACTOR_VERSION,
  REFERENCE_KINDS,
  SYMBOL_KINDS,
  type Extraction,
  type Reference,
  type ReferenceKind,
} from "../src/model/extraction.ts";
import { lineStarts } from "../src/model/lines.ts";
import { printSpans } from "../src/model/span.ts";
import { limits } from "../src/spec.gen.ts";
import {
  extracted,
  extractedFile,
  extractor as shared,
  lettersOut,
  orNone,
  pathOf,
  printExtraction,
  printReference,
  sourceOf,
} from "./extractions.ts";
import { examples, law, ruleTest } from "./from-spec.ts";

const FIXTURES = "test/fixtures/languages";
/** What the parser finds in the fixtures, by path. */
const found = new Map<string, Promise<Extracted>>();
function fixture(path: string): Promise<Extracted> {
  let extraction = found.get(path);
  if (!extraction)
    found.set(
      path,
      (extraction = extractedFile(path, readFileSync(path, "utf8"))),
    );
  return extraction;
}

examples(
  "language-detection",
  ["given path", "given text"],
  ["then language"],
  (row) => ({
    "then language":
      detectLanguage(row["given path"], sourceOf(row["given text"]))?.id ?? "–",
  }),
);

examples(
  "language-fixtures",
  ["given fixture"],
  ["then symbols", "then calls", "then imports", "then other uses"],
  async (row) => {
    const path = `${FIXTURES}/${row["given fixture"]}`;
    const found = await fixture(path);
    expect(printExtraction(found)).toBe(readFileSync(`${path}.txt`, "utf8"));
    const count = (kinds: readonly ReferenceKind[]): string =>
      `${found.references.filter((r) => kinds.includes(r.kind)).length}`;
    return {
      "then symbols": `${found.symbols.length}`,
      "then calls": count(["call"]),
      "then imports": count(["import"]),
      "then other uses": count(["extends", "type", "instantiate"]),
    };
  },
);

examples(
  "extractor-version",
  ["given version"],
  ["then digest of the fixtures' extractions"],
  async (row) => {
    const { SIGNATURE_CHARS, DOC_CHARS, PARSE_STEPS, QUERY_STEPS } = limits;
    const sum = createHash("sha1").update(
      `${[SIGNATURE_CHARS, DOC_CHARS, PARSE_STEPS, QUERY_STEPS]}`,
    );
    sum.update(`${SYMBOL_KINDS} ${REFERENCE_KINDS}`);
    const paths = globSync(`${FIXTURES}/*/*`)
      .filter((path) => !path.endsWith(".txt"))
      .sort();
    for (const path of paths) sum.update(JSON.stringify(await fixture(path)));
    return {
      "then digest of the fixtures' extractions":
        Number(row["given version"]) === EXTRACTOR_VERSION
          ? sum.digest("hex").slice(0, 12)
          : "of another version",
    };
  },
);

ruleTest(
  "language-fixtures",
  "every language has one, and every fixture a language",
  () => {
    const folders = globSync(`${FIXTURES}/*`).map((path) =>
      path.replaceAll("\\", "/").slice(FIXTURES.length + 1),
    );
    expect(folders.sort()).toEqual(languages.map((l) => l.id).sort());
  },
);

ruleTest(
  "language-detection",
  "no two languages claim the same ending, name or program",
  () => {
    for (const claims of [
      languages.flatMap((l) => l.endings),
      languages.flatMap((l) => l.names ?? []),
      languages.flatMap((l) => l.interpreters ?? []),
    ])
      expect(claims).toEqual([...new Set(claims)]);
  },
);

/** What holds of any extraction. Plain comparisons: there are a million of them. */
function wellFormed({ symbols, references }: Extraction, lines: number): void {
  const holds = (what: boolean, of: unknown): void => {
    if (!what) expect.fail(`malformed: ${JSON.stringify(of)}`);
  };
  let line = 1;
  symbols.forEach((s, i) => {
    const [first, last] = s.span;
    const [head, headEnd] = s.signatureSpan;
    holds(s.container < i, s);
    holds(s.name !== "", s);
    holds(line <= first && first <= last && last <= lines, s);
    holds(first <= head && head <= headEnd && headEnd <= last, s);
    holds(s.docSpan === undefined || s.docSpan[1] < head, s);
    line = first;
    if (s.container < 0) return;
    const around = symbols[s.container]!.span;
    holds(around[0] <= first && last <= around[1], s);
  });
  line = 1;
  for (const r of references) {
    holds(r.kind === "import" || /^\S+$/.test(r.name), r);
    holds(line <= r.line && r.line <= lines, r);
    holds(r.within < symbols.length, r);
    line = r.line;
    if (r.within < 0) continue;
    const around = symbols[r.within]!.span;
    holds(around[0] <= r.line && r.line <= around[1], r);
  }
}

const fixtures = globSync(`${FIXTURES}/*/sample*`)
  .filter((path) => !path.endsWith(".txt"))
  .map((path) => [path, readFileSync(path, "utf8")] as const);

law(
  "extraction-is-well-formed",
  "of fixtures with parts cut out, moved and doubled",
  async () => {
    const extractor = await shared;
    for (const language of languages) await extractor.prepare(language);
    const pieces = fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat(),
        fc.constantFrom("", "\r", "\n", "{", ")", '"', "/*", "\u{1F600}"),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...fixtures),
        pieces,
        ([path, text], cuts) => {
          let source = text;
          for (const [a, b, put] of cuts) {
            const at = a % (source.length + 1);
            source = source.slice(0, at) + put + source.slice(at + (b % 60));
          }
          const found = extractor.extract(
            detectLanguage(path, source)!,
            source,
          );
          wellFormed(found, lineStarts(source).length);
        },
      ),
      { numRuns: 400 },
    );
  },
);

async function namesAndErrors(
  row: Readonly<Record<"given language" | "given source", string>>,
): Promise<{ "then symbols": string; "then error line": string }> {
  const { symbols, errorLine } = await extracted(
    row["given language"],
    sourceOf(row["given source"]),
  );
  return {
    "then symbols": orNone(
      symbols.map((s) => `${s.name} ${printSpans([s.span])}`),
    ),
    "then error line": `${errorLine}`,
  };
}

examples(
  "error-recovery",
  ["given language", "given source"],
  ["then symbols", "then error line"],
  namesAndErrors,
);

examples(
  "blanked-macros",
  ["given language", "given source"],
  ["then symbols", "then error line"],
  namesAndErrors,
);

examples(
  "extraction-limits",
  ["given parse steps", "given query steps"],
  ["then it"],
  (row, { PARSE_STEPS, QUERY_STEPS }) => {
    const over = (limit: number, steps: string): boolean => {
      const ask = budget(limit);
      for (let left = Number(steps.replaceAll(",", "")); left > 0; left--)
        ask();
      return ask.over;
    };
    return {
      "then it":
        over(PARSE_STEPS, row["given parse steps"]) ||
        over(QUERY_STEPS, row["given query steps"])
          ? "gives up"
          : "goes on",
    };
  },
);

ruleTest(
  "extraction-limits",
  "a text over a limit is given up, and the next is read",
  async () => {
    const long = "f(1);\n".repeat(500);
    for (const name of ["PARSE_STEPS", "QUERY_STEPS"] as const) {
      expect(
        await extracted("javascript", long, { ...limits, [name]: 3 }),
      ).toEqual({
        symbols: [],
        references: [],
        errorLine: 0,
        problem: "work",
      });
      expect(
        (await extracted("javascript", "function f() {}")).symbols,
      ).toHaveLength(1);
    }
  },
);

ruleTest(
  "queries-without-analysis",
  "the known module is cut short, another is left alone",
  async () => {
    const module = await grammarsOnDisk()(PARSER_WASM);
    const cut = withoutAnalysis(module);
    expect(Buffer.compare(cut, module)).not.toBe(0);
    expect(Buffer.compare(withoutAnalysis(cut), cut)).toBe(0);
  },
);

ruleTest(
  "queries-without-analysis",
  "no entry has a pattern that can never match",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "test/impossible.ts",
    ]);
    expect(stdout).toBe("");
  },
  // The analysis takes seconds of an idle core.
  60_000,
);

ruleTest(
  "extraction-limits",
  "nesting of any depth ends, and what stands beside it is read",
  async () => {
    const deep = 40_000;
    const nests: readonly [string, string][] = [
      [
        "c",
        `void deep(void){${"{".repeat(deep)}${"}".repeat(deep)}}\nint after(void) { return 1; }\n`,
      ],
      [
        "javascript",
        `const v = ${"(".repeat(deep)}1${")".repeat(deep)};\nfunction after() {}\n`,
      ],
      [
        "python",
        `x = ${"[".repeat(deep)}${"]".repeat(deep)}\ndef after(): pass\n`,
      ],
      [
        "swift",
        `func deep() {${"{".repeat(deep)}${"}".repeat(deep)}}\nfunc after() {}\n`,
      ],
      [
        "typescript",
        `${"namespace a {".repeat(2000)}${"}".repeat(2000)}\nfunction after() {}\n`,
      ],
    ];
    for (const [id, source] of nests) {
      const found = await extracted(id, source);
      expect(found.problem).toBeUndefined();
      expect(found.symbols.at(-1)?.name).toBe("after");
    }
  },
);

ruleTest(
  "extraction-limits",
  "a tree deeper than a query can walk is given up",
  async () => {
    const deep = 66_000;
    const found = await extracted(
      "c",
      `void f(void){${"{".repeat(deep)}${"}".repeat(deep)}}\n`,
    );
    expect(found.problem).toBe("work");
  },
);

async function symbolsWithPaths(
  row: Readonly<Record<"given language" | "given source", string>>,
): Promise<{ "then symbols": string }> {
  const { symbols } = await extracted(
    row["given language"],
    sourceOf(row["given source"]),
  );
  const paths = symbols.map((s) => `${s.kind} ${pathOf(symbols, s)}`);
  return { "then symbols": orNone(paths, "; ") };
}

examples(
  "nesting-containers",
  ["given language", "given source"],
  ["then symbols"],
  symbolsWithPaths,
);
examples(
  "local-variables",
  ["given language", "given source"],
  ["then symbols"],
  symbolsWithPaths,
);

examples(
  "exported-symbols",
  ["given language", "given source"],
  ["then exported"],
  async (row) => {
    const { symbols } = await extracted(
      row["given language"],
      sourceOf(row["given source"]),
    );
    return {
      "then exported": orNone(
        symbols.filter((s) => s.exported).map((s) => s.name),
      ),
    };
  },
);

examples(
  "signature-text",
  ["given language", "given source"],
  ["then signature", "then lines"],
  async (row, moved) => {
    const { symbols } = await extracted(
      row["given language"],
      sourceOf(row["given source"]),
      moved,
    );
    const symbol = symbols.find((s) => s.kind === "method") ?? symbols[0]!;
    return {
      "then signature": lettersOut(symbol.signature),
      "then lines": printSpans([symbol.signatureSpan]),
    };
  },
);

examples(
  "doc-comments",
  ["given language", "given source"],
  ["then doc", "then lines"],
  async (row, moved) => {
    const { symbols } = await extracted(
      row["given language"],
      sourceOf(row["given source"]),
      moved,
    );
    const { doc, docSpan } = symbols.at(-1)!;
    return {
      "then doc": lettersOut(doc) || "–",
      "then lines": printSpans(docSpan ? [docSpan] : []),
    };
  },
);

const ofKind = (
  references: readonly Reference[],
  kind: ReferenceKind,
): string[] => references.filter((r) => r.kind === kind).map(printReference);

examples(
  "plain-qualifiers",
  ["given language", "given source"],
  ["then calls"],
  async (row) => {
    const { references } = await extracted(
      row["given language"],
      sourceOf(row["given source"]),
    );
    return { "then calls": orNone(ofKind(references, "call")) };
  },
);

examples(
  "import-clauses",
  ["given language", "given source"],
  ["then imports"],
  async (row) => {
    const { references } = await extracted(
      row["given language"],
      sourceOf(row["given source"]),
    );
    return { "then imports": orNone(ofKind(references, "import"), "; ") };
  },
);

examples(
  "claimed-names",
  ["given language", "given source"],
  ["then uses"],
  async (row) => {
    const { references } = await extracted(
      row["given language"],
      sourceOf(row["given source"]),
    );
    return {
      "then uses": orNone(
        references.map(
          ({ kind, name, qualifier }) =>
            `${kind} ${name}${qualifier && ` of ${qualifier}`}`,
        ),
        "; ",
      ),
    };
  },
);

examples(
  "script-blocks",
  ["given file", "given text"],
  ["then symbols", "then calls"],
  async (row) => {
    const { symbols, references } = await extractedFile(
      row["given file"],
      sourceOf(row["given text"]),
    );
    return {
      "then symbols": orNone(
        symbols.map((s) => `${s.kind} ${s.name} ${printSpans([s.span])}`),
        "; ",
      ),
      "then calls": orNone(ofKind(references, "call")),
    };
  },
);

examples(
  "outline-facts",
  ["given language", "given source"],
  ["then symbols"],
  async (row) => {
    const { symbols } = await extracted(
      row["given language"],
      sourceOf(row["given source"]),
    );
    return {
      "then symbols": orNone(
        symbols.map(
          (s) =>
            `${s.kind} ${s.owner && `${s.owner}::`}${s.name} ${printSpans([s.span])}`,
        ),
        "; ",
      ),
    };
  },
);
