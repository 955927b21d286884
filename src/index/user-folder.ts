/**
 * The folders that codegraph keeps for one user of the machine, outside of all
 * projects: extractions that projects share, the daemons' sockets, the indexes of
 * projects that cannot be written to.
 *
 * Errs: toward doing without. A folder that another user could enter or put in our
 * place is none.
 */
import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

export type UserFolder = "run" | "extractions" | "projects";

/**
 * Where the folders lie: `CODEGRAPH_CACHE_DIR`, or `codegraph` in the system's place
 * for a user's caches. Nothing is made here.
 * @spec folder-of-the-user
 */
export function userFolderPath(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
  home: string = homedir(),
): string {
  const absolute = (path: string | undefined): string | undefined =>
    path !== undefined && isAbsolute(path) ? path : undefined;
  const own = absolute(env["CODEGRAPH_CACHE_DIR"]);
  if (own !== undefined) return own;
  const caches =
    platform === "win32"
      ? (absolute(env["LOCALAPPDATA"]) ?? join(home, "AppData", "Local"))
      : platform === "darwin"
        ? join(home, "Library", "Caches")
        : (absolute(env["XDG_CACHE_HOME"]) ?? join(home, ".cache"));
  return join(caches, "codegraph");
}

/** With those around it. Not by Node's own `recursive`, which never ends below `/proc`. */
function made(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    const around = dirname(folder);
    if (lstatSync(around, { throwIfNoEntry: false })) throw error;
    made(around);
    mkdirSync(folder, { mode: 0o700 });
  }
}

/**
 * One of the folders, made where it is missing; undefined where it cannot be had
 * for this user alone.
 * @spec folder-of-the-user
 */
export function userFolder(
  name: UserFolder,
  base: string = userFolderPath(),
): string | undefined {
  const path = join(base, name);
  try {
    made(path);
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return undefined;
    // Windows has no such bits: a user's folder there is the user's by its place.
    if (process.getuid === undefined) return path;
    const isPrivate =
      stat.uid === process.getuid() && (stat.mode & 0o077) === 0;
    return isPrivate ? path : undefined;
  } catch {
    return undefined;
  }
}
