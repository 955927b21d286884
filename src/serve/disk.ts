/** What an answer sees of a project's files, and whether it would see the same again. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isAsIndexed } from "../index/changes.ts";
import { readInside, type KnownFolders } from "../index/read.ts";
import type { FileRow } from "../model/file.ts";
import { fingerprint } from "../model/fingerprint.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { Recent } from "./recent.ts";

/** One call's look at the files, by path from the root. */
export interface Disk {
  /** A file's bytes as they are now, or the reason why there are none. @spec explore-reads-now */
  read(path: string): FileBytes | string;
  /** Whether a file has the bytes that were indexed. Each is asked once. */
  isAsIndexed(file: FileRow): boolean;
}

interface FileBytes {
  readonly bytes: Uint8Array;
  readonly fingerprint: string;
}

/**
 * Files as they are now. Those that were read last are remembered with their
 * fingerprint, so that it need not be worked out again of the very same bytes.
 * @spec pool-keeps-workings
 */
export class Reads {
  /** By absolute path. */
  private readonly last: Recent<string, FileBytes>;
  /** What is read is put here to be compared; it grows with the files. */
  private room = new Uint8Array(0);

  constructor(limits: Pick<Limits, "KEPT_SOURCE_MB"> = fromSpec) {
    this.last = new Recent(
      limits.KEPT_SOURCE_MB * MEGABYTE,
      ({ bytes }) => bytes.length,
    );
  }

  /** What it gives stays as it is. `root` has its links resolved. */
  read(root: string, path: string, folders?: KnownFolders): FileBytes | string {
    const key = join(root, path);
    const found = readInside(root, path, undefined, folders, (bytes) => {
      if (this.room.length < bytes) this.room = new Uint8Array(bytes);
      return this.room.subarray(0, bytes);
    });
    if (typeof found === "string") return found;
    const { bytes } = found;
    const known = this.last.peek(key);
    const same = known && Buffer.compare(known.bytes, bytes) === 0;
    return this.last.put(
      key,
      same ? known : { bytes: bytes.slice(), fingerprint: fingerprint(bytes) },
    );
  }
}

const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit

/** `root` has its links resolved. Hand in the same `reads` to remember what was read. */
export function diskOf(root: string, reads = new Reads()): Disk {
  const known = new Map<number, boolean>();
  const folders: KnownFolders = new Map();
  return {
    read: (path) => reads.read(root, path, folders),
    isAsIndexed(file) {
      let current = known.get(file.id);
      if (current === undefined) {
        const stat = statSync(join(root, file.path), { throwIfNoEntry: false });
        current = stat !== undefined && isAsIndexed(root, file, stat);
        known.set(file.id, current);
      }
      return current;
    },
  };
}

/** A disk that notes what it gives. */
export class Witness implements Disk {
  private readonly disk: Disk;
  /** Fingerprints, or reasons. */
  private readonly reads = new Map<string, string>();
  private readonly indexed = new Map<FileRow, boolean>();
  private agrees = true;

  constructor(disk: Disk) {
    this.disk = disk;
  }

  read(path: string): ReturnType<Disk["read"]> {
    const found = this.disk.read(path);
    const seen = typeof found === "string" ? found : found.fingerprint;
    // It changed while the answer was made.
    if ((this.reads.get(path) ?? seen) !== seen) this.agrees = false;
    this.reads.set(path, seen);
    return found;
  }

  isAsIndexed(file: FileRow): boolean {
    const found = this.disk.isAsIndexed(file);
    this.indexed.set(file, found);
    return found;
  }

  /** Whether `now` gives all that was given here; false also where this one gave two things for one. */
  holds(now: Disk): boolean {
    if (!this.agrees) return false;
    for (const [file, was] of this.indexed)
      if (now.isAsIndexed(file) !== was) return false;
    for (const [path, was] of this.reads) {
      const found = now.read(path);
      if ((typeof found === "string" ? found : found.fingerprint) !== was)
        return false;
    }
    return true;
  }
}
