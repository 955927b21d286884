/** What a record remembers, forgets and never claims. */
import fc from "fast-check";
import { expect } from "vitest";
import { printSpans, type Span } from "../src/model/span.ts";
import {
  DEFAULT_CONTEXT,
  contextKey,
  rootKey,
} from "../src/session/context.ts";
import { SessionRecord } from "../src/session/record.ts";
import { isSound, sound } from "../src/session/spans.ts";
import type {
  DeliveredFile,
  Emission,
  SessionView,
} from "../src/session/view.ts";
import { limits } from "../src/spec.gen.ts";
import { delivered } from "../src/dedup/file.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";

const MINUTE = 60_000;

const fileOf = (some: Partial<DeliveredFile> = {}): DeliveredFile => ({
  path: "a.ts",
  spans: [[1, 9]],
  fingerprint: "10:aa",
  sourceBytes: 90,
  truncated: false,
  ...some,
});

const emissionOf = (some: Partial<Emission> = {}): Emission => ({
  query: "q",
  asked: "q",
  files: [fileOf()],
  responseBytes: 100,
  pointed: false,
  ...some,
});

const idOf = (cell: string): unknown => {
  const many = /^(\d+) times (\w)$/.exec(cell);
  if (many) return many[2]!.repeat(Number(many[1]));
  if (cell === "–") return undefined;
  return cell.startsWith("number ") ? Number(cell.slice(7)) : cell;
};

examples("session-keys", ["given id"], ["then key"], (row, limits) => {
  const key = contextKey(idOf(row["given id"]), limits);
  const said =
    key === DEFAULT_CONTEXT
      ? "default"
      : /^ sha256:[0-9a-f]{64}$/.test(key)
        ? "hash"
        : key.replace(/^(\w)\1{9,}$/, (all, c) => `${all.length} times ${c}`);
  return { "then key": said };
});

/** Lone surrogates too, which UTF-8 cannot tell apart. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.integer({ min: 0xd7fe, max: 0xe001 }), { maxLength: 4 })
    .map((codes) => String.fromCharCode(...codes)),
);
const id = fc.oneof(
  text,
  text.map((end) => "x".repeat(limits.MAX_CONTEXT_ID_CHARS) + end),
);

law("session-keys", "ids have one key only if they are equal, trimmed", () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      expect(contextKey(one) === contextKey(other)).toBe(
        one.trim() === other.trim(),
      );
      // Nor is a long id's key anything that an id can be.
      expect(contextKey(contextKey(one)) === contextKey(one)).toBe(
        one.trim().length <= limits.MAX_CONTEXT_ID_CHARS,
      );
      expect(contextKey(one).length).toBeLessThanOrEqual(
        limits.MAX_CONTEXT_ID_CHARS,
      );
    }),
  );
});

ruleTest("session-keys", "what is no text is the default context", () => {
  for (const other of [null, undefined, 7, true, {}, ["S1"], Symbol("S1")])
    expect(contextKey(other)).toBe(DEFAULT_CONTEXT);
});

ruleTest("session-keys", "long ids that differ in a lone surrogate", () => {
  const long = "x".repeat(limits.MAX_CONTEXT_ID_CHARS);
  expect(contextKey(`${long}\ud800`)).not.toBe(contextKey(`${long}\ud801`));
});

law("session-keys", "contexts and roots do not run together", () => {
  fc.assert(
    fc.property(text, text, text, text, (a, p, b, q) => {
      fc.pre(a !== b || p !== q);
      const record = new SessionRecord();
      record.record(a, p, emissionOf(), 0);
      expect(record.view(b, q, 0).callCount).toBe(0);
      expect(record.view(a, p, 0).callCount).toBe(1);
    }),
  );
});

examples(
  "session-roots",
  ["given root", "given letter case"],
  ["then key"],
  (row) => ({
    "then key": rootKey(
      row["given root"],
      row["given letter case"] === "is ignored",
    ),
  }),
);

/** A view as a reader of a failure wants it, without what the rule does not speak of. */
const shape = ({ callCount, calls }: SessionView) => ({
  callCount,
  calls: calls.map((call) => ({
    index: call.index,
    query: call.query.length,
    files: call.files.map((f) => `${f.path} ${printSpans(f.spans)}`),
    truncated: call.files.map((f) => f.truncated),
  })),
});

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

