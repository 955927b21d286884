/** Names for files of one's own. */

/**
 * Eight hexadecimal digits that hardly come twice. Not for secrets: a file by such a
 * name is made exclusively, so one that is guessed does no harm. What makes better
 * ones takes 12 ms to load, and most processes need nothing else of it.
 */
export const uniqueDigits = (): string =>
  Math.random()
    .toString(16)
    .slice("0.".length)
    .padEnd(DIGITS, "0")
    .slice(0, DIGITS);

/** As the names of files have always had. */
const DIGITS = 8;
