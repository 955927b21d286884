/**
 * Stands before the protocol's own reader and answers what that would drop without
 * a word: a line that is no JSON, and a request whose parts are of the wrong kind.
 * A client that waits for an answer gets one.
 *
 * Units: bytes of UTF-8. Every other byte goes through as it came.
 */
import { Transform, type TransformCallback } from "node:stream";
import { wordings } from "../spec.gen.ts";

/** The answer to a line that the protocol's reader would drop; undefined for one that it takes. @spec serve-answers-every-request */
export function refusalOf(line: string): object | undefined {
  if (line.trim() === "") return undefined;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return failure(null, PARSE_ERROR, wordings.MESSAGE_NO_JSON);
  }
  if (typeof message !== "object" || message === null || Array.isArray(message))
    return failure(null, INVALID_REQUEST, wordings.MESSAGE_NO_OBJECT);
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  // Answers, and notifications, which nobody waits for.
  if (method === undefined && ("result" in message || "error" in message))
    return undefined;
  if (id === undefined && typeof method === "string") return undefined;
  if (jsonrpc !== "2.0" || typeof method !== "string" || known === null)
    return failure(known, INVALID_REQUEST, wordings.MESSAGE_NO_REQUEST);
  if (
    params !== undefined &&
    (typeof params !== "object" || params === null || Array.isArray(params))
  )
    return failure(known, INVALID_PARAMS, wordings.MESSAGE_PARAMS);
  return undefined;
}

/** Codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32700; // exempt spec-values-are-imported: a code of the protocol
const INVALID_REQUEST = -32600; // exempt spec-values-are-imported: a code of the protocol
const INVALID_PARAMS = -32602; // exempt spec-values-are-imported: a code of the protocol

const failure = (
  id: string | number | null,
  code: number,
  message: string,
) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

/** Lines that are refused do not come out; `refuse` gets the answer to them. */
export class Sieve extends Transform {
  private readonly refuse: (answer: object) => void;
  private readonly most: number;
  private readonly atRest: () => Promise<void>;
  private pending: Buffer[] = [];
  private held = 0;
  /** The line is too long to be looked at: the reader behind decides. */
  private passing = false;

  constructor(
    refuse: (answer: object) => void,
    most: number,
    atRest: () => Promise<void> = () => Promise.resolve(),
  ) {
    super();
    this.refuse = refuse;
    this.most = most;
    this.atRest = atRest;
  }

  override _transform(
    chunk: Buffer,
    _encoding: string,
    done: TransformCallback,
  ): void {
    let start = 0;
    for (
      let end = chunk.indexOf(0x0a);
      end >= 0;
      end = chunk.indexOf(0x0a, start)
    ) {
      this.hold(chunk.subarray(start, end + 1));
      this.line();
      start = end + 1;
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
    done();
  }

  /** The reader behind is told of the end when `atRest` says that nothing is under way. */
  override _flush(done: TransformCallback): void {
    this.line();
    void this.atRest().then(() => done());
  }

  private hold(part: Buffer): void {
    this.pending.push(part);
    this.held += part.length;
    if (this.held > this.most) this.passing = true;
    if (this.passing) this.release();
  }

  private line(): void {
    const passed = this.passing;
    this.passing = false;
    if (!passed && this.held > 0) {
      const whole = Buffer.concat(this.pending);
      const answer = refusalOf(whole.toString("utf8"));
      // In one piece: the reader behind joins what it has at each.
      this.pending = answer ? [] : [whole];
      if (answer) this.refuse(answer);
    }
    this.release();
    this.held = 0;
  }

  private release(): void {
    for (const part of this.pending) this.push(part);
    this.pending = [];
  }
}
