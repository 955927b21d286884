/**
 * What stands between a client and its daemon. It hands lines on as they are, and
 * keeps what a new daemon has to be told when one ends: the handshake and the
 * requests that have no answer.
 *
 * Units: lines of JSON-RPC, with their line feed.
 * Errs: toward asking again. A call that was answered for nobody is harmless.
 */
import type { Duplex, Readable, Writable } from "node:stream";
import { say } from "../../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../../spec.gen.ts";
import { Sieve } from "../sieve.ts";
import { waits } from "./waits.ts";

export interface ProxyOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
  /** A daemon's connection, or why there is none; given up when the signal says so. */
  readonly reach: (signal: AbortSignal) => Promise<Duplex | string>;
  /** A connection to a server in this process. */
  readonly here: () => Promise<Duplex>;
}

interface Pending {
  readonly line: Buffer;
  readonly method: string;
  /** It was sent over the connection that is open. */
  sent: boolean;
  /** How many connections broke on it. */
  deaths: number;
}

type Message = Readonly<Record<string, unknown>>;

/** Settles when the input has ended. @spec daemon-is-replaced daemon-same-answers */
export function proxy(
  options: ProxyOptions,
  limits: Limits = fromSpec,
): Promise<void> {
  return new Relay(options, limits).ended;
}

class Relay {
  readonly ended: Promise<void>;
  private readonly options: ProxyOptions;
  private readonly limits: Limits;
  private readonly end: () => void;
  /** By the id as JSON. In the order of asking. */
  private readonly pending = new Map<string, Pending>();
  /** The client's handshake; `answered` once it knows the answer. */
  private initialize:
    { key: string; line: Buffer; answered: boolean } | undefined;
  private initialized: Buffer | undefined;
  private link: Duplex | undefined;
  /** The link takes lines: the handshake is repeated. */
  private ready = false;
  private connecting = false;
  /** The answer to this request is the proxy's own. */
  private swallowed: string | undefined;
  /** Requests of the server that the client has not answered. */
  private readonly asked = new Set<string>();
  /** Connections in a row that broke before they were ready. */
  private broken = 0;
  /** It serves by itself, or would. */
  private alone = false;
  /** The input has ended, and answers are open. */
  private lingering: NodeJS.Timeout | undefined;
  private readonly over = new AbortController();
  /** The link takes no more for now. */
  private isFull = false;
  /** The client takes no more for now. */
  private isSlow = false;

  constructor(options: ProxyOptions, limits: Limits) {
    this.options = options;
    this.limits = limits;
    let end = () => {};
    this.ended = new Promise((resolve) => (end = resolve));
    this.end = end;
    const { input, output } = options;
    const most = limits.MAX_MESSAGE_MB * MEGABYTE;
    const sieve = new Sieve(
      (answer) => this.write(`${JSON.stringify(answer)}\n`),
      most,
    );
    const lines = new Lines(most);
    const tooLarge = () => {
      this.told(
        say(wordings.MESSAGE_TOO_LARGE, { most: limits.MAX_MESSAGE_MB }),
      );
      this.finish();
    };
    sieve.on("data", (chunk: Buffer) => {
      if (this.over.signal.aborted) return;
      for (const line of lines.take(chunk)) this.fromClient(line);
      if (lines.isTooLong) tooLarge();
    });
    sieve.on("end", () => this.lastInput());
    input.once("close", () => sieve.end());
    input.on("error", () => sieve.end());
    // Nobody reads any more.
    output.on("error", () => this.finish());
    input.pipe(sieve);
    void this.connect();
  }

  private fromClient(line: Buffer): void {
    const message = parsed(line);
    if (!message) return;
    const { id, method } = message;
    const key = JSON.stringify(id);
    if (typeof method !== "string") {
      // An answer to a daemon that is no more is nobody's.
      if (this.asked.delete(key)) this.send(line);
      return;
    }
    if (id !== undefined) {
      if (method === "initialize") {
        this.initialize = { key, line, answered: false };
        this.initialized = undefined;
      }
      this.pending.set(key, { line, method, sent: false, deaths: 0 });
      this.sendPending();
      void this.connect();
      return;
    }
    if (method === "notifications/initialized") this.initialized = line;
    if (method === "notifications/cancelled")
      this.pending.delete(JSON.stringify(params(message)["requestId"]));
    this.send(line);
  }

  private fromServer(line: Buffer): void {
    const message = parsed(line);
    if (!message) return;
    const { id, method, codegraph_log: log } = message;
    if (typeof log === "string") {
      this.options.tell(log);
      return;
    }
    if (id !== undefined) {
      const key = JSON.stringify(id);
      if (typeof method === "string") this.asked.add(key);
      else if (key === this.swallowed) {
        this.swallowed = undefined;
        this.open();
        return;
      } else {
        this.pending.delete(key);
        if (this.initialize?.key === key) this.initialize.answered = true;
      }
    }
    this.write(line);
    if (this.pending.size === 0 && this.lingering) this.finish();
  }

  /** Looks for a server, when there is something to ask it. */
  private async connect(): Promise<void> {
    if (this.link || this.connecting || this.over.signal.aborted) return;
    this.connecting = true;
    const found = await this.server();
    this.connecting = false;
    if (found === undefined) return this.finish();
    if (this.over.signal.aborted) return void found.destroy();
    this.attach(found);
  }

  private async server(): Promise<Duplex | undefined> {
    if (!this.alone) {
      const found = await this.options.reach(this.over.signal).catch(reasonOf);
      if (typeof found !== "string") return found;
      this.goAlone(found);
    }
    try {
      return await this.options.here();
    } catch (error) {
      // The program was removed while it ran.
      const reason = reasonOf(error);
      const text = say(wordings.DAEMON_HERE_FAILED, { reason });
      this.told(text);
      for (const key of [...this.pending.keys()]) this.fail(key, text);
      return undefined;
    }
  }

