/** Answers of a session: real files, a real index, the handler's own record. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { differs } from "../tools/golden/golden.ts";
import { splitLines } from "../src/model/lines.ts";
import type { Span } from "../src/model/span.ts";
import { readQuery } from "../src/rank/query.ts";
import { historyOf } from "../src/serve/history.ts";
import { SessionRecord } from "../src/session/record.ts";
import { limits } from "../src/spec.gen.ts";
import { examples, law, ruleTest } from "./from-spec.ts";
import { projects, type TestProject } from "./project.ts";
import { readAnswer } from "./reading.ts";
import { pythonFunction } from "./scratch.ts";

const project = projects();

/** One context of a connection, as the handler keeps it. */
class Context {
  readonly record = new SessionRecord();
  private readonly project: TestProject;
  private readonly name: string;
  now = 0;

  constructor(project: TestProject, name = "") {
    this.project = project;
    this.name = name;
  }

  ask(query: string, dedup?: string, maxChars?: number) {
    const { root } = this.project;
    const answer = this.project.ask(query, {
      session: this.record.view(this.name, root, this.now),
      dedup,
      ...(maxChars !== undefined && { maxChars }),
    });
    // What crosses a thread is a copy.
    this.record.record(
      this.name,
      root,
      structuredClone(answer.emission),
      this.now,
    );
    return answer;
  }
}

const pointersIn = (text: string): number =>
  (text.match(/^> \*\*Already sent earlier in this conversation:\*\*/gm) ?? [])
    .length;
const linesIn = (text: string): number =>
  readAnswer(text).sections.reduce((sum, s) => sum + s.lines.length, 0);
const list = (cell: string): string[] =>
  cell === "–" ? [] : cell.split(" / ");
const fileOf = (root: string, name: string) => join(root, "ledger", name);

examples(
  "dedup-answers",
  [
    "golden",
    "given asked before",
    "given room before",
    "given edited since",
    "given switch",
    "when asked",
  ],
  ["then source lines", "then pointers"],
  async (row) => {
    const p = await project.fixture("session-ledger");
    const context = new Context(p);
    const room = list(row["given room before"]).map(Number)[0];
    for (const query of list(row["given asked before"]))
      context.ask(query, undefined, room);
    for (const name of list(row["given edited since"]))
      appendFileSync(fileOf(p.root, name), "AFTER = 1\n");
    const [value] = list(row["given switch"]);
    const untracked = p.ask(row["when asked"]).text;
    const { text } = context.ask(row["when asked"], value);
    if (row["given asked before"] === "–" || value !== undefined)
      expect(text).toBe(untracked);
    const patch = differs(row.golden, text);
    if (patch) expect.fail(patch);
    return {
      "then source lines": String(linesIn(text)),
      "then pointers": String(pointersIn(text)),
    };
  },
);

ruleTest(
  "dedup-first-call",
  "each context and each project begins anew",
  async () => {
    const [one, other] = [
      await project.fixture("session-ledger"),
      await project.fixture("session-ledger"),
    ];
    const record = new SessionRecord();
    const ask = (p: TestProject, context: string, query: string) => {
      const answer = p.ask(query, { session: record.view(context, p.root, 0) });
      record.record(context, p.root, answer.emission, 0);
      return answer.text;
    };
    const first = one.ask("core.py").text;
    expect(ask(one, "", "core.py")).toBe(first);
    expect(ask(other, "", "core.py")).toBe(first);
    expect(ask(one, "S1:agent", "core.py")).toBe(first);
    expect(pointersIn(ask(one, "", "where are entries saved"))).toBe(1);
    expect(pointersIn(ask(other, "S1", "where are entries saved"))).toBe(0);
  },
);