loadBearing("session-bounds", "MAX_PROJECTS", (moved) => {
  const record = new SessionRecord(moved);
  const roots = many(limits.MAX_PROJECTS + 1, (i) => `/p${i}`);
  for (const root of roots) record.record("", root, emissionOf(), 0);
  return roots.map((root) => shape(record.view("", root, 0)));
});

loadBearing("session-bounds", "MAX_BUCKETS", (moved) => {
  const record = new SessionRecord(moved);
  const contexts = many(limits.MAX_BUCKETS + 1, (i) => `s${i}`);
  for (const context of contexts) record.record(context, "/p", emissionOf(), 0);
  return contexts.map((context) => shape(record.view(context, "/p", 0)));
});

loadBearing("session-bounds", "MAX_CALLS", (moved) => {
  const record = new SessionRecord({ ...moved, MAX_CALLS_IN_VIEW: 1000 });
  for (let i = 0; i <= limits.MAX_CALLS; i++)
    record.record("", "/p", emissionOf(), 0);
  return shape(record.view("", "/p", 0));
});

loadBearing("session-bounds", "MAX_CALLS_IN_VIEW", (moved) => {
  const record = new SessionRecord(moved);
  for (let i = 0; i <= limits.MAX_CALLS_IN_VIEW; i++)
    record.record("", "/p", emissionOf(), 0);
  return shape(record.view("", "/p", 0));
});

loadBearing("session-bounds", "MAX_FILES_PER_CALL", (moved) => {
  const record = new SessionRecord(moved);
  const files = many(limits.MAX_FILES_PER_CALL + 1, (i) =>
    fileOf({ path: `f${i}`, sourceBytes: i }),
  );
  record.record("", "/p", emissionOf({ files }), 0);
  return shape(record.view("", "/p", 0));
});

loadBearing("session-bounds", "MAX_SPANS_PER_FILE", (moved) => {
  const record = new SessionRecord(moved);
  const spans = many(limits.MAX_SPANS_PER_FILE + 1, (i): Span => [
    100 * i + 1,
    100 * i + 1 + i,
  ]);
  record.record("", "/p", emissionOf({ files: [fileOf({ spans })] }), 0);
  return shape(record.view("", "/p", 0));
});

loadBearing("session-bounds", "MAX_QUERY_CHARS_KEPT", (moved) => {
  const record = new SessionRecord(moved);
  const query = "q".repeat(limits.MAX_QUERY_CHARS_KEPT + 1);
  record.record("", "/p", emissionOf({ query }), 0);
  return shape(record.view("", "/p", 0));
});

ruleTest("session-bounds", "the latest, the most and the largest stay", () => {
  const record = new SessionRecord({
    MAX_PROJECTS: 2,
    MAX_FILES_PER_CALL: 2,
    MAX_SPANS_PER_FILE: 2,
  });
  const files = [
    fileOf({ path: "least", sourceBytes: 1 }),
    fileOf({
      path: "most",
      sourceBytes: 9,
      spans: [
        [30, 30],
        [1, 5],
        [10, 12],
        [20, 22],
      ],
    }),
    fileOf({ path: "some", sourceBytes: 5 }),
  ];
  record.record("", "/p", emissionOf({ files }), 0);
  record.record("", "/q", emissionOf(), 1);
  record.record("", "/p", emissionOf(), 2);
  record.record("", "/r", emissionOf(), 3);
  // /q is the one that was least recently active.
  expect(record.view("", "/q", 4).calls).toEqual([]);
  const { calls } = record.view("", "/p", 4);
  expect(calls.map(({ index }) => index)).toEqual([2, 1]);
  expect(
    calls[1]!.files.map((f) => [f.path, printSpans(f.spans), f.truncated]),
  ).toEqual([
    ["most", "L1-5, L10-12", true],
    ["some", "L1-9", false],
  ]);
});