  private goAlone(reason: string): void {
    if (this.alone) return;
    this.alone = true;
    this.told(say(wordings.DAEMON_NONE, { reason }));
  }

  private attach(link: Duplex): void {
    this.link = link;
    const lines = new Lines(Infinity);
    link.on("data", (chunk: Buffer) => {
      if (this.link !== link) return;
      for (const line of lines.take(chunk)) this.fromServer(line);
    });
    const lost = () => {
      if (this.link === link) this.detach(link);
    };
    link.on("end", lost).on("close", lost).on("error", lost);
    if (!this.isSlow) link.resume();
    const { initialize } = this;
    if (initialize?.answered) {
      this.swallowed = initialize.key;
      link.write(initialize.line);
    } else this.open();
  }

  /** The server knows the client: it gets what waits for it. */
  private open(): void {
    this.ready = true;
    this.broken = 0;
    const { initialize, initialized, link } = this;
    if (initialize?.answered && initialized) link?.write(initialized);
    this.sendPending();
  }

  private detach(link: Duplex): void {
    const wasReady = this.ready;
    this.link = undefined;
    this.ready = false;
    this.swallowed = undefined;
    this.asked.clear();
    link.destroy();
    if (this.isFull) this.flow(link);
    if (this.over.signal.aborted) return;
    // A server in this process ends when the connection is to end.
    if (this.alone) return this.finish();
    if (!wasReady && ++this.broken >= this.limits.REQUEST_DEATHS)
      this.goAlone(wordings.DAEMON_BREAKS);
    for (const [key, request] of [...this.pending]) {
      if (!request.sent) continue;
      request.sent = false;
      // A subscription is open as long as its client is.
      if (request.method.startsWith("subscriptions/")) continue;
      if (++request.deaths >= this.limits.REQUEST_DEATHS)
        this.fail(key, say(wordings.DAEMON_DIED, { deaths: request.deaths }));
    }
    if (this.lingering && this.pending.size === 0) return this.finish();
    if (this.pending.size > 0) void this.connect();
  }

  private sendPending(): void {
    if (!this.ready) return;
    for (const request of this.pending.values())
      if (!request.sent) {
        request.sent = true;
        this.send(request.line);
        // It may have come before there was a link.
        if (request.method === "initialize" && this.initialized)
          this.send(this.initialized);
      }
  }

  /** What is no request is of no use to a daemon that comes later. */
  private send(line: Buffer): void {
    const { link } = this;
    if (!link || !this.ready || link.write(line) || this.isFull) return;
    this.isFull = true;
    this.options.input.pause();
    link.once("drain", () => this.flow(link));
  }

  private flow(link: Duplex): void {
    if (this.link !== link && this.link !== undefined) return;
    this.isFull = false;
    if (!this.over.signal.aborted) this.options.input.resume();
  }

  private write(text: Buffer | string): void {
    const { link, options } = this;
    if (options.output.write(text) || !link || this.isSlow) return;
    this.isSlow = true;
    link.pause();
    options.output.once("drain", () => {
      this.isSlow = false;
      this.link?.resume();
    });
  }

  private fail(key: string, message: string): void {
    this.pending.delete(key);
    this.write(
      `{"jsonrpc":"2.0","id":${key},"error":{"code":${INTERNAL_ERROR},"message":${JSON.stringify(message)}}}\n`,
    );
  }

  private told(text: string): void {
    this.options.tell(`codegraph: ${text}\n`);
  }

  /** @spec daemon-proxy-ends */
  private lastInput(): void {
    if (this.over.signal.aborted) return;
    if (this.pending.size === 0) return this.finish();
    this.lingering = setTimeout(() => this.finish(), waits(this.limits).linger);
  }

  private finish(): void {
    if (this.over.signal.aborted) return;
    this.over.abort();
    clearTimeout(this.lingering);
    const { link, options } = this;
    link?.end();
    setImmediate(() => link?.destroy());
    // What nobody reads any more must not keep the process.
    options.input.unpipe();
    options.input.pause();
    this.end();
  }
}

const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit
const INTERNAL_ERROR = -32603; // exempt spec-values-are-imported: a code of the protocol

const reasonOf = (error: unknown): string => (error as Error).message;

const params = ({ params }: Message): Message =>
  typeof params === "object" && params !== null ? (params as Message) : {};

function parsed(line: Buffer): Message | undefined {
  try {
    const message: unknown = JSON.parse(line.toString("utf8"));
    return typeof message === "object" && message !== null
      ? (message as Message)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Cuts a stream into lines; what comes after the last line feed waits for the next. */
class Lines {
  /** A line has more than a message may have. It is not given. */
  isTooLong = false;
  private readonly most: number;
  private parts: Buffer[] = [];
  private held = 0;

  constructor(most: number) {
    this.most = most;
  }

  take(chunk: Buffer): Buffer[] {
    const found: Buffer[] = [];
    let start = 0;
    for (
      let end = chunk.indexOf(0x0a);
      end >= 0;
      end = chunk.indexOf(0x0a, start)
    ) {
      const line = [...this.parts, chunk.subarray(start, end + 1)];
      if (this.held + end + 1 - start > this.most) this.isTooLong = true;
      else found.push(line.length === 1 ? line[0]! : Buffer.concat(line));
      this.parts = [];
      this.held = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      this.parts.push(chunk.subarray(start));
      this.held += chunk.length - start;
      if (this.held > this.most) this.isTooLong = true;
    }
    return found;
  }
}
