/**
 * Brings a project's index up to the files as they are. What that costs grows with
 * what has changed, but for one look at every file's size and time where it is not
 * known which ones have.
 */
import { lstatSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { attributesIn } from "../index/attributes.ts";
import { ExtractionCache, type SharedCache } from "../index/cache.ts";
import { changes, type Changes } from "../index/changes.ts";
import { headCommit } from "../index/commit.ts";
import { gitLock } from "../index/git.ts";
import type { FileJob } from "../index/jobs.ts";
import type { Extractor } from "../index/parse.ts";
import { indexFiles, workerCount } from "../index/pool.ts";
import {
  scan,
  scanPaths,
  type ScannedFile,
  type ScanResult,
} from "../index/scan.ts";
import { EXTRACTOR_VERSION } from "../model/extraction.ts";
import type { FileRow, IndexedFile, LeftOut } from "../model/file.ts";
import type { Segment } from "../model/segment.ts";
import {
  limits as fromSpec,
  lists,
  wordings,
  type Limits,
} from "../spec.gen.ts";
import {
  buildIndex,
  sparing,
  type BuildOptions,
  type BuildProgress,
  type BuildResult,
} from "./build.ts";
import { SqliteEditor } from "./edit.ts";
import { currentIndex } from "./place.ts";
import { UnreadableIndex } from "./sqlite.ts";
import type { IndexMeta } from "./store.ts";

export interface SyncResult {
  readonly root: string;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Of the files that came or changed, those that were not parsed: what is in them was kept. */
  readonly reused: number;
  /** Every file was looked at, not only those that were named. */
  readonly whole: boolean;
  /** The index was built anew, and why. */
  readonly rebuilt?: { readonly reason: string; readonly result: BuildResult };
}

/** A database file that cannot be read, and why. */
export interface Damage {
  readonly file: string;
  readonly reason: string;
  /** An answer failed, and nobody can tell whether that is why. */
  readonly isGuess?: true;
}

interface Indexed {
  readonly files: readonly IndexedFile[];
  readonly leftOut: readonly LeftOut[];
  readonly segments: readonly Segment[];
  readonly reused: number;
}

export interface SyncOptions extends BuildOptions {
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Where a question met damage: this database is built anew if it is still in use. */
  readonly damage?: Damage | undefined;
  /** Parses in threads of their own, so that a file that breaks one breaks nothing else. */
  readonly apart?: boolean;
}

type Bounds = Pick<
  Limits,
  | "MAX_SYNC_SHARE"
  | "GIT_WAIT_MS"
  | "GIT_POLL_MS"
  | "KEPT_INDEXES"
  | "MIN_SHARED_FILES"
>;

/** What was found to do, and how. */
interface Found extends Changes {
  /** Of all files; undefined where only some were looked at. */
  readonly scanned: ScanResult | undefined;
}

/**
 * Keeps what makes the next sync cheap: parsers with their grammars, and open
 * databases. Not for two syncs at once.
 */
export class Syncer {
  private readonly editors = new Map<string, SqliteEditor>();
  private extractor: Promise<Extractor> | undefined;
  private readonly limits: Bounds;
  /** Damage that was met when nobody waited for it. */
  private damage: Damage | undefined;
  /** Locks of git's that were waited for in vain, by root. */
  private readonly stale = new Map<string, string>();
  private readonly sleep: (ms: number) => Promise<unknown>;
  private readonly once: boolean;

  constructor({
    limits = fromSpec,
    sleep = pause,
    extractor,
    once = false,
  }: {
    readonly limits?: Bounds;
    readonly sleep?: (ms: number) => Promise<unknown>;
    /** The process ends after one sync: code for the parsers is made quickly rather than well. */
    readonly once?: boolean;
    /** One that serves others too; by default one is made when it is needed. */
    readonly extractor?: Promise<Extractor>;
  } = {}) {
    this.limits = limits;
    this.sleep = sleep;
    this.extractor = extractor;
    this.once = once;
  }

  /** How many databases are open. */
  get kept(): number {
    return this.editors.size;
  }

  /**
   * Takes in what has changed: of `paths` where they are given (relative to the root,
   * files or folders), else of the whole project. The caller holds the project's lock.
   * Undefined where nothing is indexed there.
   * Throws: UnreadableIndex where a newer version made the index; UserError.
   * @spec sync-takes-in sync-named-paths sync-waits-for-git
   */
  async sync(
    root: string,
    paths: readonly string[] | undefined,
    options: SyncOptions = {},
  ): Promise<SyncResult | undefined> {
    const file = currentIndex(root);
    if (file === undefined) return undefined;
    await this.gitAtRest(root);
    const damage = [options.damage, this.damage].find((d) => d?.file === file);
    let editor: SqliteEditor;
    try {
      editor = this.editor(file);
      if (damage) return await this.rebuild(root, damage.reason, options);
    } catch (error) {
      if (!(error instanceof UnreadableIndex) || error.newer) throw error;
      return this.rebuild(root, error.message, options);
    }
    const { meta } = editor.reader;
    if (meta.extractorVersion < EXTRACTOR_VERSION)
      return this.rebuild(root, wordings.REBUILT_EXTRACTOR, options);
    try {
      const found =
        (paths && (await this.namedChanges(root, paths, editor))) ??
        (await this.allChanges(root, editor));
      const total = editor.reader.files().length;
      const news = found.added.length + found.changed.length;
      if (found.scanned && isMostlyNew(news, total, this.limits))
        return await this.rebuild(root, "", options, found.scanned);
      return await this.take(root, found, editor, options);
    } catch (error) {
      this.forget(file);
      if (!(error instanceof UnreadableIndex)) throw error;
      return this.rebuild(root, error.message, options);
    }
  }

  /**
   * Merges what edits have scattered. Cheap where there is nothing to do.
   * Throws: UnreadableIndex, and then the next sync builds the index anew.
   */
  compact(root: string): void {
    const file = currentIndex(root);
    const editor = file === undefined ? undefined : this.editors.get(file);
    if (file === undefined || !editor) return;
    try {
      while (editor.compact());
    } catch (error) {
      if (error instanceof UnreadableIndex)
        this.damage = { file, reason: error.message };
      throw error;
    }
  }

  close(): void {
    for (const file of [...this.editors.keys()]) this.forget(file);
  }

  private editor(file: string): SqliteEditor {
    const editor = this.editors.get(file) ?? new SqliteEditor(file);
    this.editors.delete(file);
    this.editors.set(file, editor);
    for (const old of [...this.editors.keys()].slice(
      0,
      -this.limits.KEPT_INDEXES,
    ))
      this.forget(old);
    return editor;
  }

  private forget(file: string): void {
    this.editors.get(file)?.close();
    this.editors.delete(file);
  }

  /** A lock of git's that stays is one that a crash left. */
  private async gitAtRest(root: string): Promise<void> {
    const { GIT_POLL_MS, GIT_WAIT_MS } = this.limits;
    let lock = gitLock(root);
    for (let left = GIT_WAIT_MS; left > 0;) {
      if (lock === undefined || lock === this.stale.get(root)) break;
      const wait = Math.min(left, GIT_POLL_MS);
      await this.sleep(wait);
      left -= wait;
      lock = gitLock(root);
    }
    if (lock === undefined) this.stale.delete(root);
    else this.stale.set(root, lock);
  }

  private async rebuild(
    root: string,
    reason: string,
    options: SyncOptions,
    scanned?: ScanResult,
  ): Promise<SyncResult> {
    const result = await buildIndex(
      scanned ?? (await scan(root, { force: true })),
      options.onProgress,
      options,
    );
    // Who reads on in what was replaced would keep its room on the disk.
    this.close();
    return {
      root,
      added: result.files,
      changed: 0,
      removed: 0,
      reused: result.reused,
      whole: true,
      rebuilt: { reason, result },
    };
  }

  private async allChanges(root: string, editor: SqliteEditor): Promise<Found> {
    const scanned = await scan(root, { force: true });
    return editor.reader.snapshot(() => ({
      ...changes(scanned, editor.reader.files(), editor.reader.leftOut()),
      scanned,
    }));
  }

  /** Undefined where what changed may have changed more than itself. */
  private async namedChanges(
    root: string,
    paths: readonly string[],
    { reader }: SqliteEditor,
  ): Promise<Found | undefined> {
    if (paths.some(saysWhatIsIndexed)) return undefined;
    const files = reader.snapshot(() => reader.files());
    const known = new Map(files.map((file) => [file.path, file]));
    const now: ScannedFile[] = [];
    const before: FileRow[] = [];
    const unknown: string[] = [];
    for (const path of paths) {
      const row = known.get(path);
      const stat = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
      if (row) before.push(row);
      if (row && stat?.isFile()) {
        const { size, mtimeMs, mode } = stat;
        now.push({ path, size, mtimeMs, mode: mode & 0o777 });
      } else if (stat) unknown.push(path);
      else before.push(...files.filter((f) => f.path.startsWith(`${path}/`)));
    }
    if (unknown.length > 0) {
      if (reader.meta.source !== "git") return undefined;
      const listed = await scanPaths(root, unknown);
      if (!listed) return undefined;
      for (const file of listed) {
        now.push(file);
        const row = known.get(file.path);
        if (row) before.push(row);
      }
    }
    const leftOut = reader.leftOut();
    const found = changes(
      { root, files: unique(now) },
      unique(before),
      leftOut,
    );
    return { ...found, forgotten: [], scanned: undefined };
  }

  private async take(
    root: string,
    found: Found,
    editor: SqliteEditor,
    options: SyncOptions,
  ): Promise<SyncResult> {
    const { reader } = editor;
    const { scanned, added, changed, outdated, removed, touched } = found;
    const counts = {
      root,
      added: added.length,
      changed: changed.length,
      removed: removed.length,
      reused: 0,
      whole: scanned !== undefined,
    };
    const meta: IndexMeta = scanned
      ? {
          ...reader.meta,
          commit: await headCommit(root),
          source: scanned.source,
        }
      : reader.meta;
    const left = scanned ? leftAnew(scanned.leftOut, reader.leftOut()) : [];
    const still = new Set(scanned?.leftOut.map(({ path }) => path));
    const gone = found.forgotten.filter((path) => !still.has(path));
    const news = [...added, ...changed];
    if (
      news.length +
        removed.length +
        touched.length +
        left.length +
        gone.length ===
        0 &&
      meta.commit === reader.meta.commit
    )
      return counts;
    const attributesOf = attributesIn(root, scanned?.files ?? reader.files());
    const first = editor.nextFile;
    const indexed = await this.index(
      root,
      news.map((file, i) => ({
        ...file,
        id: first + i,
        attributes: attributesOf(file.path),
      })),
      options,
    );
    editor.apply({
      removed: [...removed, ...outdated].map(({ id }) => id),
      files: indexed.files,
      segments: indexed.segments,
      touched,
      taken: [...gone, ...indexed.files.map(({ path }) => path)],
      leftOut: [...left, ...indexed.leftOut],
      meta,
    });
    return { ...counts, reused: indexed.reused };
  }

  private async index(
    root: string,
    jobs: readonly FileJob[],
    options: SyncOptions,
  ): Promise<Indexed> {
    if (jobs.length === 0)
      return { files: [], leftOut: [], segments: [], reused: 0 };
    const cache = options.cache
      ? new ExtractionCache(options.cache)
      : undefined;
    try {
      return await this.indexed(root, jobs, cache?.shared, options);
    } finally {
      cache?.close();
    }
  }

  /** @spec sync-shares-extractions */
  private async indexed(
    root: string,
    jobs: readonly FileJob[],
    shared: SharedCache | undefined,
    options: SyncOptions,
  ): Promise<Indexed> {
    const bytes = jobs.reduce((sum, { size }) => sum + size, 0);
    // A pack for every edit would be many, and few edits come again.
    const cache =
      shared && jobs.length < this.limits.MIN_SHARED_FILES
        ? { ...shared, room: 0 }
        : shared;
    // Most syncs have nothing to read: what reads is loaded when there is something.
    const { createIndexer } = await import("../index/indexer.ts");
    if (!options.apart && (options.workers ?? workerCount(bytes)) <= 1) {
      const { createExtractor, grammarsOnDisk } =
        await import("../index/parse.ts");
      const indexer = await createIndexer(
        { root, textOnly: [], cache },
        undefined,
        () => {
          // Well-made code would hold up the process's end: 120 ms (measured).
          if (this.once) setFlagsFromString("--liftoff-only");
          return (this.extractor ??= createExtractor(grammarsOnDisk()));
        },
      );
      const found = await indexer.add(jobs);
      return { ...found, segments: [indexer.finish()] };
    }
    return sparing(async (textOnly) => {
      let reused = 0;
      const files: IndexedFile[] = [];
      const leftOut: LeftOut[] = [];
      const segments: Segment[] = [];
      await indexFiles(
        { root, textOnly, cache },
        jobs,
        {
          files(some, more, known) {
            files.push(...some);
            leftOut.push(...more);
            reused += known;
            options.onProgress?.({
              done: files.length + leftOut.length,
              total: jobs.length,
            });
          },
          segment: (segment) => void segments.push(segment),
        },
        options,
      );
      return { files, leftOut, segments, reused };
    });
  }
}

/** Whether so much of an index is new that it is built anew. @spec sync-mostly-new */
export const isMostlyNew = (
  news: number,
  files: number,
  limits: Pick<Limits, "MAX_SYNC_SHARE"> = fromSpec,
): boolean => news > files * limits.MAX_SYNC_SHARE;

/** Whether a change of the file may change which other files are the project's, or what is said of them. */
const saysWhatIsIndexed = (path: string): boolean =>
  (lists.RULE_FILES as readonly string[]).includes(
    path.slice(path.lastIndexOf("/") + 1),
  );

const unique = <T extends { readonly path: string }>(
  items: readonly T[],
): T[] => [...new Map(items.map((item) => [item.path, item])).values()];

/** What a scan leaves out and did not before, or for another reason. */
function leftAnew(
  now: readonly LeftOut[],
  before: readonly LeftOut[],
): LeftOut[] {
  const reasons = new Map(before.map(({ path, reason }) => [path, reason]));
  return now.filter(({ path, reason }) => reasons.get(path) !== reason);
}