ruleTest(
  "session-bounds",
  "the subagents of one project do not take the main agent's detail",
  () => {
    const record = new SessionRecord();
    record.record("S", "/p", emissionOf(), 0);
    for (let i = 1; i < limits.MAX_BUCKETS; i++)
      record.record(`S:${i}`, "/p", emissionOf(), i);
    expect(record.view("S", "/p", limits.MAX_BUCKETS).calls).toHaveLength(1);
  },
);

loadBearing("session-counters", "MAX_COUNTED_BUCKETS", (moved) => {
  const record = new SessionRecord(moved);
  const contexts = many(limits.MAX_COUNTED_BUCKETS + 1, (i) => `s${i}`);
  for (const context of contexts) record.record(context, "/p", emissionOf(), 0);
  return contexts.map((context) => record.view(context, "/p", 0).callCount);
});

examples(
  "session-drops-what-it-doubts",
  ["given spans"],
  ["then kept"],
  (row) => ({
    "then kept": printSpans(
      sound(
        row["given spans"].split(" ").map((pair): Span => {
          const [first, last] = pair.split("..").map(Number);
          return [first!, last!];
        }),
      ),
    ),
  }),
);

ruleTest("session-drops-what-it-doubts", "a file without proof", () => {
  const record = new SessionRecord();
  const files = [
    fileOf({ fingerprint: "" }),
    fileOf({ spans: [] }),
    fileOf({ spans: [[9, 1]] }),
    fileOf({ path: "good", sourceBytes: NaN }),
  ];
  record.record("", "/p", emissionOf({ files, responseBytes: NaN }), 0);
  record.record("", "/p", emissionOf({ responseBytes: -5 }), 0);
  record.record("", "/p", emissionOf({ responseBytes: 7 }), 0);
  const view = record.view("", "/p", 0);
  expect(view.responseBytes).toBe(7);
  expect(view.calls.at(-1)!.files).toEqual([
    fileOf({ path: "good", sourceBytes: 0 }),
  ]);
});

examples(
  "session-forgets-the-idle",
  ["given calls at minute", "when asked at minute"],
  ["then calls known"],
  (row, limits) => {
    const record = new SessionRecord(limits);
    for (const at of row["given calls at minute"].split(" "))
      record.record("S", "/p", emissionOf(), Number(at) * MINUTE);
    const now = Number(row["when asked at minute"]) * MINUTE;
    const view = record.view("S", "/p", now);
    expect(view.calls).toHaveLength(view.callCount);
    return { "then calls known": `${view.callCount}` };
  },
);

ruleTest("session-forgets-the-idle", "a millisecond decides", () => {
  const at = 1234.5;
  const record = new SessionRecord();
  record.record("S", "/p", emissionOf(), at);
  const end = at + limits.IDLE_MINUTES * MINUTE;
  expect(record.view("S", "/p", end - 1).callCount).toBe(1);
  expect(record.view("S", "/p", end).callCount).toBe(0);
  // Looking is no call: it keeps nothing alive, and nothing comes back.
  expect(record.view("S", "/p", end - 1).callCount).toBe(0);
});

