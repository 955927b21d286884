/** Replay: the same questions twice, and what is read from the answers. */
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { readAnswer } from "../src/bench/answer.ts";
import { replay } from "../src/bench/replay.ts";
import { replayText } from "../src/bench/report.ts";
import { ToolHandler } from "../src/serve/handler.ts";
import { codegraph } from "./binary.ts";
import { ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";
import { indexed, scratch } from "./scratch.ts";

const body = (name: string) =>
  [
    `def ${name}(x):`,
    ...Array.from(
      { length: 30 },
      (_, i) => `    x = x + ${i}  # ${name} step ${i}`,
    ),
    "    return x",
    "",
  ].join("\n");

const project = () =>
  indexed(
    join(scratch(), "p"),
    Object.fromEntries(
      ["alpha", "beta", "gamma"].map((name) => [`${name}.py`, body(name)]),
    ),
  );

ruleTest(
  "replay-two-arms",
  "without dedup the second call sends again, with it it points",
  async () => {
    const root = project();
    const handler = new ToolHandler();
    const result = await replay(handler, root, ["alpha beta", "beta gamma"], 2);
    handler.close();
    const [first, second] = result.calls;
    // Both arms begin alike.
    expect(first!.on).toMatchObject({ ...first!.off, ms: first!.on.ms });
    expect(first!.off).toMatchObject({
      sourceLines: 64,
      duplicateLines: 0,
      pointers: 0,
      notVerbatim: 0,
    });
    expect(second!.off).toMatchObject({
      sourceLines: 64,
      duplicateLines: 32,
      pointers: 0,
    });
    expect(second!.on).toMatchObject({
      sourceLines: 32,
      duplicateLines: 0,
      pointers: 1,
      notVerbatim: 0,
    });
    const beta = body("beta").length;
    expect(second!.off.duplicateChars).toBe(beta);
    expect(result.total.off).toMatchObject({
      sourceLines: 128,
      duplicateChars: beta,
    });
    // There is nothing left to show in so small a project.
    expect(result.reclaimed).toBe(0);
  },
);

ruleTest(
  "replay-reads-answers",
  "lines count inside fences alone, below the heading of their file",
  () => {
    const text = [
      "1\tnot in a fence",
      "**`a.py`** — one",
      "",
      "> **Already sent earlier in this conversation:** `a.py` L1-9. Checked now.",
      "",
      "````python",
      "10\tx = 1",
      "… L11-12 not shown",
      "```",
      "13\t",
      "````",
      "**`b.py`**",
      "",
      "```",
      "1\ty\t2",
      "```",
      "",
    ].join("\n");
    expect(readAnswer(text)).toEqual({
      lines: [
        { path: "a.py", line: 10, text: "x = 1" },
        { path: "a.py", line: 13, text: "" },
        { path: "b.py", line: 1, text: "y\t2" },
      ],
      pointers: ["a.py"],
    });
  },
);

ruleTest(
  "replay-report",
  "the table and the JSON of the binary tell the same",
  async () => {
    const root = project();
    const queries = join(root, "../questions.txt");
    writeFileSync(queries, "# a drill-down\nalpha beta\n\nbeta gamma\n");
    const run = (...more: string[]) =>
      codegraph(["replay", "--queries", queries, "--runs", "1", ...more], {
        cwd: root,
      });
    const json = JSON.parse(run("--json").stdout) as Awaited<
      ReturnType<typeof replay>
    >;
    expect(json.calls.map((c) => c.query)).toEqual([
      "alpha beta",
      "beta gamma",
    ]);
    const { stdout, status } = run();
    expect(status).toBe(0);
    const still = (text: string) =>
      text.replaceAll(/ +\d+\.\d$/gm, "").replaceAll(/^Latency.*$/gm, "");
    expect(still(stdout)).toBe(still(replayText(json)));
    expect(stdout).toContain("Verbatim   every line");
    const none = join(root, "../none.txt");
    writeFileSync(none, "# nothing\n");
    for (const [args, status, said] of [
      [["replay"], 2, "--queries FILE"],
      [
        ["replay", "--queries", "no-such-file"],
        1,
        "no-such-file cannot be read",
      ],
      [["replay", "--queries", none], 1, "holds no question"],
      [
        ["replay", "--queries", queries, "--runs", "0"],
        2,
        "--runs takes a whole number",
      ],
    ] as const) {
      const failed = await here(args, { cwd: root });
      expect([failed.status, failed.stdout]).toEqual([status, ""]);
      expect(failed.stderr).toContain(said);
    }
  },
);
