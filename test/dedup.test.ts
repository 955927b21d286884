/** What is sent, what is pointed at, and what is never withheld. */
import fc from "fast-check";
import { expect } from "vitest";
import { cover } from "../src/dedup/cover.ts";
import {
  charsOf,
  decideFile,
  delivered,
  type FileDecision,
} from "../src/dedup/file.ts";
import { folds, gateOf, switchedOn } from "../src/dedup/gates.ts";
import { putBack, sentAgain } from "../src/dedup/guard.ts";
import { heldSpans, unheldPadding } from "../src/dedup/held.ts";
import { pointer } from "../src/dedup/pointer.ts";
import { fingerprint } from "../src/model/fingerprint.ts";
import { printSpans, readSpans, type Span } from "../src/model/span.ts";
import { readQuery } from "../src/rank/query.ts";
import { askedKey } from "../src/session/asked.ts";
import { SessionRecord } from "../src/session/record.ts";
import type { DeliveredFile, SessionView } from "../src/session/view.ts";
import { limits, wordings } from "../src/spec.gen.ts";
import { examples, law, ruleTest } from "./from-spec.ts";

const linesOf = (spans: readonly Span[]): number[] =>
  spans.flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i));

const viewOf = (...calls: Partial<SessionView["calls"][number]>[]) => ({
  callCount: calls.length,
  responseBytes: 0,
  calls: calls.map((call, i) => ({
    query: "",
    asked: "",
    files: [],
    responseBytes: 0,
    pointed: false,
    index: calls.length - i,
    ...call,
  })),
});

examples(
  "dedup-covered-run",
  ["given held", "when wanted"],
  ["then send", "then point at"],
  (row, limits) => {
    const { send, pointAt } = cover(
      readSpans(row["when wanted"]),
      readSpans(row["given held"]),
      limits,
    );
    return {
      "then send": printSpans(send),
      "then point at": printSpans(pointAt),
    };
  },
);

const LAST = 80;
const span = fc
  .tuple(fc.integer({ min: 1, max: LAST }), fc.nat(24))
  .map(([first, more]): Span => [first, Math.min(LAST, first + more)]);
const spans = fc.array(span, { maxLength: 8 });

/** The rule, line by line. */
function naiveCover(wanted: readonly Span[], held: readonly Span[]) {
  const isWanted = new Set(linesOf(wanted));
  const isHeld = new Set(linesOf(held));
  const send: number[] = [];
  const pointAt: number[] = [];
  let run: number[] = [];
  for (let line = 1; line <= LAST + 1; line++) {
    if (isWanted.has(line) && isHeld.has(line)) {
      run.push(line);
      continue;
    }
    (run.length >= limits.MIN_COVERED_LINES ? pointAt : send).push(...run);
    run = [];
    if (isWanted.has(line)) send.push(line);
  }
  return { send, pointAt };
}

law("dedup-covered-run", "runs are taken as the rule says", () => {
  fc.assert(
    fc.property(spans, spans, (wanted, held) => {
      const { send, pointAt } = cover(wanted, held);
      expect({ send: linesOf(send), pointAt: linesOf(pointAt) }).toEqual(
        naiveCover(wanted, held),
      );
      for (const part of [send, pointAt])
        for (const [i, [first]] of part.entries())
          if (i > 0) expect(first).toBeGreaterThan(part[i - 1]![1] + 1);
    }),
  );
});

ruleTest("dedup-covered-run", "what is no range of lines", () => {
  const broken: Span[] = [
    [9, 1],
    [0, 9],
    [1.5, 9],
    [NaN, 9],
    [1, Infinity],
  ];
  for (const bad of broken) {
    expect(() => cover([[20, 30], bad], [])).toThrow(RangeError);
    expect(cover([[1, 9]], [bad])).toEqual({ send: [[1, 9]], pointAt: [] });
  }
  expect(() =>
    decideFile({ wanted: [[1, 4]], held: [], lines: ["a"] }),
  ).toThrow(RangeError);
});

/** Lines of up to 40 characters. */
const fileLines = fc
  .array(fc.nat(40), { minLength: LAST, maxLength: LAST })
  .map((lengths) => lengths.map((length) => "x".repeat(length)));

