/**
 * A client of the real server in this process: it writes the protocol's lines and reads
 * them, so that it can send what hosts send, when they send it.
 */
import { PassThrough } from "node:stream";
import { ToolHandler } from "../src/serve/handler.ts";
import { serveMcp, type McpOptions } from "../src/serve/mcp.ts";
import { InThread, type RawResult, type Runner } from "../src/serve/runner.ts";

export type Said = Readonly<Record<string, unknown>>;

export interface Near {
  /** Sends a request; `id` names it to who wants to cancel it. The answer may never come. */
  request(method: string, params?: Said): { id: number; answer: Promise<Said> };
  notify(method: string, params?: Said): void;
  /** The text that a tool gives. */
  call(tool: string, args: Said, meta?: Said): Promise<string>;
  explore(args: Said, meta?: Said): Promise<string>;
  /** A hook's announcement. */
  announce(args: Said): Promise<void>;
  close(): Promise<void>;
}

export const NO_SETTINGS = { dedup: undefined, debug: undefined };

export async function near(
  root: string,
  { name = "test", ...options }: Partial<McpOptions> & { name?: string } = {},
): Promise<Near> {
  const input = new PassThrough();
  const output = new PassThrough();
  const handler = options.handler ?? new ToolHandler();
  const ended = serveMcp(input, output, {
    version: "0",
    handler,
    places: [root],
    settings: () => NO_SETTINGS,
    log: () => {},
    ...options,
  });
  const waiting = new Map<number, (message: Said) => void>();
  let rest = "";
  output.on("data", (chunk: Buffer) => {
    rest += String(chunk);
    const lines = rest.split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line) as Said & { id: number };
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  let ids = 0;
  const send = (message: Said) =>
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request: Near["request"] = (method, params = {}) => {
    const id = ++ids;
    const answer = new Promise<Said>((done) => waiting.set(id, done));
    send({ id, method, params });
    return { id, answer };
  };
  const call: Near["call"] = async (tool, args, meta) => {
    const { answer } = request("tools/call", {
      name: tool,
      arguments: args,
      ...(meta && { _meta: meta }),
    });
    return textOf(await answer);
  };
  const notify: Near["notify"] = (method, params = {}) =>
    void send({ method, params });
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name, version: "1" },
  }).answer;
  notify("notifications/initialized");
  return {
    request,
    notify,
    call,
    explore: (args, meta) => call("codegraph_explore", args, meta),
    async announce(args) {
      const text = await call("codegraph_context", args);
      if (text !== "{}") throw new Error(`a hook was answered ${text}`);
    },
    async close() {
      input.end();
      await ended;
      // One that is given is for others too.
      if (handler !== options.handler) await (handler as ToolHandler).close();
    },
  };
}

export const textOf = (answer: Said): string => {
  const { content } = answer["result"] as { content?: { text: string }[] };
  if (!content) throw new Error(`no text in ${JSON.stringify(answer)}`);
  return content[0]!.text;
};

/** Runs calls as the product does, each once it is let: what happens meanwhile is up to the test. */
export class Held implements Runner {
  private readonly inner = new InThread();
  /** By query. */
  private readonly gates = new Map<string, Promise<void>>();

  /** Holds the call of a query; what it gives lets it run. */
  hold(query: string): () => void {
    let open = () => {};
    this.gates.set(query, new Promise((done) => (open = done)));
    return open;
  }

  async run(...[root, asked]: Parameters<Runner["run"]>): Promise<RawResult> {
    await this.gates.get(asked.query);
    this.gates.delete(asked.query);
    // Whoever gave up meanwhile gets an answer that nobody waits for.
    return this.inner.run(root, asked);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
