/** The user's daemons, for a person: which there are, and ending them. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { viewOf, aboutFile, crashFile, rootOf } from "./address.ts";
import { addressNamed, type Address } from "./names.ts";
import { ask, existingRunFolder, namesIn } from "./ask.ts";
import type { Status } from "./control.ts";
import { elect, letGo } from "./election.ts";
import { object } from "./reach.ts";
import { waits as fromSpec, type Waits } from "./waits.ts";

export interface Found {
  /** The process; it answered on its socket or holds the lock of its address. */
  readonly pid: number;
  /** Of a daemon that does not answer, what its notes say; empty where there are none. */
  readonly root: string;
  /** Absent where it does not answer. */
  readonly status?: Status;
  readonly address: Address;
}

/**
 * The daemons that run, by their roots. What a dead one left behind is removed.
 * @spec daemon-command
 */
export async function daemons(
  run: string | undefined = existingRunFolder(),
  waits: Waits = fromSpec(),
): Promise<Found[]> {
  if (run === undefined) return [];
  const found = await Promise.all(
    namesHere(run).map((name) => lookAt(run, name, waits)),
  );
  return found
    .filter((daemon) => daemon !== undefined)
    .sort((a, b) => (a.root < b.root ? -1 : a.root > b.root ? 1 : 0));
}

/**
 * Ends the daemons of a project, so that nothing holds its files. Gives those that did
 * not end.
 * @spec daemon-command
 */
export async function endDaemonsOf(root: string): Promise<Found[]> {
  const real = rootOf(root);
  const stay: Found[] = [];
  for (const found of await daemons())
    if (found.root === real && !(await endDaemon(found))) stay.push(found);
  return stay;
}

/** Those of another view are another machine's, or another container's. */
const namesHere = (run: string, view = viewOf()): string[] =>
  namesIn(run).filter((name) => name.startsWith(view));

async function lookAt(
  run: string,
  name: string,
  waits: Waits,
): Promise<Found | undefined> {
  const address = addressNamed("", name, run);
  if (!address) return undefined;
  const status = (await ask(address, "status", waits.firstLine)) as
    Status | undefined;
  if (status) return { pid: status.pid, root: status.root, status, address };
  const pid = await holder(address, waits);
  return pid === undefined ? undefined : { pid, root: noted(address), address };
}

/** Removes what daemons that are no more left behind. @spec daemon-is-one */
export function sweep(run: string, own: string): void {
  for (const name of namesHere(run)) {
    const address = addressNamed("", name, run);
    if (!address || name === own) continue;
    try {
      const held = elect(address);
      if ("heldBy" in held) continue;
      rmSync(crashFile(address), { force: true });
      letGo(address, held);
    } catch {
      // Something else lies there: it is not ours to remove.
    }
  }
}

/**
 * Ends a daemon: asks it to, and where it does not answer signals the process that
 * holds its lock, which the system takes from a process that ends. Whether it ended.
 * @spec daemon-command
 */
export async function endDaemon(
  { address, pid, status }: Found,
  waits: Waits = fromSpec(),
): Promise<boolean> {
  if (status && (await ask(address, "stop", waits.stop + waits.firstLine)))
    return true;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    // Asked again before each: the number may be another process's by now.
    const holding = await holder(address, waits);
    if (holding !== pid) return holding === undefined;
    process.kill(pid, signal);
    const until = performance.now() + waits.check;
    while (performance.now() < until) {
      await pause(waits.retry);
      if ((await holder(address, waits)) !== pid) return true;
    }
  }
  return false;
}

/**
 * The process that holds the lock of an address; undefined where none does, and then
 * what lies there is removed. It is asked for twice: one that has just got the lock has
 * not told its number yet.
 */
async function holder(
  address: Address,
  waits: Waits,
): Promise<number | undefined> {
  const once = () => {
    try {
      const held = elect(address);
      if ("heldBy" in held) return held.heldBy;
      letGo(address, held);
    } catch {
      // Something else lies there, and no daemon of ours.
    }
    return undefined;
  };
  const first = once();
  if (first === undefined) return undefined;
  await pause(waits.retry);
  const second = once();
  return second === first && first > 0 ? first : undefined;
}

function noted(address: Address): string {
  try {
    const { root } = object(readFileSync(aboutFile(address), "utf8"));
    return typeof root === "string" ? root : "";
  } catch {
    return "";
  }
}

/** The crash notes and all else in a user's run folder, for the daemon's own use. */
export const runFolderOf = ({ folder }: Address): string => join(folder, "..");
