/**
 * `codegraph serve`: a proxy to the project's daemon, or a server of its own. What
 * only the second needs is loaded when it is needed.
 */
import { duplexPair } from "node:stream";
import { say } from "../model/wording.ts";
import { addressOf, rootOf } from "../serve/daemon/address.ts";
import {
  daemonsWanted,
  helloLine,
  settingsOf,
} from "../serve/daemon/first-line.ts";
import { proxy } from "../serve/daemon/proxy.ts";
import { reach } from "../serve/daemon/reach.ts";
import { waits } from "../serve/daemon/waits.ts";
import type { HereOptions } from "../serve/here.ts";
import { wordings } from "../spec.gen.ts";
import { existing } from "./existing.ts";
import { UsageError, warn, type Invocation } from "./main.ts";
import { daemonProgram, programIdentity } from "./program.ts";
import { VERSION } from "./version.ts";

/** Ends when its standard input does. @spec serve-tool daemon-switch daemon-is-reached daemon-proxy-is-light */
export async function serve({ values }: Invocation): Promise<number> {
  if (values.mcp !== true)
    throw new UsageError(
      say(wordings.CLI_USAGE, {
        problem: wordings.CLI_SERVE_WHAT,
        command: "serve",
      }),
    );
  const folder = process.cwd();
  const path = typeof values.path === "string" ? [existing(values.path)] : [];
  const options: HereOptions = {
    version: VERSION,
    places: [...path, folder],
    settings: () => settingsOf(process.env, folder),
    autoInit: values["auto-init"] === true,
    tell: (text) => process.stderr.write(text),
  };
  watchParent(() => process.stdin.destroy());
  if (!daemonsWanted(process.env.CODEGRAPH_DAEMON)) return alone(options);
  const identity = programIdentity();
  const address =
    identity === undefined
      ? undefined
      : addressOf(rootOf(options.places[0]!), VERSION, identity);
  if (!address) {
    const reason = wordings.DAEMON_NO_FOLDER;
    warn(say(wordings.DAEMON_NONE, { reason }));
    return alone(options);
  }
  const hello = helloLine({ ...options, settings: options.settings() });
  await proxy({
    input: process.stdin,
    output: process.stdout,
    tell: options.tell,
    reach: (signal) => reach(address, hello, daemonProgram(), signal),
    here: async () => {
      const { serveHere } = await import("../serve/here.ts");
      const [near, far] = duplexPair();
      void serveHere(far, far, options).then(() => far.end());
      return near;
    },
  });
  return 0;
}

async function alone(options: HereOptions): Promise<number> {
  const { serveHere } = await import("../serve/here.ts");
  await serveHere(process.stdin, process.stdout, options);
  return 0;
}

/** Tells when the process that started this one is gone, though it is still served. @spec daemon-proxy-ends */
function watchParent(onGone: () => void): void {
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    onGone();
  }, waits().parent);
  timer.unref();
}