examples(
  "session-forgets-a-context",
  ["given buckets", "when forgotten"],
  ["then dropped", "then left"],
  (row) => {
    const record = new SessionRecord();
    const buckets = row["given buckets"].split(" ").map((bucket) => {
      const cut = bucket.lastIndexOf(":");
      const context = bucket.slice(0, cut);
      return {
        bucket,
        context: contextKey(
          context === "default"
            ? DEFAULT_CONTEXT
            : context.replace("long", "s".repeat(200)),
        ),
        root: bucket.slice(cut + 1),
      };
    });
    for (const { context, root } of buckets)
      record.record(context, root, emissionOf(), 0);
    const name = row["when forgotten"];
    const dropped = record.forget(name === "default" ? DEFAULT_CONTEXT : name);
    return {
      "then dropped": `${dropped}`,
      "then left":
        buckets
          .filter((b) => record.view(b.context, b.root, 0).callCount > 0)
          .map((b) => b.bucket)
          .join(" ") || "–",
    };
  },
);

ruleTest(
  "session-keeps-what-it-points-at",
  "what is pointed at is held for as long as it is pointed at",
  () => {
    const record = new SessionRecord();
    const file = { path: "a.ts", fingerprint: "10:aa" };
    const call = (sent: Span[], pointedAt: Span[]) => {
      const shown = { ...file, sent, pointedAt, sourceBytes: 90 };
      record.record("", "/p", emissionOf({ files: [delivered(shown)] }), 0);
    };
    call([[1, 20]], []);
    for (let i = 0; i < 2 * limits.MAX_CALLS; i++) {
      call([], [[1, 20]]);
      const [latest] = record.view("", "/p", 0).calls;
      expect(latest!.files).toEqual([
        { ...file, spans: [[1, 20]], sourceBytes: 0, truncated: false },
      ]);
    }
    call([[21, 30]], [[1, 20]]);
    const [latest] = record.view("", "/p", 0).calls;
    expect(latest!.files[0]).toMatchObject({
      spans: [[1, 30]],
      sourceBytes: 90,
    });
  },
);

const doubtful = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -1, max: 30 }) },
  fc.constantFrom(NaN, Infinity, 2.5),
);
const anySpan = fc.tuple(doubtful, doubtful);
const anyFile: fc.Arbitrary<DeliveredFile> = fc.record({
  path: fc.constantFrom("a.ts", "b.ts", "c.ts"),
  spans: fc.array(anySpan, { maxLength: 6 }),
  fingerprint: fc.constantFrom("", "10:aa", "10:bb"),
  sourceBytes: fc.integer({ min: 0, max: 9 }),
  truncated: fc.boolean(),
});
const anyEmission: fc.Arbitrary<Emission> = fc.record({
  query: fc.string({ maxLength: 6 }),
  asked: fc.constantFrom("x", "y"),
  files: fc.array(anyFile, { maxLength: 4 }),
  responseBytes: fc.nat(1000),
  pointed: fc.boolean(),
});

type Step =
  | { readonly do: "record"; readonly emission: Emission }
  | { readonly do: "view" }
  | { readonly do: "forget" };
const step = fc.record({
  context: fc.constantFrom(DEFAULT_CONTEXT, "S", "S:1"),
  root: fc.constantFrom("/p", "/q", "/r"),
  wait: fc.constantFrom(0, 0, 0, 1, 30, 59, 60),
  what: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("record" as const),
        emission: anyEmission,
      }),
    },
    { weight: 2, arbitrary: fc.constant<Step>({ do: "view" }) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: "forget" }) },
  ) satisfies fc.Arbitrary<Step>,
});

/** Bounds that a short sequence reaches. */
const SMALL = {
  MAX_PROJECTS: 2,
  MAX_BUCKETS: 3,
  MAX_CALLS: 3,
  MAX_CALLS_IN_VIEW: 2,
  MAX_FILES_PER_CALL: 2,
  MAX_SPANS_PER_FILE: 2,
  MAX_QUERY_CHARS_KEPT: 3,
  MAX_COUNTED_BUCKETS: 4,
};

interface Logged {
  readonly context: string;
  readonly root: string;
  readonly at: number;
  readonly emission: Emission;
  /** Its detail is gone. */
  lost: boolean;
}

