/** A replay as a table for people. */
import type { Measured, Replay } from "./replay.ts";

/** @spec replay-report */
export function replayText({
  root,
  runs,
  calls,
  total,
  reclaimed,
}: Replay): string {
  const lines = [
    `Replay of ${calls.length} questions on ${root}, ${runs} runs, dedup off and on`,
    "",
    row([
      "call",
      "dedup",
      "response",
      "source",
      "unique",
      "duplicate",
      "share",
      "pointers",
      "ms",
    ]),
  ];
  const arm = (call: string, dedup: string, m: Measured) =>
    row([
      call,
      dedup,
      count(m.responseChars),
      count(m.sourceChars),
      count(m.uniqueChars),
      count(m.duplicateChars),
      `${share(m).toFixed(1)}%`,
      count(m.pointers),
      m.ms.toFixed(1),
    ]);
  calls.forEach(({ off, on }, i) =>
    lines.push(arm(`${i + 1}`, "off", off), arm("", "on", on)),
  );
  lines.push(
    arm("all", "off", total.off),
    arm("", "on", total.on),
    "",
    `Response   ${signed(total.on.responseChars, total.off.responseChars)}`,
    `Unique     ${signed(total.on.uniqueChars, total.off.uniqueChars)}`,
    `Reclaimed  ${(reclaimed * 100).toFixed(0)}% of ${count(total.off.duplicateChars)} duplicate characters came back as new source`,
    `Latency    ${((total.on.ms - total.off.ms) / calls.length).toFixed(1)} ms a call`,
    `Verbatim   ${total.on.notVerbatim + total.off.notVerbatim === 0 ? "every line" : `${total.on.notVerbatim + total.off.notVerbatim} lines are not the file's own`}`,
    "",
    ...calls.map(({ query }, i) => `${i + 1}  ${query}`),
  );
  return `${lines.join("\n")}\n`;
}

const count = (n: number): string => n.toLocaleString("en-US");
const share = (m: Measured): number =>
  (100 * m.duplicateChars) / Math.max(1, m.sourceChars);
const signed = (now: number, before: number): string => {
  const percent = (100 * (now - before)) / Math.max(1, before);
  return `${percent < 0 ? "" : "+"}${percent.toFixed(1)}% (${count(before)} to ${count(now)} characters)`;
};
const WIDTHS = [4, 5, 9, 8, 8, 9, 6, 8, 7] as const;
const row = (cells: readonly string[]): string =>
  cells.map((cell, i) => cell.padStart(WIDTHS[i]!)).join("  ");
