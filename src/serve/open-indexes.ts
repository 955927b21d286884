/** Keeps the indexes of projects open. One that was replaced since is opened anew. */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { openIndex, type OpenIndex } from "../store/open.ts";
import { currentIndex } from "../store/place.ts";
import type { IndexReader } from "../store/store.ts";
import { KeptIndex } from "./kept.ts";

interface Opened extends OpenIndex {
  /** What questions are answered from, and the state of the index that it holds for. */
  kept: { readonly state: number; readonly index: KeptIndex } | undefined;
  usedAt: number;
}

export interface OpenOptions {
  /** Called whenever an index is asked something; what it throws ends the question. */
  readonly check?: (() => void) | undefined;
  /** Milliseconds of a clock that does not go back. */
  readonly now?: () => number;
  readonly limits?: Pick<Limits, "MAX_OPEN_INDEXES" | "OPEN_INDEX_MINUTES">;
}

/**
 * The open indexes of one thread by root, few, and none that was not used lately.
 * It holds nothing about any client.
 * @spec pool-open-indexes
 */
export class OpenIndexes {
  /** The least recently used first. */
  private readonly open = new Map<string, Opened>();
  private readonly options: OpenOptions;

  constructor(options: OpenOptions = {}) {
    this.options = options;
  }

  /**
   * Runs `ask` on one state of a project's index, the newest there is. Asked once a
   * call: here, and nowhere else, what was kept is given up where it is outdated.
   * Undefined where nothing is indexed. Throws: UnreadableIndex; what `ask` throws.
   */
  ask<T>(root: string, ask: (index: IndexReader) => T): T | undefined {
    const opened = this.opened(root);
    if (!opened) return undefined;
    return opened.index.snapshot(() => {
      const { check } = this.options;
      if (opened.kept?.state !== opened.index.state)
        opened.kept = {
          state: opened.index.state,
          index: new KeptIndex(opened.index, { check }),
        };
      return ask(opened.kept.index);
    });
  }

  private opened(root: string): Opened | undefined {
    const { check, now = () => performance.now() } = this.options;
    const at = now();
    const known = this.open.get(root);
    this.open.delete(root);
    this.closeUnused(at);
    if (known && !known.index.isFixed && known.file === currentIndex(root)) {
      known.usedAt = at;
      this.open.set(root, known);
      return known;
    }
    known?.index.close();
    const found = openIndex(root, check);
    if (!found) return undefined;
    const opened: Opened = { ...found, kept: undefined, usedAt: at };
    this.open.set(root, opened);
    return opened;
  }

  close(): void {
    for (const { index } of this.open.values()) index.close();
    this.open.clear();
  }

  /** Leaves room for one more. */
  private closeUnused(now: number): void {
    const { limits = fromSpec } = this.options;
    for (const [root, { index, usedAt }] of this.open) {
      const isOld = now - usedAt >= limits.OPEN_INDEX_MINUTES * MINUTE;
      if (!isOld && this.open.size < limits.MAX_OPEN_INDEXES) break;
      index.close();
      this.open.delete(root);
    }
  }
}

const MINUTE = 60 * 1000; // exempt spec-values-are-imported: a minute has sixty seconds
