/** Keeps the indexes fresh of the projects that are asked about. It holds nothing about who asks. */
import type { Damage } from "../store/sync.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import {
  Freshness,
  type FreshnessOptions,
  type WatchState,
} from "./freshness.ts";
import { SyncThread } from "./sync-thread.ts";

/** @spec keeps-projects */
export class Keeper {
  private readonly thread: SyncThread;
  private readonly projects = new Map<string, Freshness>();
  private readonly options: FreshnessOptions;
  private readonly limits: Pick<Limits, "KEPT_INDEXES">;

  constructor(
    options: FreshnessOptions,
    limits: Pick<Limits, "KEPT_INDEXES"> = fromSpec,
    /** Closed with this. */
    thread = new SyncThread(),
  ) {
    this.thread = thread;
    this.options = options;
    this.limits = limits;
  }

  /** See `Freshness.fresh`. */
  fresh(root: string): Promise<readonly string[]> {
    return this.project(root).fresh();
  }

  /** See `Freshness.mend`. */
  mend(root: string, damage: Damage): Promise<readonly string[]> {
    return this.project(root).mend(damage);
  }

  /** See `Freshness.begin`. */
  begin(root: string): void {
    this.project(root).begin();
  }

  /** See `Freshness.takeIn`. */
  takeIn(root: string, paths: readonly string[]): Promise<boolean> {
    return this.project(root).takeIn(paths);
  }

  /** The project asked about last comes last. */
  states(): WatchState[] {
    return [...this.projects.values()].map((project) => project.state());
  }

  async close(): Promise<void> {
    await this.thread.close();
    await Promise.all([...this.projects.values()].map((p) => p.close()));
  }

  private project(root: string): Freshness {
    const project =
      this.projects.get(root) ?? new Freshness(root, this.thread, this.options);
    this.projects.delete(root);
    this.projects.set(root, project);
    for (const [old, left] of [...this.projects].slice(
      0,
      -this.limits.KEPT_INDEXES,
    )) {
      this.projects.delete(old);
      void left.close();
    }
    return project;
  }
}
