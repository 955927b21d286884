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
 * Whether a file has the bytes that were indexed: by its size and time now, and by
 * its bytes where the time differs.
 * Errs: toward changed. What cannot be read is not as it was.
 */
export function isAsIndexed(
  root: string,
  file: FileRow,
  now: { readonly size: number; readonly mtimeMs: number },
): boolean {
  if (now.size !== file.size) return false;
  if (now.mtimeMs === file.mtimeMs) return true;
  const read = readInside(root, file.path);
  return (
    typeof read !== "string" && fingerprint(read.bytes) === file.fingerprint
  );
}

/**
 * Compares what is there with what was indexed. What was left out when
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
  for (const { path, size, mtimeMs } of scanned.files) {
    const before = known.get(path);
    known.delete(path);
    if (before) {
      if (!isAsIndexed(scanned.root, before, { size, mtimeMs }))
        changed.push(path);
    } else if (!passedOver.has(path)) added.push(path);
    else if (mtimeMs > indexedAtMs && admit(path, size).take !== "nothing") {
      const read = readInside(scanned.root, path);
      if (typeof read !== "string" && refuseBytes(read.bytes) === "")
        added.push(path);
    }
  }
  return { added, changed, removed: [...known.keys()] };
}