law("dedup-never-withholds", "every line is sent, held or folded", () => {
  let folded = 0;
  fc.assert(
    fc.property(
      spans,
      spans,
      spans,
      fileLines,
      fc.boolean(),
      (wanted, held, named, lines, again) => {
        const decision = decideFile({ wanted, held, lines, named, again });
        const parts = [decision.send, decision.pointAt, decision.folded];
        // Each wanted line is in just one part, and no other is.
        expect(parts.flatMap(linesOf).sort((a, b) => a - b)).toEqual(
          [...new Set(linesOf(wanted))].sort((a, b) => a - b),
        );
        const isHeld = new Set(again ? [] : linesOf(held));
        expect(linesOf(decision.pointAt).filter((n) => !isHeld.has(n))).toEqual(
          [],
        );
        if (decision.folded.length === 0) return;
        folded++;
        expect(decision.send).toEqual([]);
        expect(decision.pointAt).not.toEqual([]);
        const isNamed = new Set(linesOf(named));
        const pointed = new Set(linesOf(decision.pointAt));
        let chars = 0;
        for (const [a, b] of decision.folded) {
          const own = linesOf([[a, b]]);
          chars += own.map((n) => `${lines[n - 1]}\n`).join("").length;
          expect(own.filter((n) => isNamed.has(n))).toEqual([]);
          expect(
            pointed.has(a - 1) ||
              pointed.has(b + 1) ||
              own.every((n) => isHeld.has(n)),
          ).toBe(true);
        }
        expect(chars).toBeLessThan(limits.MIN_DELTA_CHARS);
      },
    ),
    { numRuns: 1000 },
  );
  expect(folded).toBeGreaterThan(10);
});

examples(
  "dedup-content",
  ["given recorded", "when now"],
  ["then held"],
  (row) => {
    const [, path, held, of] = /^(\S+) (.+) of (\S+)$/.exec(
      row["given recorded"],
    )!;
    const file: DeliveredFile = {
      path: path!,
      spans: readSpans(held!),
      fingerprint: of === "–" ? "" : of!,
      sourceBytes: 9,
      truncated: false,
    };
    const view = viewOf({ files: [file] });
    return {
      "then held": printSpans(heldSpans(view, "a.ts", row["when now"])),
    };
  },
);

ruleTest("dedup-content", "without proof nothing is held", () => {
  const file: DeliveredFile = {
    path: "a.ts",
    spans: [[1, 9]],
    fingerprint: "",
    sourceBytes: 9,
    truncated: false,
  };
  expect(heldSpans(viewOf({ files: [file] }), "a.ts", "")).toEqual([]);
  expect(heldSpans(undefined, "a.ts", "10:aa")).toEqual([]);
  const calls = [
    { files: [{ ...file, fingerprint: "10:aa" }] },
    { files: [{ ...file, fingerprint: "10:bb", spans: [[30, 39] as const] }] },
    { files: [{ ...file, fingerprint: "10:aa", spans: [[10, 12] as const] }] },
  ];
  expect(heldSpans(viewOf(...calls), "a.ts", "10:aa")).toEqual([[1, 12]]);
});

examples(
  "dedup-remainder",
  ["given new source", "given pointed at"],
  ["then remainder"],
  (row, limits) => {
    const chars = Number(row["given new source"]);
    const pointsAt = readSpans(row["given pointed at"]).length;
    const remainder = folds(chars, pointsAt, limits)
      ? "folded"
      : chars > 0
        ? "sent"
        : "none";
    return { "then remainder": remainder };
  },
);

examples(
  "dedup-remainder-touches",
  ["given held", "given named", "when wanted"],
  ["then send", "then point at", "then folded"],
  (row, limits) => {
    const decision = decideFile(
      {
        wanted: readSpans(row["when wanted"]),
        held: readSpans(row["given held"]),
        named: readSpans(row["given named"]),
        lines: Array.from({ length: 90 }, () => "0123456789"),
      },
      limits,
    );
    return {
      "then send": printSpans(decision.send),
      "then point at": printSpans(decision.pointAt),
      "then folded": printSpans(decision.folded),
    };
  },
);

