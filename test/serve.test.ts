/** What the server takes and says, and how it finds the project; in this process. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect } from "vitest";
import { readArguments } from "../src/serve/arguments.ts";
import { OpenIndexes } from "../src/serve/open-indexes.ts";
import { findProject } from "../src/serve/projects.ts";
import { ToolHandler, unknownTool } from "../src/serve/handler.ts";
import { Roots, serveMcp, toolsFor } from "../src/serve/mcp.ts";
import { limits, wordings } from "../src/spec.gen.ts";
import { refusalOf, Sieve } from "../src/serve/sieve.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { indexed, scratch } from "./scratch.ts";

examples("serve-bad-arguments", ["given arguments"], ["then said"], (row) => {
  const found = readArguments(JSON.parse(row["given arguments"]));
  return { "then said": typeof found === "string" ? found : "–" };
});
loadBearing("serve-bounds-what-it-reads", "MAX_QUERY_CHARS", (moved) =>
  [limits.MAX_QUERY_CHARS, limits.MAX_QUERY_CHARS + 1].map(
    (n) => typeof readArguments({ query: "x".repeat(n) }, moved),
  ),
);

ruleTest(
  "serve-bad-arguments",
  "what no host would send is an argument of the wrong kind",
  () => {
    for (const given of [undefined, null, 7, "x", [], [1, 2]])
      expect(readArguments(given)).toContain("query is missing");
    expect(
      readArguments(JSON.parse('{"query":"x","__proto__":{"projectPath":7}}')),
    ).toMatchObject({
      query: "x",
      projectPath: undefined,
    });
  },
);

ruleTest(
  "serve-tool",
  "instructions and descriptions stay below what hosts cut",
  () => {
    const told = [
      wordings.SERVER_INSTRUCTIONS,
      ...toolsFor({ sessionParam: "1" }).flatMap((tool) => [
        tool.description,
        ...Object.values(tool.inputSchema.properties).map(
          ({ description }) => description,
        ),
      ]),
    ];
    expect(told).toHaveLength(7);
    expect(told.filter((text) => Buffer.byteLength(text) >= 2_000)).toEqual([]);
    expect(wordings.SERVER_INSTRUCTIONS).toContain(
      "Already sent earlier in this conversation",
    );
  },
);

examples("serve-session-param", ["given value"], ["then named"], (row) => {
  const value = row["given value"];
  const [tool] = toolsFor({ sessionParam: value === "–" ? undefined : value });
  const { properties, required } = tool!.inputSchema;
  expect(required).toEqual(["query"]);
  return { "then named": "sessionId" in properties ? "yes" : "no" };
});

loadBearing("serve-bounds-what-it-reads", "MAX_PATH_CHARS", (moved) =>
  [limits.MAX_PATH_CHARS, limits.MAX_PATH_CHARS + 1].map(
    (n) =>
      typeof readArguments({ query: "x", projectPath: "p".repeat(n) }, moved),
  ),
);
loadBearing("serve-bounds-what-it-reads", "MAX_TOOL_CHARS", (moved) =>
  unknownTool("t".repeat(200), moved),
);
loadBearing("serve-bounds-what-it-reads", "MAX_MESSAGE_MB", async (moved) => {
  const input = new PassThrough();
  let said = "";
  const ended = serveMcp(
    input,
    new PassThrough().resume(),
    {
      version: "0",
      handler: new ToolHandler(),
      places: [],
      settings: () => ({ dedup: undefined, debug: undefined }),
      log: (message) => (said = message),
    },
    moved,
  );
  const mb = Buffer.alloc(1_000_000, "x");
  const stillRead: boolean[] = [];
  // A message with no end in sight, to the limit and one byte more.
  for (let sent = 0; sent < limits.MAX_MESSAGE_MB; sent++) input.write(mb);
  await new Promise(setImmediate);
  stillRead.push(said === "");
  input.write("x");
  await new Promise(setImmediate);
  stillRead.push(said === "");
  input.end();
  await ended;
  return stillRead;
});
loadBearing("serve-finds-the-project", "ROOTS_WAIT_MS", async (moved) => {
  let waits = 0;
  const roots = new Roots(
    async (ms) => {
      waits = ms;
      throw new Error("no answer");
    },
    () => {},
    moved,
  );
  return [await roots.folders(), waits];
});

ruleTest(
  "serve-finds-the-project",
  "roots are asked for once, and again when they changed",
  async () => {
    const answers = [
      [{ uri: "file:///a%20b" }, { uri: "https://example.org/x" }],
      [{ uri: "file:///c" }],
    ];
    let asked = 0;
    const roots = new Roots(
      async () => answers[asked++]!,
      () => {},
    );
    expect([await roots.folders(), await roots.folders()]).toEqual([
      ["/a b"],
      ["/a b"],
    ]);
    roots.changed();
    expect(await roots.folders()).toEqual(["/c"]);
  },
);

ruleTest(
  "serve-finds-the-project",
  "the first place with an index counts, and projectPath before all",
  () => {
    const base = scratch();
    const one = indexed(join(base, "one"), { "a.py": "def one(): return 1\n" });
    const two = indexed(join(base, "two"), { "b.py": "def two(): return 2\n" });
    const none = join(base, "none");
    mkdirSync(none);
    expect(findProject(undefined, [none, two, one], base)).toEqual({
      root: two,
    });
    expect(findProject(one, [none, two], base)).toEqual({ root: one });
    expect(findProject("../one", [two], base)).toEqual({ root: one });
    expect(findProject(join(one, "a.py"), [], base)).toEqual({ root: one });
    mkdirSync(join(one, "deep/er"), { recursive: true });
    expect(findProject(join(one, "deep/er"), [], base)).toEqual({ root: one });
    symlinkSync(one, join(base, "link"));
    expect(findProject(join(base, "link"), [], base)).toEqual({ root: one });
  },
);

ruleTest(
  "serve-answers-at-once",
  "a folder without an index is answered by what to do",
  () => {
    const base = scratch();
    const none = join(base, "none");
    mkdirSync(none);
    const said = (path: string | undefined, place: string) => {
      const found = findProject(path, [place], base);
      return "say" in found ? found.say : "";
    };
    expect(said(undefined, none)).toContain("codegraph init");
    expect(said("missing", none)).toBe(
      `projectPath missing does not exist. Give an absolute path, or one relative to ${none}.`,
    );
    const work = join(base, "many");
    const p1 = indexed(join(work, "p1"), { "a.py": "x = 1\n" });
    const p2 = indexed(join(work, "group/p2"), { "a.py": "x = 1\n" });
    indexed(join(work, "group/too/deep"), { "a.py": "x = 1\n" });
    expect(said(undefined, work)).toBe(
      `Nothing is indexed at ${work}, but these folders below it are: ${p1}, ${p2}. Ask again with projectPath set to one of them.`,
    );
  },
);
loadBearing(
  "serve-answers-at-once",
  "WORKSPACE_DEPTH",
  ({ WORKSPACE_DEPTH }) => {
    const work = join(scratch(), "many");
    indexed(join(work, "1"), { "a.py": "x = 1\n" });
    indexed(join(work, "2/2"), { "a.py": "x = 1\n" });
    indexed(join(work, "3/3/3"), { "a.py": "x = 1\n" });
    return below(work, { WORKSPACE_DEPTH, WORKSPACE_PROJECTS: 9 });
  },
);
loadBearing(
  "serve-answers-at-once",
  "WORKSPACE_PROJECTS",
  ({ WORKSPACE_PROJECTS }) => {
    const work = join(scratch(), "many");
    for (let i = 0; i < limits.WORKSPACE_PROJECTS + 2; i++)
      fake(join(work, `p${i}`));
    return below(work, { WORKSPACE_DEPTH: 1, WORKSPACE_PROJECTS });
  },
);

/** How many projects are named. */
function below(
  work: string,
  bounds: { WORKSPACE_DEPTH: number; WORKSPACE_PROJECTS: number },
): number {
  const found = findProject(undefined, [work], "/nobody", {
    ...limits,
    ...bounds,
  });
  return "say" in found ? found.say.split("/many/").length - 1 : 0;
}

