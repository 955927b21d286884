/**
 * The program of a daemon. A proxy starts it with the root and the name of its
 * address; it ends with 0 also where another daemon is there.
 */
import { rmSync, writeFileSync } from "node:fs";
import { crashFile } from "../serve/daemon/address.ts";
import { addressNamed, NAME, type Address } from "../serve/daemon/names.ts";
import { runDaemon } from "../serve/daemon/daemon.ts";
import { runFolderOf, sweep } from "../serve/daemon/registry.ts";
import { idleMs } from "../serve/daemon/waits.ts";
import { programIdentity } from "./program.ts";
import { VERSION } from "./version.ts";

async function main([root, name]: readonly string[]): Promise<number> {
  const address =
    root !== undefined && name !== undefined && NAME.test(name)
      ? addressNamed(root, name)
      : undefined;
  if (!address) return 2;
  process.on("uncaughtException", (error) => {
    note(address, error);
    process.exit(1);
  });
  try {
    await runDaemon({
      address,
      version: VERSION,
      identity: programIdentity,
      idleMs: idleMs(process.env.CODEGRAPH_DAEMON_IDLE_SECONDS),
      onListening: () => sweep(runFolderOf(address), address.name),
    });
    return 0;
  } catch (error) {
    note(address, error as Error);
    return 1;
  }
}

/** What ended it, for whoever looks; the last one alone is kept, its message first. */
function note(address: Address, error: Error): void {
  try {
    const file = crashFile(address);
    rmSync(file, { force: true });
    writeFileSync(file, `${error.message}\n${error.stack}\n`, {
      flag: "wx",
      mode: 0o600,
    });
  } catch {
    // The daemon ends all the same.
  }
}

process.exit(await main(process.argv.slice(2)));
