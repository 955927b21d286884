/**
 * The script blocks of a host file, each as the whole text with all else blank: so
 * lines and offsets are those of the file.
 */
import type { HostBlock } from "../../languages/language.ts";
import type { Range } from "./facts.ts";

export interface Script {
  /** A language id. */
  readonly language: string;
  readonly text: string;
}

/** One text a language, holding all its blocks, and the rest. @spec script-blocks */
export function scriptsOf(
  text: string,
  blocks: readonly HostBlock[],
): { scripts: Script[]; rest: string } {
  const ranges = new Map<string, Range[]>();
  const all: Range[] = [];
  for (const block of blocks)
    for (const { start, end, tag } of blocksIn(
      text,
      block,
      all.at(-1)?.end ?? 0,
    )) {
      const language = block.languages[langOf(tag)];
      if (language === undefined) continue;
      const list = ranges.get(language) ?? [];
      ranges.set(language, list);
      list.push({ start, end });
      all.push({ start, end });
    }
  return {
    scripts: [...ranges].map(([language, list]) => ({
      language,
      text: only(text, list),
    })),
    rest: without(text, all),
  };
}

function* blocksIn(
  text: string,
  block: HostBlock,
  from: number,
): Generator<Range & { tag: string }> {
  const open = new RegExp(block.open);
  const close = new RegExp(block.close);
  open.lastIndex = from;
  for (let m = open.exec(text); m !== null; m = open.exec(text)) {
    if (block.atStart && text.slice(0, m.index).trim() !== "") return;
    const start = m.index + m[0].length;
    close.lastIndex = start;
    const end = close.exec(text);
    if (!m[0].endsWith("/>"))
      yield { start, end: end?.index ?? text.length, tag: m[0] };
    if (block.atStart || end === null) return;
    open.lastIndex = end.index + end[0].length;
  }
}

const langOf = (tag: string): string =>
  /\blang\s*=\s*["']?(\w+)/i.exec(tag)?.[1]?.toLowerCase() ?? "";

const blank = (text: string): string => text.replace(/[^\r\n]/g, " ");

function only(text: string, ranges: readonly Range[]): string {
  let out = "";
  let at = 0;
  for (const { start, end } of ranges) {
    out += blank(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return out + blank(text.slice(at));
}

function without(text: string, ranges: readonly Range[]): string {
  let out = "";
  let at = 0;
  for (const { start, end } of ranges) {
    out += text.slice(at, start) + blank(text.slice(start, end));
    at = end;
  }
  return out + text.slice(at);
}
