/**
 * What the contexts of one connection have received. One instance a connection,
 * on the main thread; it dies with it.
 *
 * Errs: toward forgetting. What is forgotten is sent again.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { largest, sound } from "./spans.ts";
import type {
  DeliveredFile,
  Emission,
  RecordedCall,
  SessionView,
} from "./view.ts";

interface Bucket {
  callCount: number;
  responseBytes: number;
  /** The earliest first. */
  calls: RecordedCall[];
  /** When the last call was recorded, in the caller's milliseconds. */
  lastActive: number;
}

/** Roots are told apart by this; where file systems ignore letter case, hand in folded ones. */
const keyOf = (context: string, root: string): string =>
  JSON.stringify([context, root]);

/** @spec session-bounds session-counters session-keys */
export class SessionRecord {
  private readonly limits: Limits;
  /** The least recently active first. */
  private readonly buckets = new Map<string, Bucket>();

  constructor(limits: Limits = fromSpec) {
    this.limits = limits;
  }

  /**
   * What a call of this context about this project may know. `now` is in
   * milliseconds, of a clock that does not go back.
   */
  view(context: string, root: string, now: number): SessionView {
    const bucket = this.alive(keyOf(context, root), now);
    if (!bucket) return { callCount: 0, responseBytes: 0, calls: [] };
    const { callCount, responseBytes, calls } = bucket;
    return {
      callCount,
      responseBytes,
      calls: calls.slice(-this.limits.MAX_CALLS_IN_VIEW).reverse(),
    };
  }

  /** Notes what a call delivered, once it is certain to have reached its caller. @spec session-drops-what-it-doubts session-keeps-what-it-points-at */
  record(context: string, root: string, emission: Emission, now: number): void {
    const key = keyOf(context, root);
    const bucket = this.alive(key, now) ?? {
      callCount: 0,
      responseBytes: 0,
      calls: [],
      lastActive: now,
    };
    bucket.callCount++;
    bucket.responseBytes += Math.max(0, emission.responseBytes);
    bucket.calls.push({
      ...emission,
      files: bounded(emission.files, this.limits),
      index: bucket.callCount,
    });
    bucket.calls = bucket.calls.slice(-this.limits.MAX_CALLS);
    bucket.lastActive = now;
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    this.trim();
  }

  /** Forgets every bucket of a context. Gives how many there were. The default context stays unless `evenDefault`. */
  forget(context: string, evenDefault = false): number {
    if (context === "" && !evenDefault) return 0;
    let dropped = 0;
    for (const key of [...this.buckets.keys()])
      if (
        (JSON.parse(key) as [string, string])[0] === context &&
        this.buckets.delete(key)
      )
        dropped++;
    return dropped;
  }

  /** @spec session-forgets-the-idle */
  private alive(key: string, now: number): Bucket | undefined {
    const bucket = this.buckets.get(key);
    if (
      bucket &&
      now - bucket.lastActive >= this.limits.IDLE_MINUTES * MINUTE
    ) {
      this.buckets.delete(key);
      return undefined;
    }
    return bucket;
  }

  private trim(): void {
    const keys = [...this.buckets.keys()];
    for (const key of keys.slice(0, -this.limits.MAX_PROJECTS))
      this.buckets.get(key)!.calls = [];
    for (const key of keys.slice(0, -this.limits.MAX_COUNTED_BUCKETS))
      this.buckets.delete(key);
  }
}

const MINUTE = 60 * 1000; // exempt spec-values-are-imported: a minute has sixty seconds

function bounded(
  files: readonly DeliveredFile[],
  limits: Limits,
): DeliveredFile[] {
  return files
    .flatMap((file) => {
      const all = sound(file.spans);
      const spans = largest(all, limits.MAX_SPANS_PER_FILE);
      if (spans.length === 0 || file.fingerprint === "") return [];
      return [
        {
          ...file,
          spans,
          truncated: file.truncated || spans.length < all.length,
        },
      ];
    })
    .toSorted((a, b) => b.sourceBytes - a.sourceBytes)
    .slice(0, limits.MAX_FILES_PER_CALL);
}