/**
 * The rules, read aloud over the plain log of all that was recorded. Slow, with
 * nothing of the record's own structure.
 */
class NaiveRecord {
  log: Logged[] = [];

  private forget(gone: (entry: Logged) => boolean): number {
    const before = new Set(this.log.map((e) => `${e.context}|${e.root}`)).size;
    this.log = this.log.filter((entry) => !gone(entry));
    return before - new Set(this.log.map((e) => `${e.context}|${e.root}`)).size;
  }

  of(context: string, root: string): Logged[] {
    return this.log.filter((e) => e.context === context && e.root === root);
  }

  idle(now: number): void {
    const last = (entry: Logged): number =>
      Math.max(...this.of(entry.context, entry.root).map((e) => e.at));
    this.forget((entry) => now - last(entry) >= 60 * MINUTE);
  }

  record(context: string, root: string, emission: Emission, at: number): void {
    this.idle(at);
    this.log.push({ context, root, at, emission, lost: false });
    // Buckets and projects, each once, from the latest to the earliest.
    const buckets = [
      ...new Set(
        this.log.toReversed().map((e) => JSON.stringify([e.context, e.root])),
      ),
    ].map((key) => JSON.parse(key) as [string, string]);
    const projects = [...new Set(buckets.map(([, r]) => r))];
    for (const entry of this.log) {
      const place = buckets.findIndex(
        ([c, r]) => c === entry.context && r === entry.root,
      );
      if (
        place >= SMALL.MAX_BUCKETS ||
        projects.indexOf(entry.root) >= SMALL.MAX_PROJECTS
      )
        entry.lost = true;
    }
    for (const [c, r] of buckets.slice(SMALL.MAX_COUNTED_BUCKETS))
      this.forget((e) => e.context === c && e.root === r);
  }

  drop(context: string): number {
    if (context === "") return 0;
    const isSession = !context.includes(":");
    return this.forget(
      ({ context: c }) =>
        c === context ||
        (isSession && (c.startsWith(`${context}:`) || / sha256:/.test(c))),
    );
  }

  view(context: string, root: string, now: number): SessionView {
    this.idle(now);
    const all = this.of(context, root);
    return {
      callCount: all.length,
      responseBytes: all.reduce((sum, e) => sum + e.emission.responseBytes, 0),
      calls: all
        .map(({ emission, lost }, i) => ({ emission, lost, index: i + 1 }))
        .slice(-SMALL.MAX_CALLS)
        .slice(-SMALL.MAX_CALLS_IN_VIEW)
        .filter(({ lost }) => !lost)
        .map(({ emission, index }) => ({
          ...emission,
          query: Array.from(emission.query.slice(0, 3)).join(""),
          files: keptFiles(emission.files),
          index,
        }))
        .reverse(),
    };
  }
}

/** Line by line: the runs of what was sent, the longest first. */
function keptFiles(files: readonly DeliveredFile[]): DeliveredFile[] {
  const kept: DeliveredFile[] = [];
  for (const file of files) {
    const runs: number[][] = [];
    for (let line = 1; line <= 40; line++)
      if (
        file.spans.some(
          ([a, b]) => isLine(a) && isLine(b) && a <= line && line <= b,
        )
      )
        if (runs.at(-1)?.at(-1) === line - 1) runs.at(-1)!.push(line);
        else runs.push([line]);
    const spans: Span[] = [];
    for (const length of many(40, (i) => 40 - i))
      for (const run of runs)
        if (run.length === length && spans.length < SMALL.MAX_SPANS_PER_FILE)
          spans.push([run[0]!, run.at(-1)!]);
    const truncated = file.truncated || spans.length < runs.length;
    if (spans.length > 0 && file.fingerprint !== "")
      kept.push({
        ...file,
        spans: spans.sort((x, y) => x[0] - y[0]),
        truncated,
      });
  }
  const least = (i: number): number =>
    kept.filter(
      (other, j) =>
        other.sourceBytes > kept[i]!.sourceBytes ||
        (other.sourceBytes === kept[i]!.sourceBytes && j < i),
    ).length;
  return kept
    .map((file, i) => ({ file, place: least(i) }))
    .filter(({ place }) => place < SMALL.MAX_FILES_PER_CALL)
    .sort((x, y) => x.place - y.place)
    .map(({ file }) => file);
}

