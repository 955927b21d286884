/**
 * The active chain of a conversation, as the host's transcript tells it: each record
 * names the one before it, and whoever takes turns back goes on from an earlier one.
 *
 * Errs: toward what is gone. What is on a chain that cannot be followed to the end is
 * sent again; of a call that the transcript has not named yet nothing is said.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** What counts of a record. */
export interface ChainRecord {
  readonly id: string;
  /** Undefined where a conversation, or what a compaction has left of it, begins. */
  readonly parent: string | undefined;
  /** The message that it is a part of: its calls stand and fall together. */
  readonly message: string;
  /** Ids of calls in it. */
  readonly calls: readonly string[];
  /** The prompt that it answers to. */
  readonly prompt: string | undefined;
}

/**
 * Reads a line of a transcript; undefined where it is no record of the main agent's
 * conversation. `isOurs` tells the calls that count by the name of their tool.
 * @spec rewound-calls
 */
export function readRecord(
  line: string,
  isOurs: (tool: string) => boolean,
): ChainRecord | undefined {
  const given = objectOf(parsed(line));
  const { uuid, parentUuid, isSidechain, promptId } = given;
  if (typeof uuid !== "string" || isSidechain === true) return undefined;
  if (typeof parentUuid !== "string" && parentUuid !== null) return undefined;
  const { id, content } = objectOf(given["message"]);
  const blocks =
    given["type"] === "assistant" && Array.isArray(content) ? content : [];
  return {
    id: uuid,
    parent: parentUuid ?? undefined,
    message: typeof id === "string" ? id : uuid,
    calls: blocks.flatMap((block) => {
      const { type, name, id: call } = objectOf(block);
      const counts =
        type === "tool_use" && typeof name === "string" && isOurs(name);
      return counts && typeof call === "string" ? [call] : [];
    }),
    prompt: typeof promptId === "string" ? promptId : undefined,
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** The messages with calls on the way from a record to the beginning. */
interface Path {
  readonly message: string;
  readonly before: Path | undefined;
}

/** @spec rewound-calls transcripts-are-followed */
export class Chain {
  private readonly most: number;
  /** Of the latest records, the earliest first. */
  private readonly paths = new Map<string, Path | undefined>();
  private readonly messages = new Map<string, string>();
  private readonly prompts = new Map<string, true>();
  private active: Path | undefined;
  private isCut = false;

  constructor(limits: Pick<Limits, "MAX_CHAIN_RECORDS"> = fromSpec) {
    this.most = limits.MAX_CHAIN_RECORDS;
  }

  /** In the order of the transcript. */
  take({ id, parent, message, calls, prompt }: ChainRecord): void {
    const before = parent === undefined ? undefined : this.paths.get(parent);
    const path =
      calls.length === 0 || before?.message === message
        ? before
        : { message, before };
    this.keep(this.paths, id, path);
    for (const call of calls) this.keep(this.messages, call, message);
    if (prompt !== undefined) this.keep(this.prompts, prompt, true);
    this.active = path;
  }

  /** What comes next is not what came next: something was left out. */
  cut(): void {
    this.isCut = true;
    this.paths.clear();
    this.active = undefined;
  }

  /** Whether the transcript has come to what answers to a prompt. */
  hasCome(prompt: string): boolean {
    return this.prompts.has(prompt);
  }

  /** Whether a call is no more on the chain that ends in the newest record. */
  isGone(call: string): boolean {
    const message = this.messages.get(call);
    if (message === undefined) return this.isCut;
    for (let path = this.active; path; path = path.before)
      if (path.message === message) return false;
    return true;
  }

  private keep<T>(all: Map<string, T>, key: string, value: T): void {
    all.delete(key);
    all.set(key, value);
    if (all.size > this.most) all.delete(all.keys().next().value!);
  }
}
