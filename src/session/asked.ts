/** When two queries ask the same. */
import { createHash } from "node:crypto";

/**
 * A normal form of a query: equal for queries of the same terms that ask for the
 * same lines, in any order and letter case. Of bounded length, since it is kept.
 *
 * `terms` are stems, and so the same for inflections of a word. What a query
 * mentions as a name or a path is among them, which is why it is not taken as it is
 * written; `located` are the paths with lines by number, `a.py L10-40`.
 * Errs: toward equal. Who seems to ask again gets everything again.
 * @spec dedup-asked-twice
 */
export function askedKey(
  terms: Iterable<string>,
  located: Iterable<string> = [],
): string {
  const normal = (words: Iterable<string>): string[] =>
    [...new Set(Array.from(words, (word) => word.toLowerCase()))].sort();
  return createHash("sha256")
    .update(JSON.stringify([normal(terms), normal(located)]))
    .digest("hex");
}
