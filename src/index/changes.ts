/** What has changed on disk since a project was indexed. */
import type { FileRow, LeftOut } from "../model/file.ts";
import { fingerprint } from "../model/fingerprint.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { admit, refuseBytes } from "./classify.ts";
import { readInside } from "./read.ts";
import type { ScannedFile, ScanResult } from "./scan.ts";

export interface Changes {
  readonly added: readonly ScannedFile[];
  readonly changed: readonly ScannedFile[];
  /** The changed ones as they were indexed, in the same order. */
  readonly outdated: readonly FileRow[];
  /** Files of the index that are gone, or no longer the project's. */
  readonly removed: readonly FileRow[];
  /** Files of another time whose bytes are those that were indexed. */
  readonly touched: readonly {
    readonly id: number;
    readonly mtimeMs: number;
  }[];
  /** Paths that were left out and are gone. */
  readonly forgotten: readonly string[];
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
 * The time that is kept of a file that was read at `nowMs`: none (-1) where it had
 * just been written, since a later write of the same size could have the same time.
 * A file without a time is compared by its bytes.
 * @spec sync-settled-time
 */
export function settledTime(
  mtimeMs: number,
  nowMs: number,
  limits: Pick<Limits, "SETTLE_MS"> = fromSpec,
): number {
  return nowMs - mtimeMs < limits.SETTLE_MS ? -1 : mtimeMs;
}

/**
 * Compares what is there with what was indexed. What was left out counts as added
 * where its size or time is another and it may now be taken.
 * @spec cli-status sync-compares
 */
export function changes(
  scanned: Pick<ScanResult, "root" | "files">,
  indexed: readonly FileRow[],
  leftOut: readonly LeftOut[],
  nowMs: number = Date.now(),
): Changes {
  const known = new Map(indexed.map((file) => [file.path, file]));
  const passedOver = new Map(leftOut.map((file) => [file.path, file]));
  const added: ScannedFile[] = [];
  const changed: ScannedFile[] = [];
  const outdated: FileRow[] = [];
  const touched: { id: number; mtimeMs: number }[] = [];
  for (const file of scanned.files) {
    const { path, size, mtimeMs } = file;
    const before = known.get(path);
    known.delete(path);
    const left = passedOver.get(path);
    passedOver.delete(path);
    if (before) {
      if (!isAsIndexed(scanned.root, before, file)) {
        changed.push(file);
        outdated.push(before);
      } else if (mtimeMs !== before.mtimeMs) {
        const settled = settledTime(mtimeMs, nowMs);
        if (settled !== before.mtimeMs)
          touched.push({ id: before.id, mtimeMs: settled });
      }
    } else if (
      !left ||
      ((left.size !== size || left.mtimeMs !== mtimeMs) &&
        mayBeTaken(scanned.root, file))
    )
      added.push(file);
  }
  return {
    added,
    changed,
    outdated,
    removed: [...known.values()],
    touched,
    forgotten: [...passedOver.keys()],
  };
}

function mayBeTaken(root: string, { path, size }: ScannedFile): boolean {
  if (admit(path, size).take === "nothing") return false;
  const read = readInside(root, path);
  return typeof read !== "string" && refuseBytes(read.bytes) === "";
}
