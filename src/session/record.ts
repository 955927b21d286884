/**
 * What the contexts of one connection have received. One instance a connection,
 * on the main thread; it dies with it.
 *
 * Errs: toward forgetting. What is forgotten is sent again.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { DEFAULT_CONTEXT, endsWith } from "./context.ts";
import type { Span } from "../model/span.ts";
import { largest, sound } from "./spans.ts";
import type {
  DeliveredFile,
  Emission,
  RecordedCall,
  SessionView,
} from "./view.ts";

/** What of the spec bounds a record. */
export type RecordLimits = Pick<
  Limits,
  | "MAX_PROJECTS"
  | "MAX_BUCKETS"
  | "MAX_CALLS"
  | "MAX_FILES_PER_CALL"
  | "MAX_SPANS_PER_FILE"
  | "MAX_QUERY_CHARS_KEPT"
  | "MAX_CALLS_IN_VIEW"
  | "MAX_COUNTED_BUCKETS"
  | "IDLE_MINUTES"
>;

interface Bucket {
  readonly context: string;
  readonly root: string;
  readonly callCount: number;
  readonly responseBytes: number;
  /** The earliest first. */
  readonly calls: readonly RecordedCall[];
  /** When the last call was recorded, in the caller's milliseconds. */
  readonly lastActive: number;
}

/** Injective, whatever the two texts hold. */
const keyOf = (context: string, root: string): string =>
  JSON.stringify([context, root]);

/**
 * A memory of what was sent. Ask for a `view` before a call answers, and `record`
 * what it delivered once that is certain to have reached the caller.
 *
 * `context` is what `contextKey` gives, `root` what `rootKey` gives. `now` is in
 * milliseconds, of a clock that does not go back.
 * @spec session-bounds session-counters session-keys
 */
export class SessionRecord {
  private readonly limits: RecordLimits;
  /** The least recently active first. */
  private readonly buckets = new Map<string, Bucket>();
  private ends = 0;

  /** The limits of the spec, but for those that are given. */
  constructor(limits: Partial<RecordLimits> = {}) {
    this.limits = { ...fromSpec, ...limits };
  }

  /** What a call of this context about this project may know. A snapshot. */
  view(context: string, root: string, now: number): SessionView {
    this.forgetIdle(now);
    const bucket = this.buckets.get(keyOf(context, root));
    if (!bucket) return { callCount: 0, responseBytes: 0, calls: [] };
    const { callCount, responseBytes, calls } = bucket;
    return {
      callCount,
      responseBytes,
      calls: calls.slice(-this.limits.MAX_CALLS_IN_VIEW).reverse(),
    };
  }

  /** Whether this context was answered about other projects too. @spec dedup-names-the-project */
  knowsOthers(context: string, root: string): boolean {
    for (const bucket of this.buckets.values())
      if (bucket.context === context && bucket.root !== root) return true;
    return false;
  }

  /**
   * Notes what a call delivered. The emission is copied; what of it is beyond a
   * bound, or doubtful, is left out. `callId` is the host's, where it is known.
   * @spec session-drops-what-it-doubts
   */
  record(
    context: string,
    root: string,
    emission: Emission,
    now: number,
    callId?: string,
  ): void {
    this.forgetIdle(now);
    const key = keyOf(context, root);
    const before = this.buckets.get(key);
    const index = (before?.callCount ?? 0) + 1;
    const call = recorded(emission, index, callId, this.limits);
    // Taken out and put in again, so that it is the last one.
    this.buckets.delete(key);
    this.buckets.set(key, {
      context,
      root,
      callCount: index,
      responseBytes: (before?.responseBytes ?? 0) + call.responseBytes,
      calls: [...(before?.calls ?? []), call].slice(-this.limits.MAX_CALLS),
      lastActive: now,
    });
    this.trim();
  }

  /**
   * Forgets every bucket of a context, which has lost what it held, and of the agents
   * of a session. Gives how many there were. The default context is shared by all who say nothing about
   * themselves, and stays.
   * @spec session-forgets-a-context
   */
  forget(context: string): number {
    if (context === DEFAULT_CONTEXT) return 0;
    this.ends++;
    const before = this.buckets.size;
    for (const [key, bucket] of this.buckets)
      if (endsWith(bucket.context, context)) this.buckets.delete(key);
    return before - this.buckets.size;
  }

  /**
   * Forgets a context, and no agent's, if `isGone` says of a call of it that it is not
   * part of the conversation any more. Calls that are under way go on: they began
   * after that.
   * @spec rewound-calls
   */
  rewind(context: string, isGone: (callId: string) => boolean): void {
    const own = [...this.buckets].filter(
      ([, bucket]) => bucket.context === context,
    );
    const hasGone = own.some(([, { calls }]) =>
      calls.some(({ callId }) => callId !== undefined && isGone(callId)),
    );
    if (hasGone) for (const [key] of own) this.buckets.delete(key);
  }

  /** How often a context was forgotten: who began a call before has to know. @spec owner-decides */
  get ended(): number {
    return this.ends;
  }

  /** @spec session-forgets-the-idle */
  private forgetIdle(now: number): void {
    for (const [key, { lastActive }] of this.buckets)
      if (now - lastActive >= this.limits.IDLE_MINUTES * MINUTE)
        this.buckets.delete(key);
  }

  private trim(): void {
    const kept = new Set<string>();
    const latestFirst = [...this.buckets].reverse();
    for (const [place, [key, bucket]] of latestFirst.entries()) {
      if (kept.size < this.limits.MAX_PROJECTS) kept.add(bucket.root);
      if (place >= this.limits.MAX_COUNTED_BUCKETS) this.buckets.delete(key);
      else if (place >= this.limits.MAX_BUCKETS || !kept.has(bucket.root))
        this.buckets.set(key, { ...bucket, calls: [] });
    }
  }
}

const MINUTE = 60 * 1000; // exempt spec-values-are-imported: a minute has sixty seconds

const amount = (bytes: number): number =>
  Number.isFinite(bytes) && bytes > 0 ? bytes : 0;

/** Frozen, because views hand it out. Whatever else the emission carries stays behind. */
function recorded(
  { query, asked, files, responseBytes, pointed }: Emission,
  index: number,
  callId: string | undefined,
  limits: RecordLimits,
): RecordedCall {
  return Object.freeze({
    query: query.slice(0, limits.MAX_QUERY_CHARS_KEPT),
    asked,
    files: Object.freeze(bounded(files, limits)),
    responseBytes: amount(responseBytes),
    pointed,
    index,
    ...(callId !== undefined && { callId }),
  });
}

function bounded(
  files: readonly DeliveredFile[],
  limits: RecordLimits,
): DeliveredFile[] {
  return files
    .flatMap((file) => {
      const all = sound(file.spans);
      const spans = largest(all, limits.MAX_SPANS_PER_FILE);
      if (spans.length === 0 || file.fingerprint === "") return [];
      return [
        Object.freeze({
          path: file.path,
          spans: Object.freeze(
            spans.map(([first, last]): Span => Object.freeze([first, last])),
          ),
          fingerprint: file.fingerprint,
          sourceBytes: amount(file.sourceBytes),
          truncated: file.truncated || spans.length < all.length,
        }),
      ];
    })
    .sort((a, b) => b.sourceBytes - a.sourceBytes)
    .slice(0, limits.MAX_FILES_PER_CALL);
}