const isLine = (n: number): boolean => Number.isInteger(n) && n >= 1;

law("session-bounds", "a record is what its log says, bounded", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const record = new SessionRecord(SMALL);
      const naive = new NaiveRecord();
      let now = 0;
      for (const { context, root, wait, what } of steps) {
        now += wait * MINUTE;
        if (what.do === "record") {
          record.record(context, root, what.emission, now);
          naive.record(context, root, what.emission, now);
        } else if (what.do === "forget")
          expect(record.forget(context)).toBe(naive.drop(context));
        else {
          const view = record.view(context, root, now);
          expect(view).toEqual(naive.view(context, root, now));
          compared += view.calls.length;
        }
      }
      for (const context of ["", "S", "S:1"])
        for (const root of ["/p", "/q", "/r"]) {
          const view = record.view(context, root, now);
          expect(view).toEqual(naive.view(context, root, now));
          compared += view.calls.length;
        }
    }),
  );
  expect(compared).toBeGreaterThan(100);
});

law("session-bounds", "every bound of the spec holds", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          context: fc.integer({ min: 0, max: 40 }).map(String),
          root: fc.integer({ min: 0, max: 6 }).map((n) => `/p${n}`),
          files: fc.integer({ min: 0, max: 40 }),
          spans: fc.integer({ min: 0, max: 40 }),
        }),
        { minLength: 20, maxLength: 120, size: "max" },
      ),
      (calls) => {
        const record = new SessionRecord();
        for (const { context, root, files, spans } of calls)
          record.record(
            context,
            root,
            emissionOf({
              query: "q".repeat(600),
              files: many(files, (i) =>
                fileOf({
                  path: `f${i}`,
                  spans: many(spans, (j): Span => [3 * j + 1, 3 * j + 1]),
                }),
              ),
            }),
            0,
          );
        const views = [
          ...new Set(calls.map((c) => JSON.stringify([c.context, c.root]))),
        ].map((key) => {
          const [context, root] = JSON.parse(key) as [string, string];
          return { root, view: record.view(context, root, 0) };
        });
        const detailed = views.filter(({ view }) => view.calls.length > 0);
        expect(detailed.length).toBeLessThanOrEqual(limits.MAX_BUCKETS);
        expect(new Set(detailed.map((d) => d.root)).size).toBeLessThanOrEqual(
          limits.MAX_PROJECTS,
        );
        for (const { view } of views) {
          expect(view.calls.length).toBeLessThanOrEqual(
            limits.MAX_CALLS_IN_VIEW,
          );
          for (const { files, query } of view.calls) {
            expect(query.length).toBe(limits.MAX_QUERY_CHARS_KEPT);
            expect(files.length).toBeLessThanOrEqual(limits.MAX_FILES_PER_CALL);
            for (const { spans } of files)
              expect(spans.length).toBeLessThanOrEqual(
                limits.MAX_SPANS_PER_FILE,
              );
          }
        }
      },
    ),
    { numRuns: 20 },
  );
});

