/**
 * Where a project's daemon is found. A proxy and the daemon that it starts agree on
 * this and on nothing else; a proxy loads it, so that it loads no database.
 */
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { userFolder } from "../../index/user-folder.ts";
import { nearestProject } from "../../store/place.ts";
import { limits as fromSpec, type Limits } from "../../spec.gen.ts";

export interface Address {
  /** The project's, with links resolved. */
  readonly root: string;
  /** 24 hexadecimal digits, of which the first 8 are `viewOf()`. */
  readonly name: string;
  /** The daemon's own folder; it may not be there. */
  readonly folder: string;
  /** A socket in that folder; on Windows the name of a pipe. */
  readonly socket: string;
}

export const NAME = /^[0-9a-f]{24}$/;

/**
 * What tells this machine, and a container or sandbox on it, from others that may
 * share the user's folders: there the same path is another file, and the same number
 * another process.
 * @spec daemon-address
 */
export function viewOf(): string {
  const space = (name: string): string => {
    try {
      return readlinkSync(`/proc/self/ns/${name}`);
    } catch {
      return "";
    }
  };
  return hashed(hostname(), space("mnt"), space("pid")).slice(0, VIEW_DIGITS);
}

const VIEW_DIGITS = 8;

const hashed = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/**
 * What tells one program file from another: its place, size and times. Undefined
 * where it is gone.
 * @spec daemon-address
 */
export function identityOf(file: string): string | undefined {
  try {
    const real = realpathSync(file);
    const { size, mtimeNs, ino } = statSync(real, { bigint: true });
    return [real, size, mtimeNs, ino].join("\n");
  } catch {
    return undefined;
  }
}

/**
 * The address of a root's daemon for one version of the program. Undefined where there
 * is no place for one.
 * @spec daemon-address
 */
export function addressOf(
  root: string,
  version: string,
  identity: string,
  run: string | undefined = userFolder("run"),
): Address | undefined {
  const hash = hashed(root, homedir(), version, identity);
  const name = viewOf() + hash.slice(0, HASH_DIGITS);
  return addressNamed(root, name, run);
}

const HASH_DIGITS = 16; // exempt spec-values-are-imported: the rest of what NAME has

/** The address that goes by a name. @spec daemon-address */
export function addressNamed(
  root: string,
  name: string,
  run: string | undefined = userFolder("run"),
  limits: Pick<Limits, "SOCKET_PATH_BYTES"> = fromSpec,
  platform: string = process.platform,
): Address | undefined {
  if (run === undefined) return undefined;
  const folder = join(run, name);
  const socket =
    platform === "win32" ? pipeName(folder) : join(folder, "socket");
  return Buffer.byteLength(socket) > limits.SOCKET_PATH_BYTES
    ? undefined
    : { root, name, folder, socket };
}

/** Pipes have one name space on a machine: the folder tells users apart. */
const pipeName = (folder: string): string =>
  `\\\\.\\pipe\\codegraph-${hashed(folder)}`;

/**
 * The nearest indexed project at or above a folder, else the folder, links resolved.
 * It looks for what an index is found by and opens nothing.
 * @spec daemon-address
 */
export function rootOf(place: string, home: string = homedir()): string {
  const start = realOf(place);
  return nearestProject(start, home) ?? start;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Whether a path is a socket of this user's. Pipes of Windows have no owner to ask for. @spec daemon-is-reached */
export function isOwnSocket(path: string): boolean {
  if (process.getuid === undefined) return true;
  try {
    const stat = lstatSync(path);
    return stat.isSocket() && stat.uid === process.getuid();
  } catch {
    return false;
  }
}

/** The files in a daemon's folder besides its socket. */
export const aboutFile = ({ folder }: Address): string =>
  join(folder, "about.json");
export const startingFile = ({ folder }: Address): string =>
  join(folder, "starting");
export const crashFile = ({ folder }: Address): string =>
  join(folder, "crash.txt");
