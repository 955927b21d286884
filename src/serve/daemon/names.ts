/** The names of daemons, and what lies under them. It loads little. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { userFolder } from "../../index/user-folder.ts";
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
 * A digest of some texts, in hexadecimal. Not by an import: a host's hooks load this file
 * at every call, seldom need a digest, and would wait 9 ms for what makes one.
 */
export const hashed = (...parts: readonly string[]): string =>
  process
    .getBuiltinModule("node:crypto")
    .createHash("sha256")
    .update(JSON.stringify(parts))
    .digest("hex");

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
