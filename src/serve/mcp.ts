/**
 * The MCP server over a pair of streams. Each connection has its own record; the
 * handler is shared.
 */
import { fileURLToPath } from "node:url";
import type { Readable, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { Server, type ServerContext } from "@modelcontextprotocol/server";
import {
  serveStdio,
  StdioServerTransport,
} from "@modelcontextprotocol/server/stdio";
import { say } from "../model/wording.ts";
import { announce, ANNOUNCE_TOOL } from "./announce.ts";
import { TOOL } from "./tool.ts";
import { Sieve } from "./sieve.ts";
import { Transcripts } from "./transcript.ts";
import { Announced } from "../session/announced.ts";
import { SessionRecord } from "../session/record.ts";
import {
  limits as fromSpec,
  lists,
  wordings,
  type Limits,
} from "../spec.gen.ts";
import { type Caller, type Settings, type ToolHandler } from "./handler.ts";

export interface McpOptions {
  readonly version: string;
  readonly handler: Pick<ToolHandler, "execute"> &
    Partial<Pick<ToolHandler, "prepare">>;
  /** `--path` and the working directory. */
  readonly places: readonly string[];
  /** What the client's environment says, asked for at each call. */
  readonly settings: () => Settings;
  /** No control line reaches this server. */
  readonly isAlone?: boolean;
  /** The connection's record; by default a new one. */
  readonly session?: SessionRecord;
  /** Indexes a folder and reports files done and in all. */
  readonly index?: (
    folder: string,
    onProgress: (done: number, total: number) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Told of trouble that no request carries. */
  readonly log: (message: string) => void;
  /** Writes to the client's standard error; by default to this process's. */
  readonly tell?: (text: string) => void;
  /** Milliseconds of a clock that does not go back; by default the process's. */
  readonly now?: () => number;
}

/** As every client sees it. @spec serve-tool */
const TOOLS = [
  {
    name: TOOL,
    title: wordings.TOOL_TITLE,
    description: wordings.TOOL_DESCRIPTION,
    inputSchema: {
      type: "object" as const,
      properties: {
        query: { type: "string", description: wordings.TOOL_QUERY },
        projectPath: {
          type: "string",
          description: wordings.TOOL_PROJECT_PATH,
        },
        maxFiles: {
          type: "integer",
          minimum: 1,
          description: wordings.TOOL_MAX_FILES,
        },
        maxChars: {
          type: "integer",
          minimum: 1,
          description: wordings.TOOL_MAX_CHARS,
        },
      },
      required: ["query"],
    },
    annotations: {
      title: wordings.TOOL_TITLE,
      readOnlyHint: true,
      openWorldHint: false,
      idempotentHint: true,
    },
    _meta: { "anthropic/alwaysLoad": true },
  },
] as const;

/**
 * What a client is told of, by what its environment says.
 * @spec serve-tool serve-session-param
 */
export function toolsFor({ sessionParam }: Pick<Settings, "sessionParam">) {
  const isNamed = lists.SESSION_PARAM_ON.includes(
    (sessionParam ?? "").trim().toLowerCase(),
  );
  return TOOLS.map(({ inputSchema, ...tool }) => ({
    ...tool,
    inputSchema: {
      ...inputSchema,
      properties: {
        ...inputSchema.properties,
        ...(isNamed && {
          sessionId: { type: "string", description: wordings.TOOL_SESSION_ID },
        }),
      },
    },
  }));
}

/** Serves one connection until its input ends. Gives a promise of that end. */
export function serveMcp(
  input: Readable,
  output: Writable,
  options: McpOptions,
  limits: Pick<Limits, "MAX_MESSAGE_MB"> = fromSpec,
): Promise<void> {
  const session = options.session ?? new SessionRecord();
  options.handler.prepare?.(options.places);
  return new Promise((resolve) => {
    const most = limits.MAX_MESSAGE_MB * MEGABYTE;
    const calls = new Calls();
    const announced = new Announced();
    const transcripts = new Transcripts();
    const sieve = new Sieve(
      (answer) => output.write(`${JSON.stringify(answer)}\n`),
      most,
      () => calls.atRest(),
    );
    // A pipe does not hand on that its source broke.
    input.once("close", () => sieve.end());
    const transport = new Ending(
      input.pipe(sieve),
      output,
      { maxBufferSize: most },
      () => {
        // What nobody reads any more must not keep the process.
        input.unpipe(sieve);
        input.pause();
        resolve();
      },
    );
    const memory = { session, announced, transcripts };
    serveStdio(() => connection(memory, options, calls), {
      transport,
      onerror: (error) => options.log(error.message),
    });
  });
}

const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit

/** Tells of its end: of its input, or of a message that is too large. */
class Ending extends StdioServerTransport {
  private readonly ended: () => void;

  constructor(
    input: Readable,
    output: Writable,
    options: { maxBufferSize: number },
    ended: () => void,
  ) {
    super(input, output, options);
    this.ended = ended;
  }

  override async close(): Promise<void> {
    await super.close();
    this.ended();
  }
}

/** The calls of a connection that have no answer yet. @spec serve-finishes-calls */
class Calls {
  private readonly open = new Set<Promise<unknown>>();

  async run<T>(call: () => Promise<T>): Promise<T> {
    const running = call();
    this.open.add(running);
    try {
      return await running;
    } finally {
      this.open.delete(running);
    }
  }

  /** Settles when every call that was read is answered: who sends all at once and closes gets all. */
  async atRest(): Promise<void> {
    // What was read is handed on first.
    await turn();
    do {
      await Promise.allSettled(this.open);
      await turn();
    } while (this.open.size > 0);
  }
}

/** What is known of the contexts of a connection. */
interface Memory {
  readonly session: SessionRecord;
  readonly announced: Announced;
  readonly transcripts: Transcripts;
}

function connection(
  { session, announced, transcripts }: Memory,
  options: McpOptions,
  calls: Calls,
): Server {
  const server = new Server(
    { name: "codegraph", title: "codegraph", version: options.version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: wordings.SERVER_INSTRUCTIONS,
    },
  );
  const roots = new Roots(async (timeout) => {
    if (!server.getClientCapabilities()?.roots) return [];
    return (await server.listRoots(undefined, { timeout })).roots;
  }, options.log);
  server.setNotificationHandler("notifications/roots/list_changed", () =>
    roots.changed(),
  );
  server.setRequestHandler("tools/list", () => ({
    tools: toolsFor(options.settings()) as never,
  }));
  // Hosts probe these and show a server that refuses as failed.
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [],
  }));
  server.setRequestHandler("prompts/list", () => ({ prompts: [] }));
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    calls.run(async () => {
      if (params.name === ANNOUNCE_TOOL)
        return announce(params.arguments, session, announced) as never;
      const caller: Caller = {
        places: [...(await roots.folders()), ...options.places],
        signal: ctx.mcpReq.signal,
        client: clientName(server, ctx),
        meta: ctx.mcpReq._meta,
        isAlone: options.isAlone,
        announced,
        transcripts,
        now: options.now ?? (() => performance.now()),
        settings: options.settings(),
        ...(options.tell && { tell: options.tell }),
        ...(options.index && {
          autoInit: (folder: string) => indexed(folder, options, ctx),
        }),
      };
      return (await options.handler.execute(
        params.name,
        params.arguments,
        session,
        caller,
      )) as never;
    }),
  );
  return server;
}

