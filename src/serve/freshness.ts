/**
 * Keeps a project's index up to its files while somebody asks about it: catches up
 * when it is first asked about, follows what the system reports from then on, and
 * takes in what is known to have changed before a question is answered.
 *
 * Errs: toward looking again. Where the system cannot report, every question looks.
 */
import {
  setImmediate as turn,
  setTimeout as sleep,
} from "node:timers/promises";
import { areNamed, debounce, isLongAgo } from "../index/timing.ts";
import { identityOf, Watcher, type WatchTrouble } from "../index/watch.ts";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import { currentIndex } from "../store/place.ts";
import type { Damage } from "../store/sync.ts";
import type { SyncDone, SyncRunner } from "./sync-thread.ts";

type Bounds = Pick<
  Limits,
  | "DEBOUNCE_MS"
  | "MAX_DEBOUNCE_MS"
  | "MAX_NAMED_PATHS"
  | "FRESH_WAIT_MS"
  | "DRIFT_WAIT_MS"
  | "MAX_WATCHES"
  | "SAFETY_NET_SECONDS"
>;

/** What is told of a project by `status`. */
export interface WatchState {
  readonly root: string;
  /** Folders that are watched; 0 where none is. */
  readonly folders: number;
  /** Why nothing is watched; empty where something is, or nothing has to be yet. */
  readonly trouble: string;
  /** Syncs since the project was first asked about. */
  readonly syncs: number;
  /** What the last one took, in milliseconds; 0 where there was none. */
  readonly lastMs: number;
  /** The last sync's trouble; empty where it went well. */
  readonly failure: string;
}

export interface FreshnessOptions {
  readonly limits?: Bounds;
  /** Told what nobody asked about: a sync that failed, a watch that was lost. */
  readonly log: (message: string) => void;
  readonly pause?: (ms: number) => Promise<unknown>;
}

export class Freshness {
  readonly root: string;
  private readonly runner: SyncRunner;
  private readonly log: (message: string) => void;
  private readonly limits: Bounds;
  private readonly pause: (ms: number) => Promise<unknown>;
  private watcher: Watcher;
  private trouble: WatchTrouble | undefined;
  /** The folder that is watched, as the file system knows it. */
  private identity: string;
  /** Paths that may have changed; undefined for any. */
  private dirty: Set<string> | undefined;
  /** What an answer met and no sync has mended yet. */
  private damage: Damage | undefined;
  /** The index that was built anew because of a guess. */
  private guessed: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private firstDirtyAt = 0;
  private running: Promise<void> | undefined;
  private syncs = 0;
  private lastMs = 0;
  private failure = "";
  private lookedAt = -Infinity;
  private notes: string[] = [];
  private closed = false;

  constructor(
    root: string,
    runner: SyncRunner,
    {
      limits = fromSpec,
      log,
      pause = (ms) => sleep(ms, undefined, { ref: false }),
    }: FreshnessOptions,
  ) {
    this.pause = pause;
    this.root = root;
    this.runner = runner;
    this.limits = limits;
    this.log = log;
    this.identity = identityOf(root, "");
    this.watcher = this.watched();
  }

  /**
   * Ends when the index holds what had changed before the call, as far as is known, or
   * when that takes too long. Gives what has to be said about that in the answer.
   * @spec fresh-before-an-answer fresh-without-watching fresh-says-what-failed
   */
  async fresh(): Promise<readonly string[]> {
    if (this.closed) return [];
    this.comeBack();
    // What the system has reported and nobody has read yet. The second turn is sure to
    // begin with reading.
    await turn();
    await turn();
    const { isOpen } = this.watcher;
    const isDue = this.damage || this.lookedAt === -Infinity || !isOpen;
    if (isDue) this.dirty = undefined;
    if (this.isDirty || this.running) {
      const done = this.settle().then(() => true);
      const inTime = await Promise.race([
        done,
        this.pause(this.limits.FRESH_WAIT_MS).then(() => false),
      ]);
      if (!inTime) return [...this.taken(), wordings.NOTE_CATCHING_UP];
    } else if (isLongAgo(performance.now() - this.lookedAt, this.limits)) {
      // What the system may have failed to report; this answer does not wait for it.
      this.lookedAt = performance.now();
      this.dirty = undefined;
      this.arm();
    }
    return this.taken();
  }

  /** Begins to catch up, before anybody asks. @spec fresh-before-an-answer */
  begin(): void {
    if (this.closed || this.lookedAt !== -Infinity) return;
    this.dirty = undefined;
    void this.settle();
  }

  /** Has an index built anew that was found damaged; else as `fresh`. @spec fresh-mends-damage */
  mend(damage: Damage): Promise<readonly string[]> {
    // Built anew in vain: it is something else.
    if (!damage.isGuess || damage.file !== this.guessed) this.damage = damage;
    return this.fresh();
  }

