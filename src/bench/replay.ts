/**
 * Asks the same questions twice, with dedup off and on: same index, same handler,
 * a fresh record for each run. What an answer holds is read from the answer.
 *
 * Units: characters are UTF-16 units; those of source count a line's text and its
 * line feed, without its number. Times are milliseconds.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "../index/decode.ts";
import { splitLines } from "../model/lines.ts";
import type { ToolHandler } from "../serve/handler.ts";
import { TOOL } from "../serve/tool.ts";
import { SessionRecord } from "../session/record.ts";
import { readAnswer } from "./answer.ts";

export interface Measured {
  responseChars: number;
  sourceChars: number;
  /** Of lines that no earlier answer of the run held. */
  uniqueChars: number;
  duplicateChars: number;
  sourceLines: number;
  duplicateLines: number;
  pointers: number;
  /** Numbered lines that are not the file's own. */
  notVerbatim: number;
  /** Median over the runs. */
  ms: number;
}

export interface ReplayedCall {
  readonly query: string;
  readonly off: Measured;
  readonly on: Measured;
}

export interface Replay {
  readonly root: string;
  readonly runs: number;
  readonly calls: readonly ReplayedCall[];
  readonly total: { readonly off: Measured; readonly on: Measured };
  /** Of the characters that the run without dedup sends again, how many came back as source never sent before; 1 for all. */
  readonly reclaimed: number;
}

/** @spec replay-two-arms replay-reads-answers */
export async function replay(
  handler: ToolHandler,
  root: string,
  queries: readonly string[],
  runs: number,
): Promise<Replay> {
  const arms = { off: [] as Measured[][], on: [] as Measured[][] };
  for (let run = 0; run < runs; run++)
    // In turn, so that a drift of the machine's speed meets both.
    for (const arm of ["off", "on"] as const)
      arms[arm].push(await one(handler, root, queries, arm));
  const off = medians(arms.off);
  const on = medians(arms.on);
  const total = { off: sum(off), on: sum(on) };
  return {
    root,
    runs,
    calls: queries.map((query, i) => ({ query, off: off[i]!, on: on[i]! })),
    total,
    reclaimed:
      total.off.duplicateChars === 0
        ? 0
        : (total.on.uniqueChars - total.off.uniqueChars) /
          total.off.duplicateChars,
  };
}

async function one(
  handler: ToolHandler,
  root: string,
  queries: readonly string[],
  arm: "off" | "on",
): Promise<Measured[]> {
  const session = new SessionRecord();
  const seen = new Set<string>();
  const disk = new Map<string, readonly string[]>();
  const out: Measured[] = [];
  for (const query of queries) {
    const started = performance.now();
    const result = await handler.execute(TOOL, { query }, session, {
      places: [root],
      now: () => performance.now(),
      settings: { dedup: arm === "off" ? "0" : "1", debug: undefined },
    });
    const ms = performance.now() - started;
    const text = result.content[0]!.text;
    const { lines, pointers } = readAnswer(text);
    const m: Measured = {
      ...NOTHING,
      responseChars: text.length,
      pointers: pointers.length,
      ms,
    };
    for (const { path, line, text: shown } of lines) {
      const key = `${path}:${line}`;
      const chars = shown.length + 1;
      m.sourceChars += chars;
      m.sourceLines++;
      if (seen.has(key)) {
        m.duplicateChars += chars;
        m.duplicateLines++;
      } else m.uniqueChars += chars;
      seen.add(key);
      if (linesOf(disk, root, path)[line - 1] !== shown) m.notVerbatim++;
    }
    out.push(m);
  }
  return out;
}

const NOTHING: Readonly<Measured> = {
  responseChars: 0,
  sourceChars: 0,
  uniqueChars: 0,
  duplicateChars: 0,
  sourceLines: 0,
  duplicateLines: 0,
  pointers: 0,
  notVerbatim: 0,
  ms: 0,
};

function linesOf(
  disk: Map<string, readonly string[]>,
  root: string,
  path: string,
): readonly string[] {
  let lines = disk.get(path);
  if (!lines) {
    try {
      lines = splitLines(decode(readFileSync(join(root, path))).text);
    } catch {
      lines = [];
    }
    disk.set(path, lines);
  }
  return lines;
}

/** The runs give the same bytes; only their times differ. */
function medians(runs: readonly (readonly Measured[])[]): Measured[] {
  return runs[0]!.map((first, i) => {
    const times = runs.map((run) => run[i]!.ms).sort((a, b) => a - b);
    return { ...first, ms: times[times.length >> 1]! };
  });
}

function sum(calls: readonly Measured[]): Measured {
  const out = { ...NOTHING };
  for (const call of calls)
    for (const key of Object.keys(out) as (keyof Measured)[])
      out[key] += call[key];
  return out;
}
