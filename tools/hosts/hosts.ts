/**
 * `HOSTS_BENCH=FOLDER pnpm test:hosts [claude] [claude-tui] [codex] [opencode] [gemini]`:
 * the real hosts, wired by the real installer, against a scripted model that asks one
 * question over and over. Prints what each window of a conversation was given, and exits
 * with 1 where that is not what it is to be, or where an answer points at lines that its
 * window was never sent.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Received } from "../bench/received.ts";
import { openBench, project, type Bench, type Seen } from "./bench.ts";
import { run } from "./claude-codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

/** Of an answer: nothing is pointed at, or something is. */
type Kind = "whole" | "shortened";

/**
 * What is asked, in its order: in which window of which conversation, and what is to be
 * answered. The third time in a window a question is asked again that was answered with
 * pointers, so that it is answered whole.
 */
type Expected = readonly (readonly [window: string, kind: Kind])[];

interface Host {
  /** What the models of its runs saw. */
  readonly run: (
    bench: Bench,
    folder: string,
  ) => Promise<readonly (readonly Seen[])[]>;
  /** By run. */
  readonly expected: readonly Expected[];
}

const HOSTS: Readonly<Record<string, Host>> = {
  claude: {
    run: (bench, folder) => run(bench, "run-claude.mjs", "claude", folder),
    expected: [
      [
        ["main", "whole"],
        ["main", "shortened"],
        ["subagent", "whole"],
        ["subagent", "shortened"],
        ["main", "whole"],
        ["main after /compact", "whole"],
        ["main after /clear", "whole"],
      ],
      [
        ["main", "whole"],
        ["subagent", "whole"],
        ["subagent", "shortened"],
        ["main", "shortened"],
      ],
    ],
  },
  "claude-tui": {
    run: (bench, folder) => run(bench, "run-claude-tui.mjs", "claude", folder),
    expected: [
      [
        ["main", "whole"],
        ["main", "shortened"],
        ["main after /rewind", "whole"],
        ["main after /clear", "whole"],
        ["main after /resume", "whole"],
      ],
    ],
  },
  codex: {
    run: (bench, folder) => run(bench, "run-codex.mjs", "codex", folder),
    expected: [
      [
        ["main", "whole"],
        ["main", "shortened"],
        ["subagent", "whole"],
        ["subagent", "shortened"],
        ["subagent after its compaction", "whole"],
        ["main", "whole"],
        ["main after a compaction", "whole"],
      ],
      // Of the second call of a script nothing reaches the model.
      [["script", "whole"]],
    ],
  },
  opencode: {
    run: async (bench) => [await opencode(bench)],
    expected: [
      [
        ["main", "whole"],
        ["main", "shortened"],
        ["subagent", "whole"],
        ["subagent", "shortened"],
        ["main after a revert", "whole"],
        ["main after a revert", "shortened"],
        ["main after a compaction", "whole"],
      ],
    ],
  },
  gemini: {
    run: async (bench) => [await gemini(bench)],
    expected: [
      [
        ["main", "whole"],
        ["subagent", "whole"],
        ["main", "whole"],
      ],
    ],
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(HOSTS, name));
if (unknown.length > 0)
  throw new Error(
    `no host ${unknown.join(", ")}; there are ${Object.keys(HOSTS).join(", ")}`,
  );
const bench = await openBench();
const folder = project(mkdtempSync(join(tmpdir(), "hosts-project-")));
let failed = 0;
for (const name of asked.length > 0 ? asked : Object.keys(HOSTS)) {
  const { run: go, expected } = HOSTS[name]!;
  const runs = await go(bench, folder);
  expected.forEach((windows, i) => {
    console.log(`${name}, run ${i + 1}`);
    failed += held(runs[i] ?? [], windows);
  });
}
rmSync(folder, { recursive: true });
console.log(failed === 0 ? "all as it is to be" : `${failed} wrong`);
process.exitCode = failed === 0 ? 0 : 1;

/** Prints each answer beside what it is to be; gives how many are wrong. */
function held(seen: readonly Seen[], expected: Expected): number {
  const answers = seen.filter(({ text }) => /Source of \d+ of \d+ /.test(text));
  const windows = new Map<string, Received>();
  let wrong = 0;
  const report = (ok: boolean, line: string) => {
    if (!ok) wrong += 1;
    console.log(`  ${ok ? "ok  " : "FAIL"}  ${line}`);
  };
  expected.forEach(([window, kind], i) => {
    const answer = answers[i];
    if (!answer) return report(false, `${window}: no answer`);
    if (!windows.has(window)) windows.set(window, new Received(linesOf));
    const { problems, pointedAt } = windows.get(window)!.take(answer.text);
    const was: Kind = pointedAt.length > 0 ? "shortened" : "whole";
    report(
      was === kind && problems.length === 0,
      `${window}: ${was}, ${answer.text.length} chars${problems.length > 0 ? `; ${problems[0]}, and ${problems.length - 1} more` : ""}`,
    );
  });
  if (answers.length > expected.length)
    report(false, `${answers.length - expected.length} answers more`);
  return wrong;
}

function linesOf(path: string): readonly string[] | undefined {
  try {
    return readFileSync(join(folder, path), "utf8").split("\n");
  } catch {
    return undefined;
  }
}
