/**
 * Where a call runs: what goes down into it, what comes up, and the one way to
 * answer it, which a worker thread and this one share.
 *
 * All that crosses is plain data, so that a structured clone may sit between.
 */
import { say } from "../model/wording.ts";
import type { Emission, SessionView } from "../session/view.ts";
import { wordings } from "../spec.gen.ts";
import { currentIndex } from "../store/place.ts";
import { damaged, UnreadableIndex } from "../store/sqlite.ts";
import type { CallReport } from "./diagnostics.ts";
import type { Damage } from "../store/sync.ts";
import { unreadableTold } from "../store/trouble.ts";
import { explore } from "./explore.ts";
import { OpenIndexes } from "./projects.ts";

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
  private readonly indexes = new OpenIndexes();

  async run(
    root: string,
    asked: Asked,
    signal?: AbortSignal,
  ): Promise<RawResult> {
    if (signal?.aborted) throw new Cancelled();
    return answered(this.indexes, root, asked);
  }

  async close(): Promise<void> {
    this.indexes.close();
  }
}

/**
 * The answer, whichever thread this is; `answer` gives what `explore` gives.
 * Throws: what the check of `indexes` throws.
 * @spec pool-same-bytes
 */
export function answered(
  indexes: OpenIndexes,
  root: string,
  asked: Asked,
  answer: typeof explore = explore,
): RawResult {
  try {
    const found = indexes.ask(root, (index) =>
      answer(root, index, {
        query: asked.query,
        ...(asked.maxFiles !== undefined && { maxFiles: asked.maxFiles }),
        ...(asked.maxChars !== undefined && { maxChars: asked.maxChars }),
        session: asked[VIEW],
        dedup: asked.dedup,
        client: asked.client,
        identified: asked.identified,
        project: asked.project,
        notes: asked.notes,
        unreported: asked.unreported,
      }),
    );
    if (!found) return told(say(wordings.SERVE_NOT_INDEXED, { path: root }));
    const { text, emission, report, stale } = found;
    return {
      content: [{ type: "text", text }],
      [EMISSION]: emission,
      ...(report && { report }),
      stale,
    };
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    if (!(error instanceof UnreadableIndex)) {
      const file = currentIndex(root);
      if (file === undefined) throw error;
      const { message: reason } = damaged(file, error);
      return {
        ...failed((error as Error).message),
        unreadable: { file, reason, isGuess: true },
      };
    }
    const text = unreadableTold(root, error);
    if (error.newer) return told(text);
    const { file, message: reason } = error;
    return {
      ...told([text, ...asked.notes].join("\n")),
      unreadable: { file, reason },
    };
  }
}

export function told(text: string): ToolResult {
  return { content: [{ type: "text", text: `${text}\n` }] };
}

export function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
