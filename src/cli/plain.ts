/** Text that comes from a project, for a terminal: on one line, and without power over it. */

/** Control characters and those that turn the direction of writing, written as `\u001b`. @spec cli-plain-text */
export const plain = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A count as `2,453`. Not by the languages of the runtime: a process reads them for 25 ms. */
export const grouped = (count: number): string =>
  String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** `1 file`, `2,453 files`. */
export const counted = (count: number, one: string): string =>
  `${grouped(count)} ${one}${count === 1 ? "" : "s"}`;