ruleTest(
  "session-keeps-what-it-points-at",
  "a file that is pointed at does not age out of the view",
  async () => {
    const p = await project.fixture("session-ledger");
    const context = new Context(p);
    context.ask("core.py");
    for (let i = 0; i < limits.MAX_CALLS_IN_VIEW + 2; i++)
      expect(
        pointersIn(
          context.ask(`where are entries ${"abcdefgh"[i]}${i}saved`).text,
        ),
      ).toBe(1);
    const forgetful = new Context(p);
    forgetful.ask("core.py");
    for (let i = 0; i < limits.MAX_CALLS_IN_VIEW; i++)
      forgetful.ask("nothing_like_this_at_all");
    expect(pointersIn(forgetful.ask("core.py and where entries go").text)).toBe(
      0,
    );
  },
);

ruleTest(
  "emission-is-exact",
  "long lines, other encodings and what did not fit are not held",
  async () => {
    const long = "x".repeat(limits.MAX_LINE_CHARS + 1);
    const p = await project.of({
      "long.py": [
        "def long_one():",
        ...Array.from({ length: 12 }, (_, i) => `    a${i} = ${i}`),
        `    data = "${long}"`,
        "    return data",
        "",
      ].join("\n"),
      "old.py": Buffer.from(
        [
          "# caf\u00e9",
          "def legacy_one():",
          ...Array.from({ length: 12 }, (_, i) => `    b${i} = ${i}`),
          "",
        ].join("\n"),
        "latin1",
      ),
    });
    const { emission, text } = p.ask("long_one legacy_one");
    expect(text).toContain("def legacy_one");
    expect(emission.files.map(({ path, spans }) => ({ path, spans }))).toEqual([
      {
        path: "long.py",
        spans: [
          [1, 13],
          [15, 15],
        ],
      },
    ]);
    const small = p.ask("long_one", { maxChars: 1000 });
    for (const { path, spans } of small.emission.files)
      expect(
        spans.flatMap(lines).filter((n) => !shownIn(small.text, path).has(n)),
      ).toEqual([]);
  },
);

const lines = ([first, last]: Span): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
const shownIn = (text: string, path: string): Set<number> =>
  new Set(
    readAnswer(text)
      .sections.filter((s) => s.path === path)
      .flatMap((s) => s.lines.map((l) => l.n)),
  );

/** Words and names of the generated project, as questions mix them. */
const WORDS = ["alpha", "beta", "gamma", "delta"];