ruleTest("dedup-remainder", "source is measured in UTF-16 units", () => {
  const lines = ["héllo", "", "🙂", "\tx"];
  expect(charsOf([[1, 1]], lines)).toBe(6);
  expect(charsOf([[2, 3]], lines)).toBe(4);
  expect(
    charsOf(
      [
        [1, 2],
        [4, 4],
      ],
      lines,
    ),
  ).toBe(10);
});

examples(
  "dedup-padding",
  ["given held", "given padding", "when wanted"],
  ["then sent"],
  (row) => {
    const [wanted] = readSpans(row["when wanted"]);
    const sent = unheldPadding(
      wanted!,
      Number(row["given padding"]),
      readSpans(row["given held"]),
      20,
    );
    return { "then sent": printSpans([sent]) };
  },
);

law("dedup-padding", "it adds what is not held, and as much as it may", () => {
  fc.assert(
    fc.property(span, fc.nat(6), spans, (wanted, padding, held) => {
      const isHeld = new Set(linesOf(held));
      const free = (line: number): boolean =>
        line >= 1 && line <= LAST && !isHeld.has(line);
      let [from, to] = wanted;
      for (let i = 0; i < padding && free(from - 1); i++) from--;
      for (let i = 0; i < padding && free(to + 1); i++) to++;
      expect(unheldPadding(wanted, padding, held, LAST)).toEqual([from, to]);
    }),
  );
});

law("dedup-first-call", "without history all that is wanted is sent", () => {
  fc.assert(
    fc.property(spans, fileLines, (wanted, lines) => {
      const record = new SessionRecord();
      const view = record.view("S", "/p", 0);
      expect(gateOf(view, "x", undefined)).toBe("first-call");
      expect(gateOf(undefined, "x", undefined)).toBe("untracked");
      const held = heldSpans(view, "a.ts", "10:aa");
      const untracked = heldSpans(undefined, "a.ts", "10:aa");
      const first = decideFile({ wanted, held, lines });
      expect(first).toEqual(decideFile({ wanted, held: untracked, lines }));
      expect(first.pointAt).toEqual([]);
      expect(first.folded).toEqual([]);
    }),
  );
});

const askedOf = (query: string): string => {
  const { terms, paths } = readQuery(query);
  return askedKey(
    terms.keys(),
    paths.flatMap(({ path, lines }) =>
      lines ? `${path} ${printSpans([lines])}` : [],
    ),
  );
};

examples(
  "dedup-asked-twice",
  ["given earlier query", "given it had pointers", "when query"],
  ["then dedup"],
  (row) => {
    const earlier = {
      asked: askedOf(row["given earlier query"]),
      pointed: row["given it had pointers"] === "yes",
    };
    const other = { asked: askedOf("something else"), pointed: true };
    const gate = gateOf(
      viewOf(other, earlier, other),
      askedOf(row["when query"]),
      undefined,
    );
    expect(["on", "asked-twice"]).toContain(gate);
    return { "then dedup": gate === "on" ? "on" : "off" };
  },
);

law(
  "dedup-asked-twice",
  "order and repetition do not make another query",
  () => {
    const words = fc.array(fc.string({ maxLength: 5 }), { maxLength: 5 });
    fc.assert(
      fc.property(words, words, words, (terms, paths, others) => {
        const key = askedKey(terms, paths);
        expect(askedKey([...terms].reverse(), [...paths, ...paths])).toBe(key);
        expect(key).toHaveLength(64);
        const normal = (some: readonly string[]): string[] =>
          [...new Set(some.map((word) => word.toLowerCase()))].sort();
        expect(askedKey(others, paths) === key).toBe(
          JSON.stringify(normal(others)) === JSON.stringify(normal(terms)),
        );
        // A word is not a path of the same spelling.
        if (normal(terms).join() !== normal(paths).join())
          expect(askedKey(paths, terms)).not.toBe(key);
      }),
    );
  },
);

law("dedup-asked-by-number", "what is held does not count", () => {
  fc.assert(
    fc.property(spans, spans, fileLines, (wanted, held, lines) => {
      expect(decideFile({ wanted, held, lines, again: true })).toEqual(
        decideFile({ wanted, held: [], lines }),
      );
    }),
  );
});