/** Looks like an index to whoever only looks whether there is one. */
function fake(root: string): void {
  mkdirSync(join(root, ".codegraph"), { recursive: true });
  writeFileSync(join(root, ".codegraph/index-0123456789abcdef.db"), "");
  writeFileSync(
    join(root, ".codegraph/current"),
    "index-0123456789abcdef.db\n",
  );
}

ruleTest(
  "serve-finds-the-project",
  "an index that was replaced is opened anew, one that is gone is let go",
  () => {
    const root = indexed(join(scratch(), "p"), {
      "a.py": "def first(): return 1\n",
    });
    const open = new OpenIndexes();
    const named = (name: string) =>
      open.ask(root, (index) => index.symbolsNamed(name, 9).length);
    expect(named("first")).toBe(1);
    indexed(root, { "a.py": "def second(): return 1\n" });
    expect(named("second")).toBe(1);
    expect(open.ask(realpathSync(scratch()), () => 1)).toBeUndefined();
    open.close();
  },
);

examples(
  "serve-answers-every-request",
  ["given line"],
  ["then answered"],
  (row) => {
    const answer = refusalOf(row["given line"]) as
      { id: unknown; error: { code: number } } | undefined;
    return {
      "then answered": answer
        ? `${String(answer.id)} ${answer.error.code}`
        : "–",
    };
  },
);

law(
  "serve-answers-every-request",
  "however the bytes are cut, good lines come through and bad ones are answered",
  () => {
    const lines = fc.array(
      fc.constantFrom(
        '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":"é€😀","method":"x","params":{"query":"ü"}}',
        "no JSON",
        '{"jsonrpc":"2.0","id":2,"method":"x","params":7}',
        "x".repeat(300),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        lines,
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        (sent, cuts) => {
          const most = 200;
          const answers: object[] = [];
          const sieve = new Sieve((answer) => answers.push(answer), most);
          let out = "";
          const parts: Buffer[] = [];
          sieve.on("data", (part: Buffer) => parts.push(part));
          const bytes = Buffer.from(sent.map((line) => `${line}\n`).join(""));
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = cuts[i % cuts.length]!;
            sieve._transform(bytes.subarray(at, at + size), "buffer", () => {});
            at += size;
          }
          sieve._flush(() => {});
          for (
            let part = sieve.read() as Buffer | null;
            part;
            part = sieve.read() as Buffer | null
          )
            parts.push(part);
          out = Buffer.concat(parts).toString("utf8");
          const bad = (line: string) =>
            line.length <= most && refusalOf(line) !== undefined;
          expect(out).toBe(
            sent
              .filter((line) => !bad(line))
              .map((line) => `${line}\n`)
              .join(""),
          );
          expect(answers).toHaveLength(sent.filter(bad).length);
        },
      ),
    );
  },
);