law(
  "dedup-never-withholds",
  "over random sessions of real files, edits and contexts",
  async () => {
    const body = (word: string, n: number, salt: number) =>
      [
        `def ${word}_${n}(x):`,
        ...Array.from(
          { length: 6 + ((n * 7) % 23) },
          (_, i) => `    x = x + ${i * salt}  # ${word} ${n} ${i}`,
        ),
        "    return x",
        "",
      ].join("\n");
    const files = Object.fromEntries(
      WORDS.map((word, w) => [
        `${word}.py`,
        Array.from({ length: 6 }, (_, n) => body(word, n, w + 1)).join("\n"),
      ]),
    );
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          context: fc.integer({ min: 0, max: 2 }),
          query: fc
            .array(
              fc.tuple(
                fc.constantFrom(...WORDS),
                fc.integer({ min: 0, max: 6 }),
              ),
              { minLength: 1, maxLength: 4 },
            )
            .map((parts) =>
              parts
                .map(([word, n]) => (n === 6 ? word : `${word}_${n}`))
                .join(" "),
            ),
          room: fc.constantFrom(1000, 2500, 13_000),
        }),
      },
      { weight: 1, arbitrary: fc.record({ edit: fc.constantFrom(...WORDS) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 14 }),
        async (steps) => {
          const p = await project.of(files);
          const contexts = [0, 1, 2].map((i) => new Context(p, `c${i}`));
          /** What the conversations really hold: text of lines, by context and place. */
          const conversation = contexts.map(() => new Set<string>());
          for (const s of steps) {
            if ("edit" in s) {
              const path = join(p.root, `${s.edit}.py`);
              const text = readFileSync(path, "utf8");
              writeFileSync(path, `# edited\n${text}`);
              continue;
            }
            const context = contexts[s.context]!;
            const holds = conversation[s.context]!;
            const { text, emission, report } = context.ask(
              s.query,
              undefined,
              s.room,
            );
            expect(text.length).toBeLessThanOrEqual(
              Math.max(s.room, limits.MIN_ANSWER_CHARS),
            );
            const shown = readAnswer(text).sections.flatMap((section) =>
              section.lines.map(
                (line) => `${section.path}:${line.n}:${line.text}`,
              ),
            );
            /** Lines of a file as they stand on the disk now, with their places. */
            const now = (path: string, spans: readonly Span[]): string[] => {
              const all = disk(p.root, path);
              return spans
                .flatMap(lines)
                .map((n) => `${path}:${n}:${all[n - 1]}`);
            };
            // Every line is the file's own.
            const own = new Set(
              WORDS.map((word) => `${word}.py`).flatMap((path) =>
                now(path, [[1, disk(p.root, path).length]]),
              ),
            );
            expect(shown.filter((line) => !own.has(line))).toEqual([]);
            // What is pointed at was sent to this context, from the bytes that the file has now.
            const pointedAt = report!.files.flatMap((file) =>
              now(file.path, file.dedupCovered),
            );
            expect(pointedAt.filter((line) => !holds.has(line))).toEqual([]);
            for (const line of shown) holds.add(line);
            // Nothing is told as delivered that the conversation does not hold.
            const told = emission.files.flatMap(({ path, spans }) =>
              now(path, spans),
            );
            expect(told.filter((line) => !holds.has(line))).toEqual([]);
            // An answer is never pointers only.
            if (pointersIn(text) > 0)
              expect(shown.length, text).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 12 },
    );
  },
);

const disk = (root: string, path: string): string[] =>
  splitLines(readFileSync(join(root, path), "utf8"));

