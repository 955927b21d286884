/**
 * The thread that brings indexes up to date, so that answers do not wait for it: one
 * for all projects, made when there is something to do and ended when there was
 * nothing for a while.
 */
import { Worker } from "node:worker_threads";
import type { Damage } from "../store/sync.ts";
import { keptForMs } from "../index/timing.ts";
import { scriptBeside } from "../index/script.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface SyncDone {
  readonly whole: boolean;
  /** Milliseconds of work, the wait for the project's lock not counted. */
  readonly ms: number;
  /** Why the index was built anew; absent where it was edited. */
  readonly rebuilt?: string;
}

export interface SyncRunner {
  /** Undefined where nothing is indexed. Throws: Error with a message for people. */
  sync(
    root: string,
    paths: readonly string[] | undefined,
    damage?: Damage,
  ): Promise<SyncDone | undefined>;
  /** The folders that hold files of the index. */
  folders(root: string): Promise<readonly string[]>;
}

export type SyncTask =
  | {
      readonly kind: "sync";
      readonly root: string;
      readonly paths: readonly string[] | undefined;
      readonly damage: Damage | undefined;
      /** An earlier thread broke on these files: they are parsed in a thread of their own. */
      readonly apart: boolean;
    }
  | { readonly kind: "folders"; readonly root: string };

export type SyncAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

interface Waiting {
  readonly task: SyncTask;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** @spec sync-thread */
export class SyncThread implements SyncRunner {
  private thread: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly limits: Pick<Limits, "SYNC_IDLE_SECONDS">;
  private readonly script: URL;

  /** `script` is what the thread runs; by default the one beside this one. */
  constructor(
    limits: Pick<Limits, "SYNC_IDLE_SECONDS"> = fromSpec,
    script: URL = scriptBeside(import.meta.url, "sync-worker"),
  ) {
    this.limits = limits;
    this.script = script;
  }

  sync(
    root: string,
    paths: readonly string[] | undefined,
    damage?: Damage,
  ): Promise<SyncDone | undefined> {
    return this.ask({ kind: "sync", root, paths, damage, apart: false });
  }

  folders(root: string): Promise<readonly string[]> {
    return this.ask({ kind: "folders", root });
  }

  /** The thread, where there is one: for tests that break it. */
  get worker(): Worker | undefined {
    return this.thread;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.idle);
    const thread = this.thread;
    this.thread = undefined;
    await thread?.terminate();
    this.drop(new Error("closed"));
  }

  private ask<T>(task: SyncTask): Promise<T> {
    if (this.closed) return Promise.reject(new Error("closed"));
    clearTimeout(this.idle);
    return new Promise<T>((resolve, reject) => {
      const id = this.next++;
      this.waiting.set(id, { task, resolve, reject });
      (this.thread ??= this.started()).postMessage({ id, task });
    });
  }

  private started(): Worker {
    const thread = new Worker(this.script);
    thread.unref();
    thread.on("message", (answer: SyncAnswer) => this.answered(answer));
    thread.on("error", (error: Error) => this.lost(thread, error));
    thread.on("exit", (code) => this.lost(thread, new Error(`exit ${code}`)));
    return thread;
  }

  private answered(answer: SyncAnswer): void {
    const asked = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ("error" in answer) asked?.reject(new Error(answer.error));
    else asked?.resolve(answer.value as never);
    if (this.waiting.size > 0 || this.closed) return;
    this.idle = setTimeout(() => {
      const { thread } = this;
      this.thread = undefined;
      void thread?.terminate();
    }, keptForMs(this.limits)).unref();
  }

  /** What broke a thread is tried once more, by one that only hands it out. */
  private lost(thread: Worker, error: Error): void {
    if (this.thread !== thread) return;
    this.thread = undefined;
    const again = [...this.waiting.entries()];
    for (const [id, { task, reject }] of again) {
      if (task.kind !== "sync" || task.apart) {
        this.waiting.delete(id);
        reject(error);
        continue;
      }
      const apart: SyncTask = { ...task, apart: true };
      this.waiting.set(id, { ...this.waiting.get(id)!, task: apart });
      (this.thread ??= this.started()).postMessage({ id, task: apart });
    }
  }

  private drop(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
