/** What has changed on disk since a project was indexed. */
import type { FileRow, LeftOut } from "../model/file.ts";
import { fingerprint } from "../model/fingerprint.ts";
import { readInside } from "./read.ts";
import type { ScanResult } from "./scan.ts";

export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Compares by size and time, and by bytes where those differ. A file that was left
 * out when it was indexed, for a reason that its content gave, counts as added only
 * when it is newer than the index.
 * @spec cli-status
 */
export function changes(
  scanned: ScanResult,
  indexed: readonly FileRow[],
  leftOut: readonly LeftOut[],
): Changes {
  const known = new Map(indexed.map((file) => [file.path, file]));
  const passedOver = new Set(leftOut.map((file) => file.path));
  const added: string[] = [];
  const changed: string[] = [];
  for (const file of scanned.files) {
    const before = known.get(file.path);
    known.delete(file.path);
    if (!before) {
      if (!passedOver.has(file.path)) added.push(file.path);
    } else if (before.size !== file.size || before.mtimeMs !== file.mtimeMs) {
      const read = readInside(scanned.root, file.path);
      if (
        typeof read === "string" ||
        fingerprint(read.bytes) !== before.fingerprint
      )
        changed.push(file.path);
    }
  }
  return { added, changed, removed: [...known.keys()] };
}
