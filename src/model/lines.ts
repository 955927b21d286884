/**
 * The lines of a text, numbered the way `sed -n` and editors number them.
 *
 * `\n` ends a line, and a `\r` right before it belongs to the ending. A lone `\r` is
 * an ending only in a text without any `\n`; elsewhere it is a character of its line,
 * as it is for `sed`. A final ending opens no further line; an empty text has none.
 *
 * Units: UTF-16 units for offsets; line n of the notation `L5` is element n - 1.
 */

/** The text's lines without their endings. @spec line-endings */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  const ending = endingOf(text);
  const lines = text.split(ending);
  if (lines.at(-1) === "") lines.pop();
  if (ending === "\n" && text.includes("\r\n"))
    return lines.map((line, i) =>
      // The last piece keeps its `\r` where no `\n` follows it.
      line.endsWith("\r") && (i < lines.length - 1 || text.endsWith("\n"))
        ? line.slice(0, -1)
        : line,
    );
  return lines;
}

/** The offset at which each line begins. @spec line-endings */
export function lineStarts(text: string): Uint32Array {
  if (text === "") return new Uint32Array(0);
  const ending = endingOf(text);
  let count = 1;
  for (
    let at = text.indexOf(ending);
    at !== -1;
    at = text.indexOf(ending, at + 1)
  )
    count++;
  if (text.endsWith(ending)) count--;
  const starts = new Uint32Array(count);
  for (let i = 1, at = -1; i < count; i++)
    starts[i] = (at = text.indexOf(ending, at + 1)) + 1;
  return starts;
}

const endingOf = (text: string): "\n" | "\r" =>
  !text.includes("\n") && text.includes("\r") ? "\r" : "\n";
