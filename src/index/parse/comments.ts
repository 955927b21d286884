/**
 * Comments read as text: the block above a definition, without its marks.
 *
 * Units: lines count from 0 here; `starts` holds the offset at which each line begins.
 */
import type { Comments } from "../../languages/language.ts";
import { fold } from "./fold.ts";

export interface Doc {
  readonly text: string;
  /** The first and last line of the comment. */
  readonly first: number;
  readonly last: number;
}

const lineAt = (text: string, starts: Uint32Array, line: number): string =>
  text
    .slice(
      starts[line],
      line + 1 < starts.length ? starts[line + 1] : text.length,
    )
    .trim();

/**
 * The comment that ends on the line right above `line`; undefined where that line
 * holds code, nothing, or only orders to a tool.
 * Errs: toward none. A comment that shares its line with code is not taken.
 */
export function docAbove(
  text: string,
  starts: Uint32Array,
  line: number,
  comments: Comments,
  chars: number,
): Doc | undefined {
  let first = line;
  const parts: string[] = [];
  while (first > 0) {
    const above = lineAt(text, starts, first - 1);
    if (above === "") break;
    const mark = comments.line.find((m) => above.startsWith(m));
    if (mark !== undefined) {
      first--;
      if (!comments.directive?.test(above)) parts.unshift(above);
      continue;
    }
    const block = comments.block.find(([, close]) => above.endsWith(close));
    // One block comment is the whole doc: a second one above it is another's.
    if (block === undefined || first !== line) break;
    const top = blockTop(text, starts, first - 1, block);
    if (top === -1) break;
    for (let l = top; l < line; l++) parts.push(lineAt(text, starts, l));
    first = top;
    break;
  }
  if (first === line) return undefined;
  const doc = unmarked(parts.join("\n"), comments, chars);
  return doc === "" ? undefined : { text: doc, first, last: line - 1 };
}

function blockTop(
  text: string,
  starts: Uint32Array,
  bottom: number,
  [open, close]: readonly [string, string],
): number {
  for (let line = bottom; line >= 0; line--) {
    const here = lineAt(text, starts, line);
    if (here.startsWith(open)) return line;
    if (line < bottom && here.includes(close)) return -1;
    if (here.includes(open)) return -1;
  }
  return -1;
}

/** A comment's or docstring's text without marks, white space folded, at most `chars`. @spec doc-comments */
export function unmarked(
  text: string,
  comments: Comments,
  chars: number,
): string {
  const opens = comments.block.map(([open]) => open);
  const closes = comments.block.map(([, close]) => close);
  const lines = text.split("\n").map((raw) => {
    let line = raw.trim();
    // Blocks first: in Lua their mark begins with that of a line.
    const open = opens.find((o) => line.startsWith(o));
    const mark = comments.line.find((m) => line.startsWith(m));
    if (open !== undefined) line = line.slice(open.length);
    else if (mark !== undefined) line = line.slice(mark.length);
    const close =
      mark === undefined || open !== undefined
        ? closes.find((c) => line.endsWith(c))
        : undefined;
    if (close !== undefined) line = line.slice(0, -close.length);
    return line.replace(/^\s*(?:[*/!#-]+(?=\s|$))?/, "");
  });
  const body = lines.join(" ");
  return fold(body, 0, body.length, chars).text;
}
