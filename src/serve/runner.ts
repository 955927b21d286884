/**
 * Where a call runs: what goes down into it and what comes up.
 *
 * All that crosses is plain data, so that a structured clone may sit between.
 */
import type { Emission, SessionView } from "../session/view.ts";
import type { CallReport } from "./diagnostics.ts";
import type { Damage } from "../store/sync.ts";
import type { OpenIndexes } from "./open-indexes.ts";

/** The fields that travel inside; a client's own are dropped. */
export const VIEW = "_cgExploreSession";
export const EMISSION = "_cgExploreEmission";

export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

/** A call as it goes down. What the caller's environment says comes with it. */
export interface Asked {
  readonly query: string;
  readonly maxFiles: number | undefined;
  readonly maxChars: number | undefined;
  readonly dedup: string | undefined;
  readonly client: string | undefined;
  /** The call's context is known; else it is the connection's. */
  readonly identified: boolean;
  readonly project: string | undefined;
  /** What has to be said of the index. */
  readonly notes: readonly string[];
  /** Nobody asks for the report. */
  readonly unreported?: boolean;
  readonly [VIEW]: SessionView | undefined;
}

/** A result as it comes up. */
export interface RawResult extends ToolResult {
  readonly [EMISSION]?: Emission;
  readonly report?: CallReport;
  /** Files that are not as they were indexed. */
  readonly stale?: readonly string[];
  /** What keeps the index from being read, where it can be built anew. */
  readonly unreadable?: Damage;
}

/** The caller has given up: nobody waits for the answer. */
export class Cancelled extends Error {}

export interface Runner {
  /**
   * Answers a call about the project at `root`, a root with an index.
   * Throws: Cancelled where `signal` says so before the answer is there.
   */
  run(root: string, asked: Asked, signal?: AbortSignal): Promise<RawResult>;
  /** Gets ready for a first call, where that takes time. */
  warm?(): void;
  /** Ends what runs and closes what is open. */
  close(): Promise<void>;
}

/** Answers in this thread, which does nothing else meanwhile. @spec pool-same-bytes */
export class InThread implements Runner {
  private indexes: OpenIndexes | undefined;

  async run(
    root: string,
    asked: Asked,
    signal?: AbortSignal,
  ): Promise<RawResult> {
    if (signal?.aborted) throw new Cancelled();
    // A server whose threads answer loads nothing of this.
    const { answered } = await import("./answered.ts");
    const { OpenIndexes } = await import("./open-indexes.ts");
    return answered((this.indexes ??= new OpenIndexes()), root, asked);
  }

  async close(): Promise<void> {
    this.indexes?.close();
  }
}

export function told(text: string): ToolResult {
  return { content: [{ type: "text", text: `${text}\n` }] };
}

export function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
