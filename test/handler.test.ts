/** The tool handler: what crosses it, and what stays inside. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { reportText, type CallReport } from "../src/serve/diagnostics.ts";
import { ToolHandler, type Caller } from "../src/serve/handler.ts";
import { TOOL } from "../src/serve/tool.ts";
import { Cancelled } from "../src/serve/runner.ts";
import { SessionRecord } from "../src/session/record.ts";
import { wordings } from "../src/spec.gen.ts";
import { ruleTest } from "./from-spec.ts";
import { indexed, pythonFunction, scratch } from "./scratch.ts";

const project = () =>
  indexed(join(scratch(), "p"), {
    "core.py": pythonFunction("settle_account", 40),
    "other.py": pythonFunction("close_books", 40),
  });
const caller = (
  root: string,
  settings: Partial<Caller["settings"]> = {},
): Caller => ({
  places: [root],
  now: () => 0,
  settings: { dedup: undefined, debug: undefined, ...settings },
});

ruleTest(
  "serve-trusts-no-view",
  "a view that a client spells is dropped, and no result carries an emission",
  async () => {
    const root = project();
    const handler = new ToolHandler();
    const forged = {
      callCount: 3,
      responseBytes: 9,
      calls: [
        {
          index: 1,
          query: "x",
          asked: "x",
          pointed: false,
          responseBytes: 9,
          files: [
            {
              path: "core.py",
              spans: [[1, 42]],
              fingerprint: "",
              sourceBytes: 9,
              truncated: false,
            },
          ],
        },
      ],
    };
    const whole = await handler.execute(
      TOOL,
      { query: "settle_account" },
      undefined,
      caller(root),
    );
    for (const session of [undefined, new SessionRecord()])
      for (const name of [
        "_cgExploreSession",
        "_cgExploreEmission",
        "session",
        "report",
      ]) {
        const given = { query: "settle_account", [name]: forged };
        const result = await handler.execute(
          TOOL,
          given,
          session && new SessionRecord(),
          caller(root),
        );
        expect(result).toEqual(whole);
        expect(Object.keys(result)).toEqual(["content"]);
      }
    handler.close();
  },
);

ruleTest(
  "serve-trusts-no-view",
  "a cancelled call is not recorded, and two callers share nothing",
  async () => {
    const root = project();
    const handler = new ToolHandler();
    const [one, two] = [new SessionRecord(), new SessionRecord()];
    const ask = async (
      session: SessionRecord,
      query: string,
      more: Partial<Caller> = {},
      args = {},
    ) =>
      (
        await handler.execute(TOOL, { query, ...args }, session, {
          ...caller(root),
          ...more,
        })
      ).content[0]!.text;
    const first = await ask(one, "settle_account");
    const signal = AbortSignal.abort();
    await expect(ask(two, "settle_account", { signal })).rejects.toThrow(
      Cancelled,
    );
    expect(await ask(two, "settle_account")).toBe(first);
    // Of a bucket that is named by a stamp, the default one knows nothing.
    expect(await ask(one, "settle_account", {}, { sessionId: "S1" })).toBe(
      first,
    );
    expect(
      await ask(one, "settle_account close_books", {}, { sessionId: " S1 " }),
    ).toContain("Already sent earlier");
    handler.close();
  },
);

ruleTest(
  "dedup-says-the-exception",
  "an answer with a pointer says once what it stands for, others do not",
  async () => {
    const root = project();
    const handler = new ToolHandler();
    const session = new SessionRecord();
    const texts: string[] = [];
    for (const query of ["core.py", "close_books settle_account"])
      texts.push(
        (await handler.execute(TOOL, { query }, session, caller(root)))
          .content[0]!.text,
      );
    expect(
      texts.map((text) => text.split(wordings.POINTERS_INTRO).length - 1),
    ).toEqual([0, 1]);
    expect(texts[1]!.split("Already sent earlier").length - 1).toBe(1);
    handler.close();
  },
);

ruleTest(
  "serve-diagnostics",
  "each call is reported where the caller wants it; nothing of it is in the answer",
  async () => {
    const root = project();
    const handler = new ToolHandler();
    const log = join(scratch(), "log.jsonl");
    const text = join(scratch(), "log.txt");
    const session = new SessionRecord();
    const plain = await handler.execute(
      TOOL,
      { query: "core.py" },
      undefined,
      caller(root),
    );
    expect(
      await handler.execute(
        TOOL,
        { query: "core.py" },
        undefined,
        caller(root, { debug: log }),
      ),
    ).toEqual(plain);
    await handler.execute(
      TOOL,
      { query: "core.py" },
      session,
      caller(root, { debug: log }),
    );
    await handler.execute(
      TOOL,
      { query: "close_books settle_account" },
      session,
      caller(root, { debug: log }),
    );
    await handler.execute(
      TOOL,
      { query: "close_books settle_account" },
      session,
      caller(root, { debug: text }),
    );
    handler.close();
    const reports = readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as CallReport);
    expect(reports.map((r) => [r.session?.callIndex, r.dedup.gate])).toEqual([
      [undefined, "untracked"],
      [1, "first-call"],
      [2, "on"],
    ]);
    const [, first, second] = reports;
    expect(first).toMatchObject({
      dedup: { savedChars: 0, guarded: false },
      session: { priorCalls: 0, priorFiles: [] },
    });
    expect(second!.session!.priorFiles).toEqual([
      expect.objectContaining({ path: "core.py", spans: [[1, 42]] }),
    ]);
    const pointed = second!.files.find((f) => f.path === "core.py")!;
    expect(pointed).toMatchObject({
      kind: "backref",
      spans: [],
      dedupCovered: [[1, 42]],
    });
    expect(pointed.dedupSavedChars).toBeGreaterThan(500);
    expect(second!.dedup.savedChars).toBe(pointed.dedupSavedChars);
    const written = readFileSync(text, "utf8");
    expect(written).toContain("session call #3 · 2 prior");
    expect(written).toContain("dedup asked-twice");
    expect(reportText(second!)).toContain("core.py backref");
  },
);

ruleTest(
  "dedup-names-the-project",
  "a pointer says of which project it is, once there are several",
  async () => {
    const base = scratch();
    const roots = ["c1", "c2"].map((name) =>
      indexed(join(base, name), {
        "a.py": pythonFunction("same_name", 20),
        "b.py": pythonFunction(`only_${name}`, 20),
      }),
    );
    const handler = new ToolHandler();
    const session = new SessionRecord();
    const ask = async (root: string, query: string) =>
      (
        await handler.execute(
          TOOL,
          { query, projectPath: root },
          session,
          caller(base),
        )
      ).content[0]!.text;
    await ask(roots[1]!, "same_name");
    expect(await ask(roots[1]!, "same_name only_c2")).toContain(
      "** `a.py` L1-22 (same_name).",
    );
    await ask(roots[0]!, "same_name");
    expect(await ask(roots[1]!, "only_c2 and a.py")).toMatch(
      /\*\* `[ab]\.py` in project `c2`, L1-22/,
    );
    handler.close();
  },
);
