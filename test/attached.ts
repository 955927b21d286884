/**
 * A client of a real daemon whose proxy runs in this process: for what a daemon does
 * and knows. How a proxy starts, reads its command line and ends is for `client.ts`.
 */
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import type { Client } from "@modelcontextprotocol/client";
import { vi } from "vitest";
import { VERSION } from "../src/cli/version.ts";
import { userFolder } from "../src/index/user-folder.ts";
import { addressOf, identityOf, rootOf } from "../src/serve/daemon/address.ts";
import { helloLine, settingsOf } from "../src/serve/daemon/first-line.ts";
import type { Address } from "../src/serve/daemon/names.ts";
import { proxy } from "../src/serve/daemon/proxy.ts";
import { reach } from "../src/serve/daemon/reach.ts";
import {
  clientOf,
  connected,
  type Connected,
  type ConnectOptions,
} from "./client.ts";

type Transport = Parameters<Client["connect"]>[0];

export interface AttachOptions extends Pick<
  ConnectOptions,
  "cwd" | "home" | "env" | "roots" | "modern" | "name" | "dist"
> {
  /** The folder of the user's caches. */
  readonly daemon: string;
  /** As `--path` gives it. */
  readonly path?: string;
  readonly autoInit?: boolean;
  /** Whose daemon it is, where that is not the daemon of its own folder. */
  readonly at?: string;
}

/** Where the proxy of such a client, in a process of its own too, looks for its daemon. */
export function addressFor({
  cwd,
  home,
  daemon,
  path = cwd,
  at = path,
  dist = "dist",
}: AttachOptions): Address {
  const identity = identityOf(join(resolve(dist), "main.js"))!;
  // The home is one of the things that tell daemons apart.
  vi.stubEnv("HOME", home);
  try {
    const run = userFolder("run", daemon);
    return addressOf(rootOf(at, home), VERSION, identity, run)!;
  } finally {
    vi.unstubAllEnvs();
  }
}

/** It fails where it reaches no daemon: nobody answers by itself here. */
export async function attach(options: AttachOptions): Promise<Connected> {
  const { cwd, home, daemon, path, autoInit = false, env = {} } = options;
  const address = addressFor(options);
  const hello = helloLine({
    version: VERSION,
    places: path === undefined ? [cwd] : [path, cwd],
    settings: settingsOf(env, cwd),
    autoInit,
  });
  const program = {
    command: "env",
    args: [
      ...Object.entries({
        HOME: home,
        CODEGRAPH_CACHE_DIR: daemon,
        ...env,
      }).map(([name, value]) => `${name}=${value}`),
      process.execPath,
      join(resolve(options.dist ?? "dist"), "daemon.js"),
    ],
  };
  const input = new PassThrough();
  const output = new PassThrough();
  let told = "";
  const ended = proxy({
    input,
    output,
    tell: (text) => (told += text),
    reach: (signal) => reach(address, hello, program, signal),
    here: () => Promise.reject(new Error("no daemon was reached")),
  });
  const client = clientOf(options);
  await client.connect(lines(input, output, ended));
  return connected(client, process.pid, () => told);
}

/** The protocol's messages as lines, as over the pipes of a process. */
function lines(
  input: PassThrough,
  output: PassThrough,
  ended: Promise<void>,
): Transport {
  let rest = "";
  const transport: Transport = {
    start() {
      output.setEncoding("utf8").on("data", (chunk: string) => {
        const whole = (rest + chunk).split("\n");
        rest = whole.pop()!;
        for (const line of whole)
          transport.onmessage?.(
            JSON.parse(line) as Parameters<
              NonNullable<Transport["onmessage"]>
            >[0],
          );
      });
      return Promise.resolve();
    },
    send(message) {
      input.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    async close() {
      input.end();
      await ended;
      transport.onclose?.();
    },
  };
  return transport;
}
