/** A place in memory for files that nobody needs for long. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux has such a place. */
const MEMORY = "/dev/shm";
/** Bytes that have to be free there: the tests take less than a tenth at a time. */
const ROOM = 1_000_000_000;

/**
 * Makes an empty folder: in memory, where the system has room there and lets programs
 * be run from it, else where temporary files lie. The caller removes it.
 */
export const briefFolder = (prefix: string): string =>
  // Who names a place for temporary files wants them there.
  (process.env.TMPDIR === undefined ? inMemory(prefix) : undefined) ??
  mkdtempSync(join(tmpdir(), prefix));

function inMemory(prefix: string): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM) return undefined;
    folder = mkdtempSync(join(MEMORY, prefix));
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
    execFileSync(program);
    rmSync(program);
    // Other users may go through it, as through the place of temporary files.
    chmodSync(folder, 0o711);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true });
    return undefined;
  }
}