/** As the handshake, or in the newest revision the request, gives it. */
function clientName(server: Server, ctx: ServerContext): string | undefined {
  const envelope: Readonly<Record<string, unknown>> = ctx.mcpReq.envelope ?? {};
  const inRequest = envelope["io.modelcontextprotocol/clientInfo"] as
    { readonly name?: unknown } | undefined;
  const name = inRequest?.name ?? server.getClientVersion()?.name;
  return typeof name === "string" ? name : undefined;
}

/** @spec serve-answers-at-once */
async function indexed(
  folder: string,
  options: McpOptions,
  ctx: ServerContext,
): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  let told = -1;
  await options.index!(
    folder,
    (done, total) => {
      const percent = Math.floor((done * 100) / Math.max(1, total));
      if (progressToken === undefined || percent === told) return;
      told = percent;
      void ctx.mcpReq
        .notify({
          method: "notifications/progress",
          params: {
            progressToken,
            progress: done,
            total,
            message: say(wordings.SERVE_INDEXING, { path: folder }),
          },
        })
        .catch((error: Error) => options.log(error.message));
    },
    ctx.mcpReq.signal,
  );
}

/**
 * The client's roots, asked for once and again after it says that they changed. One
 * that does not answer in time, or that has other things than folders, has none.
 * @spec serve-finds-the-project
 */
export class Roots {
  private asked: Promise<readonly string[]> | undefined;
  private readonly ask: (
    waitMs: number,
  ) => Promise<readonly { readonly uri: string }[]>;
  private readonly log: (message: string) => void;
  private readonly waitMs: number;

  constructor(
    ask: (waitMs: number) => Promise<readonly { readonly uri: string }[]>,
    log: (message: string) => void,
    limits: Pick<Limits, "ROOTS_WAIT_MS"> = fromSpec,
  ) {
    this.ask = ask;
    this.log = log;
    this.waitMs = limits.ROOTS_WAIT_MS;
  }

  /** Asks again at the next call. */
  changed(): void {
    this.asked = undefined;
  }

  folders(): Promise<readonly string[]> {
    return (this.asked ??= this.ask(this.waitMs).then(
      (roots) =>
        roots.flatMap(({ uri }) => {
          try {
            return [fileURLToPath(uri)];
          } catch {
            return [];
          }
        }),
      (error: Error) => {
        this.log(`roots/list: ${error.message}`);
        return [];
      },
    ));
  }
}
