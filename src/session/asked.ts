/** When two queries ask the same. */
import { createHash } from "node:crypto";

/**
 * A normal form of a query: equal for queries of the same terms about the same
 * paths, in any order and letter case. Of bounded length, since it is kept.
 *
 * `terms` are stems, and so the same for inflections of a word; names that a query
 * mentions are among them, which is why they are not taken as they are written.
 * A path comes with the lines that the query asks for, where it does: `a.py L10-40`.
 * Errs: toward equal. Who seems to ask again gets everything again.
 * @spec dedup-asked-twice
 */
export function askedKey(
  terms: Iterable<string>,
  paths: Iterable<string>,
): string {
  const normal = (words: Iterable<string>): string[] =>
    [...new Set(Array.from(words, (word) => word.toLowerCase()))].sort();
  return createHash("sha256")
    .update(JSON.stringify([normal(terms), normal(paths)]))
    .digest("hex");
}
