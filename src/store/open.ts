/** Opens the index that a project has in use. */
import { currentIndex } from "./place.ts";
import { SqliteReader, UnreadableIndex } from "./sqlite.ts";

export interface OpenIndex {
  readonly index: SqliteReader;
  /** The database file. */
  readonly file: string;
}

/**
 * Undefined where nothing is indexed. A run that ends between the look and the open
 * takes the file away; what it put in its place is opened then.
 * Throws: UnreadableIndex, and what `check` throws; see `SqliteReader`.
 * @spec folder-swap
 */
export function openIndex(
  root: string,
  check?: () => void,
): OpenIndex | undefined {
  for (let file = currentIndex(root); file !== undefined;) {
    try {
      return { file, index: new SqliteReader(file, check) };
    } catch (error) {
      const now = currentIndex(root);
      if (!(error instanceof UnreadableIndex) || now === file) throw error;
      file = now;
    }
  }
  return undefined;
}
