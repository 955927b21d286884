/**
 * The daemon of a project root. It answers every client of its address over one
 * handler, and knows of each what came over its connection, and nothing else.
 */
import {
  chmodSync,
  existsSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { SessionRecord } from "../../session/record.ts";
import { wordings } from "../../spec.gen.ts";
import type { Lock } from "../../store/folder.ts";
import type { ToolHandler } from "../handler.ts";
import { freshHandler, indexing } from "../here.ts";
import { serveMcp } from "../mcp.ts";
import { aboutFile, startingFile } from "./address.ts";
import { type Address } from "./names.ts";
import { controlled, type Status } from "./control.ts";
import { elect, letGo } from "./election.ts";
import {
  firstLine,
  logLine,
  readFirstLine,
  refusalLine,
  welcomeLine,
  type Hello,
} from "./first-line.ts";
import { waits as fromSpec, type Waits } from "./waits.ts";

export interface DaemonOptions {
  readonly address: Address;
  readonly version: string;
  /** What tells the program file from others, now. */
  readonly identity: () => string | undefined;
  /** How long it runs without a client. */
  readonly idleMs: number;
  /** Called once when clients can connect. */
  readonly onListening: () => void;
}

/** One client. */
interface Connection {
  readonly socket: Socket;
  readonly session: SessionRecord;
  /** Calls without an answer. */
  open: number;
}

/**
 * Serves an address until the daemon ends; false at once where another daemon does.
 * Throws: UserError where something else lies in the place of the lock; the errors of
 * the socket.
 * @spec daemon-is-one
 */
export async function runDaemon(
  options: DaemonOptions,
  waits: Waits = fromSpec(),
): Promise<boolean> {
  const held = elect(options.address);
  if ("heldBy" in held) return false;
  const daemon = new Daemon(options, held, waits);
  const stop = () => void daemon.stop();
  process.on("SIGTERM", stop).on("SIGINT", stop);
  await daemon.listen();
  await daemon.ended;
  return true;
}

export class Daemon {
  /** Settles when nothing is left to do. */
  readonly ended: Promise<void>;
  /** Every client, for operations that concern them. */
  readonly clients = new Set<Connection>();
  private readonly options: DaemonOptions;
  private readonly held: Lock;
  private readonly waits: Waits;
  private readonly handler = freshHandler((message) => this.tellAll(message));
  private readonly server: Server;
  private readonly started = new Date().toISOString();
  /** The program that was started. */
  private readonly program: string | undefined;
  private readonly controls = new Set<Promise<void>>();
  private calls = 0;
  private stopping: Promise<void> | undefined;
  private idle: NodeJS.Timeout | undefined;
  private readonly end: () => void;

  constructor(options: DaemonOptions, held: Lock, waits: Waits) {
    this.options = options;
    this.held = held;
    this.waits = waits;
    this.program = options.identity();
    let end = () => {};
    this.ended = new Promise((resolve) => (end = resolve));
    this.end = end;
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => {});
      void this.accept(socket);
    });
  }

  /** @spec daemon-is-one daemon-ends */
  async listen(): Promise<void> {
    const { address } = this.options;
    if (process.platform !== "win32") {
      rmSync(address.socket, { force: true });
      rmSync(startingFile(address), { force: true });
    }
    await new Promise<void>((resolve, reject) => {
      this.server.on("error", reject);
      this.server.listen({ path: address.socket }, resolve);
    });
    if (process.platform !== "win32") chmodSync(address.socket, 0o600);
    const { pid, version, root, started } = this.status();
    const beside = `${aboutFile(address)}.${pid}`;
    rmSync(beside, { force: true });
    writeFileSync(beside, JSON.stringify({ pid, version, root, started }), {
      flag: "wx",
      mode: 0o600,
    });
    renameSync(beside, aboutFile(address));
    rmSync(startingFile(address), { force: true });
    // Whoever started it gets the time to connect.
    this.rest(Math.max(this.options.idleMs, this.waits.starting));
    this.options.onListening();
  }

  status(): Status {
    return {
      pid: process.pid,
      version: this.options.version,
      root: this.options.address.root,
      started: this.started,
      clients: this.clients.size,
      calls: this.calls,
      rss: process.memoryUsage.rss(),
      projects: this.handler.states(),
    };
  }

  /** Lets go of the address at once; settles when the open calls are answered. @spec daemon-ends */
  stop(): Promise<void> {
    return (this.stopping ??= this.windUp());
  }

  private async windUp(): Promise<void> {
    clearTimeout(this.idle);
    this.server.close();
    letGo(this.options.address, this.held);
    for (const client of this.clients) {
      // What is asked from now on is another daemon's to answer.
      client.socket.pause();
      this.part(client);
    }
    const late = performance.now() + this.waits.stop;
    while (this.clients.size > 0 && performance.now() < late)
      await new Promise((resolve) => setTimeout(resolve, this.waits.retry));
    await this.handler.close();
    // Those that asked for the end are told before it comes.
    setImmediate(() => void Promise.all(this.controls).then(this.end));
  }

  /** Ends a connection that waits for nothing, once the daemon is to end. */
  private part(client: Connection): void {
    if (client.open > 0) return;
    this.clients.delete(client);
    client.socket.end();
  }

  /** @spec daemon-first-line daemon-control */
  private async accept(socket: Socket): Promise<void> {
    const line = await firstLine(socket, this.waits.firstLine);
    const first =
      line === undefined
        ? { kind: "refused" as const, reason: wordings.FIRST_LINE_MALFORMED }
        : readFirstLine(line);
    if (first.kind === "client") return this.serve(socket, first.hello);
    const answered = (async () => {
      const answer =
        first.kind === "control"
          ? `${JSON.stringify(await controlled(this, first.control))}\n`
          : refusalLine(first.reason);
      await new Promise<void>((resolve) => {
        socket.once("close", () => resolve());
        socket.end(answer, resolve);
      });
      socket.destroy();
    })();
    this.controls.add(answered);
    await answered;
    this.controls.delete(answered);
  }

  /** @spec daemon-settings-travel daemon-clients-are-apart daemon-same-answers */
  private async serve(socket: Socket, hello: Hello): Promise<void> {
    if (this.stopping) return void socket.destroy();
    const client: Connection = {
      socket,
      session: new SessionRecord(),
      open: 0,
    };
    this.clients.add(client);
    clearTimeout(this.idle);
    const tell = (text: string) => void socket.write(logLine(text));
    const log = (message: string) => tell(`codegraph: ${message}\n`);
    socket.write(welcomeLine(this.options.version));
    await serveMcp(socket, socket, {
      version: this.options.version,
      handler: {
        execute: (...call) => this.execute(client, call),
        prepare: (places) => this.handler.prepare(places),
      },
      places: hello.places,
      settings: () => hello.settings,
      session: client.session,
      log,
      tell,
      ...(hello.autoInit && { index: indexing(log) }),
    });
    socket.end();
    this.clients.delete(client);
    if (this.clients.size === 0 && !this.stopping) this.rest();
  }

  /** What concerns no client more than another. */
  private tellAll(message: string): void {
    for (const { socket } of this.clients)
      socket.write(logLine(`codegraph: ${message}\n`));
  }

  private async execute(
    client: Connection,
    call: Parameters<ToolHandler["execute"]>,
  ): ReturnType<ToolHandler["execute"]> {
    this.calls++;
    client.open++;
    try {
      return await this.handler.execute(...call);
    } finally {
      client.open--;
      // The answer is written first.
      if (this.stopping) setTimeout(() => this.part(client), this.waits.retry);
    }
  }

  /** Waits for clients, and ends when none comes or there is nothing to serve. @spec daemon-ends */
  private rest(ms = this.options.idleMs): void {
    const until = performance.now() + ms;
    const look = () => {
      const left = until - performance.now();
      if (left <= 0 || this.isLost()) return void this.stop();
      this.idle = setTimeout(look, Math.min(left, this.waits.check));
    };
    clearTimeout(this.idle);
    look();
  }

  /** Its root or its program is gone, or another program is in that place. */
  private isLost(): boolean {
    return (
      !existsSync(this.options.address.root) ||
      this.options.identity() !== this.program
    );
  }
}
