/** The files of this program: which one it is, and which one a daemon runs. */
import { fileURLToPath } from "node:url";
import { identityOf } from "../serve/daemon/address.ts";
import type { Program } from "../serve/daemon/reach.ts";

declare const CODEGRAPH_VERSION: string | undefined;

const isBuilt = (): boolean => typeof CODEGRAPH_VERSION === "string";

/**
 * What tells this program from any other, and from what may replace it. The script
 * names the chunks it is made of by their hashes, so that a change anywhere changes it.
 * @spec daemon-address
 */
export const programIdentity = (): string | undefined =>
  identityOf(
    fileURLToPath(
      isBuilt()
        ? new URL("./main.js", import.meta.url)
        : new URL("./main.ts", import.meta.url),
    ),
  );

/** @spec daemon-is-reached */
export const daemonProgram = (): Program => ({
  command: process.execPath,
  args: [
    fileURLToPath(
      isBuilt()
        ? new URL("./daemon.js", import.meta.url)
        : new URL("./daemon.ts", import.meta.url),
    ),
  ],
});

/** What starts this program wherever it is called from. @spec hosts-command */
export const ownScript = (): { node: string; script: string } => ({
  node: process.execPath,
  script: fileURLToPath(
    isBuilt()
      ? new URL("./codegraph.js", import.meta.url)
      : new URL("./codegraph.ts", import.meta.url),
  ),
});
