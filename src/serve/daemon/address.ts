/**
 * Where a project's daemon is found. A proxy and the daemon that it starts agree on
 * this and on nothing else; a proxy loads it, so that it loads no database.
 */
import { readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { userFolder } from "../../index/user-folder.ts";
import { nearestProject } from "../../store/place.ts";
import { addressNamed, hashed, type Address } from "./names.ts";

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

/** The files in a daemon's folder besides its socket. */
export const aboutFile = ({ folder }: Address): string =>
  join(folder, "about.json");
export const startingFile = ({ folder }: Address): string =>
  join(folder, "starting");
export const crashFile = ({ folder }: Address): string =>
  join(folder, "crash.txt");
