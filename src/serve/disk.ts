/** What an answer sees of a project's files, and whether it would see the same again. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isAsIndexed } from "../index/changes.ts";
import { readInside } from "../index/read.ts";
import type { FileRow } from "../model/file.ts";
import { fingerprint } from "../model/fingerprint.ts";

/** One call's look at the files, by path from the root. */
export interface Disk {
  /** A file's bytes as they are now, or the reason why there are none. @spec explore-reads-now */
  read(
    path: string,
  ): { readonly bytes: Uint8Array; readonly fingerprint: string } | string;
  /** Whether a file has the bytes that were indexed. Each is asked once. */
  isAsIndexed(file: FileRow): boolean;
}

/** `root` has its links resolved. */
export function diskOf(root: string): Disk {
  const known = new Map<number, boolean>();
  return {
    read(path) {
      const read = readInside(root, path);
      if (typeof read === "string") return read;
      const { bytes } = read;
      return { bytes, fingerprint: fingerprint(bytes) };
    },
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
