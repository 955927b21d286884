/** Text on one line, cut by length. Units: UTF-16, offsets with exclusive ends. */

export interface Folded {
  readonly text: string;
  /** Where in the text the last character that was taken ends. */
  readonly end: number;
}

/**
 * A part of a text with each run of white space as one blank, at most `chars`; a cut
 * never halves a surrogate pair. Reads no further than that: the part may be a file.
 */
export function fold(
  text: string,
  start: number,
  stop: number,
  chars: number,
): Folded {
  const words: string[] = [];
  let left = chars;
  let at = start;
  let end = start;
  /** Where the words that stand as they shall be begin. */
  let first = -1;
  while (left > 0) {
    while (at < stop && isBlank(text.charCodeAt(at))) at++;
    if (at >= stop) break;
    const from = at;
    while (at < stop && at - from < left && !isBlank(text.charCodeAt(at))) at++;
    if (at < stop && at - from === left && isHigh(text.charCodeAt(at - 1)))
      at--;
    if (at === from) break;
    if (first < 0) first = from;
    else if (from !== end + 1 || text.charCodeAt(end) !== 0x20) {
      words.push(text.slice(first, end));
      first = from;
    }
    end = at;
    // One for the blank before the next word.
    left -= at - from + 1;
  }
  if (first >= 0) words.push(text.slice(first, end));
  return { text: words.join(" "), end };
}

/** White space, a no-break space and a byte order mark. */
export const isBlank = (code: number): boolean =>
  code <= 0x20 ||
  code === 0xa0 ||
  code === 0xfeff ||
  code === 0x2028 ||
  code === 0x2029;

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
