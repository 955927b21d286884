/** Daemons of tests: each file's in a cache folder of its own, and none is left. */
import { connect as connectSocket } from "node:net";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { viewOf } from "../src/serve/daemon/address.ts";
import { addressNamed } from "../src/serve/daemon/names.ts";
import {
  daemons,
  endDaemon,
  type Found,
} from "../src/serve/daemon/registry.ts";
import { waits } from "../src/serve/daemon/waits.ts";
import { scratch } from "./scratch.ts";

/** As the product waits, but not for long. */
export const SHORT = { ...waits(), firstLine: 1_000, check: 1_000 };

/** Call it at the top of a test file: what it gives makes folders for `CODEGRAPH_CACHE_DIR`. */
export function caches(): () => string {
  const made: string[] = [];
  afterAll(async () => {
    for (const cache of made) {
      for (const found of await running(cache)) await endDaemon(found, SHORT);
      rmSync(cache, { recursive: true, force: true });
    }
  });
  return () => {
    const cache = scratch();
    made.push(cache);
    return cache;
  };
}

/** The daemons of a cache folder. */
export const running = (cache: string): Promise<Found[]> =>
  daemons(join(cache, "run"), SHORT).catch(() => []);

/** The one daemon there. */
export async function only(cache: string): Promise<Found> {
  const found = await running(cache);
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** What a daemon answers to some bytes, until it closes the connection. */
export function said(found: Found, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ path: found.address.socket });
    let text = "";
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("close", () => resolve(text)).on("error", reject);
    socket.write(bytes);
  });
}

/** What has ended and was not waited for yet counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    // Systems without such files have no such processes for long.
    return existsSync("/proc/self")
      ? false
      : (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** What is to come about within seconds, on a busy machine too. */
export const soon = <T>(ask: () => T, timeout = 5_000) =>
  expect.poll(ask, { timeout, interval: 20 });

export const gone = (pid: number, timeout?: number) =>
  soon(() => isAlive(pid), timeout).toBe(false);

/** An address in a run folder, where nothing is yet. */
export const addressIn = (run: string, root = "/p") =>
  addressNamed(root, `${viewOf()}0123456789abcdef`, run);