examples("dedup-switch", ["given value"], ["then dedup"], (row) => {
  const value = row["given value"] === "–" ? undefined : row["given value"];
  const view = viewOf({ asked: "before" });
  const gate = gateOf(view, "now", value);
  expect(gate).toBe(switchedOn(value) ? "on" : "switched-off");
  return { "then dedup": switchedOn(value) ? "on" : "off" };
});

const names = (cell: string): string[] => (cell === "–" ? [] : cell.split(" "));

examples(
  "dedup-pointer",
  ["given spans", "given symbols"],
  ["then names"],
  (row, limits) => {
    const facts = {
      path: "a.ts",
      spans: readSpans(row["given spans"]),
      symbols: names(row["given symbols"]),
      newFollows: false,
    };
    const said = pointer(facts, limits);
    expect(pointer({ ...facts, newFollows: true }, limits)).toBe(
      `${said} ${wordings.POINTER_NEW}`,
    );
    const found = /`a\.ts` (.*)\. Checked now: .*unchanged.*\.$/.exec(said);
    return { "then names": found?.[1] ?? said };
  },
);

ruleTest("dedup-pointer", "the whole sentence", () => {
  expect(
    pointer({
      path: "src/cycle.ts",
      spans: [
        [1, 12],
        [20, 40],
      ],
      symbols: ["Cycle", "close"],
      newFollows: true,
    }),
  ).toBe(
    "**Already sent earlier in this conversation:** `src/cycle.ts` L1-12, L20-40 (Cycle, close). " +
      "Checked now: the file is unchanged since, so that copy is exact. Only lines not sent before follow.",
  );
});

law("dedup-pointer", "it names what it is given, on one line", () => {
  const symbol = fc.stringMatching(/^[a-z_][a-z0-9_$]{0,8}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(span, { minLength: 1, maxLength: 9 }),
      fc.array(symbol, { maxLength: 9 }),
      fc.boolean(),
      (some, symbols, newFollows) => {
        const said = pointer({
          path: "a/b.ts",
          spans: some,
          symbols,
          newFollows,
        });
        expect(said).toMatch(
          /^\*\*Already sent earlier in this conversation:\*\* `a\/b\.ts` L\d[^\n]*$/,
        );
        for (const found of said.match(/L\d+(-\d+)?/g)!)
          expect(some.map((s) => printSpans([s]))).toContain(found);
      },
    ),
  );
});

ruleTest(
  "dedup-pointer",
  "no word of it sounds like a loss or sends away",
  () => {
    for (const said of [
      wordings.POINTER,
      wordings.POINTER_NEW,
      wordings.POINTER_SYMBOLS,
      wordings.POINTERS_INTRO,
    ])
      expect(said).not.toMatch(/omit|skip|hidden|withh|truncat|\bread\b|open/i);
  },
);

const decisionOf = (word: string): FileDecision => ({
  send: /new|partly/.test(word) ? [[30, 40]] : [],
  pointAt: /pointed|partly|folded/.test(word) ? [[1, 20]] : [],
  folded: word === "folded" ? [[21, 21]] : [],
});

examples(
  "dedup-guard",
  ["given files in rank order"],
  ["then sent again"],
  (row) => {
    const decisions = names(row["given files in rank order"]).map(decisionOf);
    const place = putBack(decisions);
    return { "then sent again": place === undefined ? "–" : `${place + 1}` };
  },
);

law("dedup-guard", "after it, where anything is held, source is shown", () => {
  const word = fc.constantFrom("pointed", "new", "partly", "folded", "empty");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      const decisions = words.map(decisionOf);
      const place = putBack(decisions);
      const after = decisions.map((d, i) => (i === place ? sentAgain(d) : d));
      expect(after.some(({ send }) => send.length > 0)).toBe(
        words.some((w) => w !== "empty"),
      );
      if (place === undefined) return;
      const { send, pointAt, folded } = decisions[place]!;
      expect(new Set(linesOf(after[place]!.send))).toEqual(
        new Set([send, pointAt, folded].flatMap(linesOf)),
      );
      expect(after[place]).toMatchObject({ pointAt: [], folded: [] });
    }),
  );
});

