/**
 * Reading a file of the project, wherever it has moved since the scan: never
 * outside of the root, never through a link, never a pipe, never more than asked for.
 *
 * Units: paths relative to the root, with `/`; bytes.
 * Errs: toward not reading.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
} from "node:fs";
import { dirname, sep } from "node:path";
import { limits, wordings } from "../spec.gen.ts";
import { say } from "../model/wording.ts";

export interface FileRead {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly mtimeMs: number;
}

/** The folder a file lies in has to be where its path says; asked once for each. */
export type KnownFolders = Map<string, boolean>;

/** Opens no link, and waits for no pipe. */
export const READ_IN_PLACE =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/**
 * A file's bytes, or the reason why not. `root` has its links resolved, as a scan's
 * result has. Hand in the same `folders` for the files of one run, or of one answer;
 * without it every call looks anew. `roomFor` gives the array that takes
 * the bytes, as long as it is asked for. @spec scan-stays-inside
 */
export function readInside(
  root: string,
  path: string,
  maxBytes: number = limits.MAX_FILE_BYTES,
  folders: KnownFolders = new Map(),
  roomFor: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes),
): FileRead | string {
  const absolute = `${root.endsWith(sep) ? root.slice(0, -1) : root}/${path}`;
  let file: number;
  try {
    if (!isInPlace(dirname(absolute), folders)) return wordings.LEFT_MOVED;
    file = openSync(absolute, READ_IN_PLACE);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === "EACCES" || code === "EPERM"
      ? wordings.LEFT_UNREADABLE
      : wordings.LEFT_MOVED;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return wordings.LEFT_MOVED;
    if (stat.size > maxBytes)
      return say(wordings.LEFT_TOO_LARGE, { bytes: maxBytes });
    const bytes = roomFor(stat.size);
    let got = 0;
    for (let n = -1; n !== 0 && got < bytes.length; got += n)
      n = readSync(file, bytes, got, bytes.length - got, got);
    return {
      bytes: got === bytes.length ? bytes : bytes.subarray(0, got),
      size: stat.size,
      mtimeMs: stat.mtimeMs,
    };
  } catch {
    return wordings.LEFT_UNREADABLE;
  } finally {
    closeSync(file);
  }
}

/** True where no part of the folder's path is a link. */
function isInPlace(folder: string, folders: KnownFolders): boolean {
  let inPlace = folders.get(folder);
  if (inPlace === undefined) {
    const real = realpathSync.native(folder);
    inPlace =
      sep === "/"
        ? real === folder
        : real.replaceAll("\\", "/") === folder.replaceAll("\\", "/");
    folders.set(folder, inPlace);
  }
  return inPlace;
}

/** The text of a small file of the project, such as an ignore file; undefined where it cannot be read. */
export function textInside(root: string, path: string): string | undefined {
  const read = readInside(root, path);
  return typeof read === "string"
    ? undefined
    : new TextDecoder().decode(read.bytes);
}