  /**
   * Takes in files that an answer found other than they were indexed. True where that
   * was done in the time that an answer may wait for it; it goes on all the same.
   * @spec fresh-drift
   */
  async takeIn(paths: readonly string[]): Promise<boolean> {
    if (this.closed || paths.length === 0) return false;
    for (const path of paths) this.dirty?.add(path);
    const before = this.syncs;
    const done = this.settle().then(() => this.syncs > before);
    return Promise.race([
      done,
      this.pause(this.limits.DRIFT_WAIT_MS).then(() => false),
    ]);
  }

  state(): WatchState {
    return {
      root: this.root,
      folders: this.watcher.isOpen ? this.watcher.size : 0,
      trouble: this.trouble ? TROUBLE[this.trouble](this.limits) : "",
      syncs: this.syncs,
      lastMs: this.lastMs,
      failure: this.failure,
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    this.watcher.close();
    await this.running;
  }

  private get isDirty(): boolean {
    return this.dirty === undefined || this.dirty.size > 0;
  }

  /** What has to be said once. */
  private taken(): string[] {
    const { notes, failure } = this;
    this.notes = [];
    return failure === ""
      ? notes
      : [
          ...notes,
          say(wordings.NOTE_NOT_TAKEN_IN, {
            message: failure.replace(/\.$/, ""),
          }),
        ];
  }

  private watched(): Watcher {
    return new Watcher(
      this.root,
      {
        changed: (path) => this.changed(path),
        lost: (trouble) => {
          this.trouble = trouble;
          this.log(
            say(wordings.WATCH_LOST, {
              path: this.root,
              reason: TROUBLE[trouble](this.limits),
            }),
          );
        },
      },
      this.limits,
    );
  }

  /** A folder that was deleted and made again, or moved away and back, is another one. */
  private comeBack(): void {
    const now = identityOf(this.root, "");
    if (now === this.identity) return;
    this.identity = now;
    this.watcher.close();
    this.trouble = undefined;
    this.watcher = this.watched();
    this.lookedAt = -Infinity;
    this.dirty = undefined;
  }

  private changed(path: string): void {
    this.noted(path);
    this.arm();
  }

  private noted(path: string): void {
    this.dirty?.add(path);
    // The root itself stands for everything.
    if (path === "" || (this.dirty && !areNamed(this.dirty.size, this.limits)))
      this.dirty = undefined;
  }

  /** A sync follows when nothing has happened for a while, and in the end in any case. @spec watch-debounce */
  private arm(): void {
    if (this.closed || this.running) return;
    const now = performance.now();
    if (this.timer === undefined) this.firstDirtyAt = now;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => void this.settle(),
      debounce(now - this.firstDirtyAt, this.limits),
    ).unref();
  }

  /** Syncs until nothing is known to have changed. */
  private settle(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    return (this.running ??= this.syncAll().finally(() => {
      this.running = undefined;
      if (this.isDirty && this.failure === "") this.arm();
    }));
  }

  private async syncAll(): Promise<void> {
    for (let i = 0; this.isDirty && i < ROUNDS && !this.closed; i++) {
      const paths = this.dirty && [...this.dirty];
      const { damage } = this;
      this.dirty = new Set();
      try {
        // Watched before it is looked at: what comes in between is told.
        if (paths) await this.watcher.follow(paths);
        else await this.cover();
        const done = await this.runner.sync(this.root, paths, damage);
        if (damage?.isGuess) this.guessed = currentIndex(this.root);
        if (this.damage === damage) this.damage = undefined;
        // Rules that have changed may have let folders in that nobody watches.
        if (done?.whole)
          for (const folder of await this.cover()) this.noted(folder);
        this.tookIn(done, paths);
      } catch (error) {
        this.failed(error as Error, paths);
        return;
      }
    }
  }

  private async cover(): Promise<readonly string[]> {
    return this.watcher.isOpen
      ? this.watcher.cover(await this.runner.folders(this.root))
      : [];
  }

  private tookIn(
    done: SyncDone | undefined,
    paths: readonly string[] | undefined,
  ): void {
    this.syncs++;
    this.lastMs = done?.ms ?? 0;
    this.failure = "";
    if (paths === undefined || done?.whole) this.lookedAt = performance.now();
    if (done?.rebuilt)
      this.notes.push(say(wordings.NOTE_REBUILT, { reason: done.rebuilt }));
  }

  /** What was to be taken in is tried again with the next change, or the next question. */
  private failed(error: Error, paths: readonly string[] | undefined): void {
    if (paths === undefined) this.dirty = undefined;
    else for (const path of paths) this.dirty?.add(path);
    if (error.message !== this.failure)
      this.log(
        say(wordings.SYNC_FAILED, { path: this.root, message: error.message }),
      );
    this.failure = error.message;
  }
}

/** Of syncs in a row: files that never rest must not hold up everything else. */
const ROUNDS = 3;

const TROUBLE = {
  many: (limits: Bounds) =>
    say(wordings.WATCH_MANY, { most: limits.MAX_WATCHES }),
  system: () => wordings.WATCH_SYSTEM,
} as const;