/** A call of a random session: who asks, about what, and which file was edited before. */
const call = fc.record({
  context: fc.constantFrom("", "S", "S:1"),
  root: fc.constantFrom("/p", "/q"),
  edit: fc.option(fc.constantFrom("a.ts", "b.ts"), { freq: 5 }),
  asked: fc.constantFrom("x", "y", "z", "u", "v", "w"),
  off: fc.boolean(),
  forgets: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  lost: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  wanted: fc.dictionary(fc.constantFrom("a.ts", "b.ts"), spans, {
    noNullPrototype: true,
  }),
});

law(
  "dedup-never-withholds",
  "a session points only at what this context was really sent",
  () => {
    let pointed = 0;
    let spared = 0;
    fc.assert(
      fc.property(fc.array(call, { maxLength: 25, size: "max" }), (calls) => {
        const record = new SessionRecord();
        const version: Record<string, number> = {};
        /** What each context's window holds: context, root, path, line, text. */
        const windows = new Set<string>();
        for (const { context, root, edit, wanted, ...c } of calls) {
          if (edit) version[root + edit] = (version[root + edit] ?? 0) + 1;
          if (c.forgets && context !== "") {
            record.forget(context);
            for (const line of windows)
              if (line.startsWith(`${context}|`)) windows.delete(line);
          }
          const view = structuredClone(record.view(context, root, 0));
          const gate = gateOf(view, c.asked, c.off ? "0" : undefined);
          const files = Object.entries(wanted).map(([path, spans]) => {
            const lines = Array.from(
              { length: LAST },
              (_, i) => `${path} ${i + 1} of ${version[root + path] ?? 0}`,
            );
            const bytes = Buffer.from(lines.join("\n"));
            const of = fingerprint(bytes);
            const held = gate === "on" ? heldSpans(view, path, of) : [];
            const decision = decideFile({ wanted: spans, held, lines });
            return { path, lines, of, held, decision };
          });
          const place = putBack(files.map(({ decision }) => decision));
          const answer = files.map(({ decision, ...file }, i) => ({
            ...file,
            shown: i === place ? sentAgain(decision) : decision,
            isBack: i === place,
          }));
          const key = (file: { path: string; lines: string[] }, n: number) =>
            `${context}|${root}|${file.path}|${n}|${file.lines[n - 1]}`;
          for (const file of answer) {
            for (const n of linesOf(file.shown.pointAt)) {
              pointed++;
              if (!windows.has(key(file, n))) expect.fail(key(file, n));
            }
            if (gate !== "on" || file.isBack) continue;
            // No long run of what the view proves is sent again.
            const again = new Set(linesOf(file.held));
            for (const [a, b] of file.shown.send) {
              let run = 0;
              for (let n = a; n <= b; n++) {
                run = again.has(n) ? run + 1 : 0;
                if (run >= limits.MIN_COVERED_LINES)
                  expect.fail(`${file.path} L${n} once more`);
              }
            }
            spared += again.size;
          }
          // A call that was cancelled reaches nobody and is not recorded.
          if (c.lost) continue;
          for (const file of answer)
            for (const n of linesOf(file.shown.send)) windows.add(key(file, n));
          record.record(
            context,
            root,
            {
              query: c.asked,
              asked: c.asked,
              files: answer.map(({ path, of, shown, lines }) =>
                delivered({
                  path,
                  fingerprint: of,
                  sent: shown.send,
                  pointedAt: shown.pointAt,
                  sourceBytes: charsOf(shown.send, lines),
                }),
              ),
              responseBytes: 1,
              pointed: answer.some(({ shown }) => shown.pointAt.length > 0),
            },
            0,
          );
          // What the record now says is in the window, line by line.
          for (const { path, fingerprint: of, spans } of record
            .view(context, root, 0)
            .calls.flatMap((r) => r.files)) {
            const file = answer.find((a) => a.path === path && a.of === of);
            if (file)
              for (const n of linesOf(spans))
                if (!windows.has(key(file, n))) expect.fail(key(file, n));
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(pointed).toBeGreaterThan(1000);
    expect(spared).toBeGreaterThan(1000);
  },
);
