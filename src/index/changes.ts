/** What has changed on disk since a project was indexed. */
import type { FileRow, LeftOut } from "../model/file.ts";
import { fingerprint } from "../model/fingerprint.ts";
import { admit, refuseBytes } from "./classify.ts";
import { readInside } from "./read.ts";
import type { ScanResult } from "./scan.ts";

export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Compares by size and time, and by bytes where those differ. What was left out when
 * the project was indexed counts as added where it is newer than the index and its
 * content may now be taken.
 *
 * `indexedAtMs` is when the index was made.
 * @spec cli-status
 */
export function changes(
  scanned: ScanResult,
  indexed: readonly FileRow[],
  leftOut: readonly LeftOut[],
  indexedAtMs: number,
): Changes {
  const known = new Map(indexed.map((file) => [file.path, file]));
  const passedOver = new Set(leftOut.map((file) => file.path));
  const added: string[] = [];
  const changed: string[] = [];
  const bytesOf = (path: string): Uint8Array | undefined => {
    const read = readInside(scanned.root, path);
    return typeof read === "string" ? undefined : read.bytes;
  };
  for (const { path, size, mtimeMs } of scanned.files) {
    const before = known.get(path);
    known.delete(path);
    if (before) {
      if (before.size === size && before.mtimeMs === mtimeMs) continue;
      const bytes = bytesOf(path);
      if (!bytes || fingerprint(bytes) !== before.fingerprint)
        changed.push(path);
    } else if (!passedOver.has(path)) added.push(path);
    else if (mtimeMs > indexedAtMs && admit(path, size).take !== "nothing") {
      const bytes = bytesOf(path);
      if (bytes && refuseBytes(bytes) === "") added.push(path);
    }
  }
  return { added, changed, removed: [...known.keys()] };
}
