/**
 * The lock that makes a daemon the one of its address: that of a project, in the
 * daemon's own folder. The system lets go of it when the process ends.
 */
import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { lock, removeData, type Lock } from "../../store/folder.ts";
import { aboutFile, startingFile } from "./address.ts";
import { type Address } from "./names.ts";

/**
 * The lock, or the process that has it; 0 where that is unknown.
 * Throws: UserError where something else lies in its place.
 * @spec daemon-is-one
 */
export function elect(address: Address): Lock | { readonly heldBy: number } {
  for (let tries = 0; ; tries++)
    try {
      mkdirSync(address.folder, { recursive: true, mode: 0o700 });
      return lock(address.folder);
    } catch (error) {
      // A daemon that ends takes the folder away.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries > 2)
        throw error;
    }
}

/**
 * Removes what lies at an address and lets go of it; nothing of it is touched
 * afterwards, since the next daemon may be there. What another program put there stays.
 * @spec daemon-is-one daemon-ends
 */
export function letGo(address: Address, held: Lock): void {
  const attempt = (remove: () => void) => {
    // On Windows what is open cannot be removed; the next daemon does without.
    try {
      remove();
    } catch {}
  };
  for (const file of [aboutFile(address), startingFile(address)])
    attempt(() => rmSync(file, { force: true }));
  if (process.platform !== "win32")
    attempt(() => rmSync(address.socket, { force: true }));
  attempt(() => removeData(address.folder));
  attempt(() => rmdirSync(address.folder));
  held.release();
}
