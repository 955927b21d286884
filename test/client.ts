/** A real MCP client on the built binary, in a process of its own. */
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export interface Connected {
  readonly client: Client;
  /** The process of the server, or of the proxy to it. */
  readonly pid: number;
  /** What the server wrote to its standard error. */
  readonly stderr: () => string;
  /** The text of an answer. `meta` goes beside the arguments, as hosts send it. */
  explore(
    args: Readonly<Record<string, unknown>>,
    meta?: Readonly<Record<string, unknown>>,
  ): Promise<{ text: string; isError: boolean }>;
}

export interface ConnectOptions {
  readonly cwd: string;
  readonly home: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders that the client tells as its roots; without them it has none to tell. */
  readonly roots?: readonly string[];
  /** The client speaks the newest revision. */
  readonly modern?: boolean;
  /** The name that it gives itself. */
  readonly name?: string;
  /** The folder of the user's caches, for daemons; without it the server is one by itself. */
  readonly daemon?: string;
  /** Another copy of `dist`. */
  readonly dist?: string;
  /** A program and its arguments that run the command line they are given. */
  readonly through?: readonly string[];
}

export async function connect({
  cwd,
  home,
  args = [],
  env = {},
  roots,
  modern,
  name,
  daemon,
  dist = "dist",
  through = [],
}: ConnectOptions): Promise<Connected> {
  const [command, ...rest] = [
    ...through,
    process.execPath,
    join(resolve(dist), "codegraph.js"),
    "serve",
    "--mcp",
    ...args,
  ];
  const transport = new StdioClientTransport({
    command: command!,
    args: rest,
    cwd,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      ...(daemon === undefined
        ? { CODEGRAPH_DAEMON: "0" }
        : { CODEGRAPH_CACHE_DIR: daemon }),
      ...env,
    },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += String(chunk)));
  const client = clientOf({
    ...(name !== undefined && { name }),
    ...(modern !== undefined && { modern }),
    ...(roots && { roots }),
  });
  await client.connect(transport);
  return connected(client, transport.pid!, () => stderr);
}

/** A client of either era that is connected to nothing yet. */
export function clientOf({
  name = "test",
  modern,
  roots,
}: Pick<ConnectOptions, "name" | "modern" | "roots">): Client {
  const client = new Client(
    { name, version: "1" },
    {
      capabilities: roots ? { roots: { listChanged: true } } : {},
      ...(modern && { versionNegotiation: { mode: "auto" as const } }),
    },
  );
  if (roots)
    client.setRequestHandler("roots/list", () => ({
      roots: roots.map((root) => ({ uri: `file://${root}` })),
    }));
  return client;
}

export const connected = (
  client: Client,
  pid: number,
  stderr: () => string,
): Connected => ({
  client,
  pid,
  stderr,
  async explore(given, meta) {
    const result = (await client.callTool({
      name: "codegraph_explore",
      arguments: given,
      ...(meta && { _meta: meta }),
    })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    return {
      text: result.content[0]!.text,
      isError: result.isError === true,
    };
  },
});