law(
  "dedup-covered-run",
  "a held run that is long enough is not sent twice, but where a gate says so",
  async () => {
    const p = await project.fixture("session-ledger");
    const queries = [
      "settle_account",
      "close_books idle",
      "entries of an account",
      "Entry as_row",
      "core.py",
      "store.py",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...queries), { minLength: 2, maxLength: 6 }),
        (asked) => {
          const context = new Context(p);
          for (const query of asked) {
            const view = context.record.view("", p.root, 0);
            const { text, report } = context.ask(query);
            const { gate, guarded } = report!.dedup;
            if (gate !== "on" || guarded) continue;
            for (const { path, lines: shown } of readAnswer(text).sections) {
              const held = new Set(
                view.calls.flatMap((c) =>
                  c.files
                    .filter((f) => f.path === path)
                    .flatMap((f) => f.spans.flatMap(lines)),
                ),
              );
              let run = 0;
              let before = 0;
              let longest = 0;
              for (const { n } of shown) {
                run = held.has(n) ? (n === before + 1 ? run + 1 : 1) : 0;
                before = n;
                longest = Math.max(longest, run);
              }
              expect(longest, `${path} of ${query}`).toBeLessThan(
                limits.MIN_COVERED_LINES,
              );
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  },
);

ruleTest(
  "dedup-spends-what-it-frees",
  "a second answer holds as much source, and more of it new",
  async () => {
    const names = Array.from({ length: 40 }, (_, i) => `part_${i}`);
    const p = await project.of(
      Object.fromEntries(
        names.map((name, i) => [
          `${name}.py`,
          [
            `def ${name}(x):`,
            ...Array.from(
              { length: 30 },
              (_, n) => `    x = x * ${n + i}  # step of the job`,
            ),
            "    return x",
            "",
          ].join("\n"),
        ]),
      ),
    );
    const first = p.ask("step of the job");
    const context = new Context(p);
    context.ask("step of the job");
    const second = context.ask("part of the job in steps");
    const without = p.ask("part of the job in steps");
    const fresh = (text: string) =>
      readAnswer(text)
        .sections.flatMap((s) => s.lines.map((l) => `${s.path}:${l.n}`))
        .filter((place) => !firstLines.has(place)).length;
    const firstLines = new Set(
      readAnswer(first.text).sections.flatMap((s) =>
        s.lines.map((l) => `${s.path}:${l.n}`),
      ),
    );
    expect(pointersIn(second.text)).toBeGreaterThan(0);
    expect(fresh(second.text)).toBeGreaterThan(fresh(without.text));
    // Files that are pointed at take no place from those with source.
    const withSource = (answer: typeof second) =>
      answer.report!.files.filter(
        (f) => f.kind === "whole" || f.kind === "clusters",
      ).length;
    expect(withSource(second)).toBe(withSource(without));
  },
);

ruleTest(
  "dedup-held-mark",
  "between lines that are sent, and in the list of files, it shows what was sent before",
  async () => {
    const body = (name: string) => pythonFunction(name, 12);
    const p = await project.of({
      "a.py": ["one", "two", "three"].map(body).join("\n"),
      "b.py": body("four"),
    });
    const context = new Context(p);
    context.ask("a.py lines 18-30", undefined, 1000);
    const held = context.record
      .view("", p.root, 0)
      .calls[0]!.files.find((f) => f.path === "a.py")!.spans;
    const { text } = context.ask("a.py b.py");
    const [[first, last]] = held as [Span];
    expect(held).toHaveLength(1);
    expect(first).toBeGreaterThan(1);
    expect(text).toContain(`\n… L${first}-${last} sent before\n`);
    expect(text).toMatch(
      new RegExp(
        `^- .a\\.py. L1-${first - 1}, L${last + 1}-\\d+, the rest sent before$`,
        "m",
      ),
    );
    expect(context.ask("one four three and a.py").text).toMatch(
      /^- `\w.py` sent before$/m,
    );
  },
);

examples(
  "dedup-shared-connections",
  ["given client", "given identified", "given value", "when view"],
  ["then dedup"],
  (row) => {
    const call = {
      index: 1,
      query: "x",
      asked: "x",
      files: [],
      responseBytes: 1,
      pointed: false,
    };
    const views = {
      none: undefined,
      "first call": { callCount: 0, responseBytes: 0, calls: [] },
      "one call": { callCount: 1, responseBytes: 1, calls: [call] },
    };
    const given = (cell: string) => (cell === "–" ? undefined : cell);
    const { gate } = historyOf(
      readQuery("anything else"),
      views[row["when view"] as keyof typeof views],
      {
        client: given(row["given client"]),
        identified: row["given identified"] === "yes",
        dedup: given(row["given value"]),
      },
    );
    return { "then dedup": gate };
  },
);

examples(
  "dedup-answers-apart",
  [
    "golden",
    "given edited first",
    "given asked of other",
    "given asked of mine",
    "when asked of mine",
  ],
  ["then source lines", "then pointers"],
  async (row) => {
    const [mine, other] = [
      await project.fixture("session-ledger"),
      await project.fixture("session-ledger"),
    ];
    const record = new SessionRecord();
    const ask = (p: TestProject, query: string) => {
      const answer = p.ask(query, {
        session: record.view("", p.root, 0),
        project: record.knowsOthers("", p.root)
          ? p === mine
            ? "mine"
            : "other"
          : undefined,
      });
      record.record("", p.root, answer.emission, 0);
      return answer.text;
    };
    for (const name of list(row["given edited first"]))
      appendFileSync(fileOf(mine.root, name), "AFTER = 1\n");
    for (const query of list(row["given asked of other"])) ask(other, query);
    for (const query of list(row["given asked of mine"])) ask(mine, query);
    const text = ask(mine, row["when asked of mine"]);
    const patch = differs(row.golden, text);
    if (patch) expect.fail(patch);
    return {
      "then source lines": String(linesIn(text)),
      "then pointers": String(pointersIn(text)),
    };
  },
);