law("session-counters", "they only grow, whatever is evicted", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.constantFrom("S", "T"),
          fc.constantFrom("/p", "/q", "/r", "/s", "/t", "/u"),
          anyEmission,
        ),
        { maxLength: 60, size: "max" },
      ),
      (calls) => {
        const record = new SessionRecord();
        const counted = new Map<string, [calls: number, bytes: number]>();
        for (const [context, root, emission] of calls) {
          record.record(context, root, emission, 0);
          const key = context + root;
          const [n, bytes] = counted.get(key) ?? [0, 0];
          counted.set(key, [n + 1, bytes + emission.responseBytes]);
          for (const c of ["S", "T"])
            for (const r of ["/p", "/q", "/r", "/s", "/t", "/u"]) {
              const view = record.view(c, r, 0);
              const [n, bytes] = counted.get(c + r) ?? [0, 0];
              if (view.callCount !== n || view.responseBytes !== bytes)
                expect.fail(`${c} ${r}: ${view.callCount} of ${n} calls`);
              if ((view.calls[0]?.index ?? n) !== n)
                expect.fail(`${c} ${r}: the latest is not call ${n}`);
            }
        }
      },
    ),
    { numRuns: 40 },
  );
});

law(
  "session-drops-what-it-doubts",
  "no line is claimed that no emission of this bucket carried",
  () => {
    let claimed = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const record = new SessionRecord();
        const carried = new Set<string>();
        for (const { context, root, what } of steps) {
          if (what.do !== "record") continue;
          record.record(context, root, what.emission, 0);
          for (const { path, spans, fingerprint } of what.emission.files)
            for (const [a, b] of spans.filter(isSound))
              for (let line = a; line <= b; line++)
                carried.add([context, root, path, fingerprint, line].join());
          for (const call of record.view(context, root, 0).calls)
            for (const { path, spans, fingerprint } of call.files)
              for (const [a, b] of spans)
                for (let line = a; line <= b; line++, claimed++) {
                  const said = [context, root, path, fingerprint, line].join();
                  if (!carried.has(said)) expect.fail(said);
                }
        }
      }),
    );
    expect(claimed).toBeGreaterThan(100);
  },
);

law("session-travels-as-data", "clone and JSON give it back equal", () => {
  fc.assert(
    fc.property(fc.array(anyEmission, { maxLength: 6 }), (emissions) => {
      const plain = new SessionRecord();
      const sent = new SessionRecord();
      for (const emission of emissions) {
        plain.record("S", "/p", emission, 0);
        sent.record("S", "/p", structuredClone(emission), 0);
        const view = sent.view("S", "/p", 0);
        expect(view).toEqual(plain.view("S", "/p", 0));
        expect(structuredClone(view)).toEqual(view);
        expect(JSON.parse(JSON.stringify(view))).toEqual(view);
      }
    }),
  );
});

ruleTest("session-travels-as-data", "nobody reaches into the record", () => {
  const record = new SessionRecord();
  const spans: [number, number][] = [[1, 9]];
  const files = [fileOf({ spans })];
  record.record("S", "/p", emissionOf({ files }), 0);
  const before = record.view("S", "/p", 0);
  const copy = structuredClone(before);
  // What was handed in stays the caller's own, to change.
  spans[0]![1] = 99;
  files.push(fileOf({ path: "b.ts" }));
  expect(record.view("S", "/p", 0)).toEqual(copy);
  // What was handed out is frozen, down to the spans.
  const [call] = before.calls;
  const reach = (change: () => void) => expect(change).toThrow(TypeError);
  reach(() => ((call as { asked: string }).asked = "z"));
  reach(() => (call!.files as DeliveredFile[]).push(fileOf()));
  reach(() => (call!.files[0]!.spans as Span[]).push([20, 30]));
  reach(() => ((call!.files[0]!.spans[0] as [number, number])[1] = 99));
  (before.calls as unknown[]).length = 0;
  expect(record.view("S", "/p", 0)).toEqual(copy);
  // Nor does it keep what it has no name for.
  const more = { ...emissionOf(), root: "/p", text: "source" };
  record.record("S", "/p", more, 0);
  expect(Object.keys(record.view("S", "/p", 0).calls[0]!).sort()).toEqual(
    Object.keys(call!).sort(),
  );
});
