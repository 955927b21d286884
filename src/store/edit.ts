/**
 * Edits the index that is in use: some files go, some come, in one transaction. What
 * it costs grows with the edit: no row of another file is touched.
 *
 * The caller holds the project's lock.
 */
import { DatabaseSync } from "node:sqlite";
import type { IndexedFile, LeftOut } from "../model/file.ts";
import { mergeSegments, segmentsToMerge } from "../model/merge.ts";
import type { Segment } from "../model/segment.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { editing, postingsOf, Rows, SqliteReader } from "./sqlite.ts";
import type { IndexMeta } from "./store.ts";

export interface Edit {
  /** Ids of files that are gone, or that come again under another id. */
  readonly removed: readonly number[];
  /** Their ids are at least `nextFile`. */
  readonly files: readonly IndexedFile[];
  /** The text of `files`. */
  readonly segments: readonly Segment[];
  /** Files whose bytes are those that were indexed: size and time as they are now. */
  readonly touched: readonly {
    readonly id: number;
    readonly mtimeMs: number;
  }[];
  /** Paths that are no longer left out, and what is left out now. */
  readonly taken: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly meta: IndexMeta;
}

type Bounds = Pick<Limits, "MAX_SEGMENTS" | "MAX_LOGGED_CHANGES" | "LOG_MB">;

/** @spec store-edit */
export class SqliteEditor {
  readonly reader: SqliteReader;
  private readonly db: DatabaseSync;
  private readonly path: string;
  private readonly limits: Bounds;

  /** Throws: UnreadableIndex. */
  constructor(path: string, limits: Bounds = fromSpec) {
    this.limits = limits;
    this.path = path;
    this.reader = new SqliteReader(path);
    try {
      this.db = new DatabaseSync(path);
      this.db.exec(
        `pragma busy_timeout = 5000; pragma synchronous = normal; pragma cache_size = -4000; pragma temp_store = memory; pragma journal_size_limit = ${limits.LOG_MB * MEGABYTE};`,
      );
    } catch (error) {
      this.reader.close();
      throw error;
    }
  }

  /** The id of the next file: none that was ever used. */
  get nextFile(): number {
    return editing(this.path, () => {
      const used = this.number("select max(id) from file");
      return Math.max(used, this.meta("last_file")) + 1;
    });
  }

  /** All of it or nothing. Throws: UnreadableIndex; what SQLite throws on a full disk. */
  apply(edit: Edit): void {
    const last = edit.files.reduce(
      (most, { id }) => Math.max(most, id),
      this.nextFile - 1,
    );
    this.transaction((rows, revision) => {
      for (const id of edit.removed) this.remove(id);
      for (const { id, mtimeMs } of edit.touched)
        this.db
          .prepare("update file set mtime_ms = ? where id = ?")
          .run(mtimeMs, id);
      rows.addFiles(edit.files);
      for (const segment of edit.segments)
        if (segment.terms.length > 0)
          rows.addSegment(this.nextSegment(rows), segment);
      const untake = this.db.prepare("delete from left_out where path = ?");
      for (const path of edit.taken) untake.run(path);
      rows.addLeftOut(edit.leftOut);
      rows.setMeta("index", JSON.stringify(edit.meta));
      rows.setMeta("last_file", String(last));
      this.log(rows, revision, [
        ...edit.removed,
        ...edit.touched.map(({ id }) => id),
        ...edit.files.map(({ id }) => id),
      ]);
    });
  }

  /**
   * Merges segments where there are too many of them, or too little in one. True
   * where it did: there may be more to do. Throws: as `apply`.
   * @spec segment-merge
   */
  compact(): boolean {
    return editing(this.path, () => this.merged());
  }

  private merged(): boolean {
    const ids = this.reader.snapshot(() =>
      segmentsToMerge(
        this.reader.segments().map(({ id, table }) => ({
          id,
          passages: table.file.length,
          alive: table.file.reduce(
            (sum, file) => sum + (this.reader.file(file) ? 1 : 0),
            0,
          ),
        })),
        this.limits,
      ),
    );
    if (ids.length === 0) return false;
    const merged = this.reader.snapshot(() =>
      mergeSegments(
        this.reader
          .segments()
          .filter(({ id }) => ids.includes(id))
          .map(({ id, table }) => ({
            table,
            postings: postingsOf(this.db, id),
          })),
        (file) => this.reader.file(file) !== undefined,
      ),
    );
    this.transaction((rows) => {
      for (const id of ids) {
        this.db.prepare("delete from posting where segment = ?").run(id);
        this.db.prepare("delete from segment where id = ?").run(id);
      }
      if (merged.terms.length > 0)
        rows.addSegment(this.nextSegment(rows), merged);
    });
    return true;
  }

  /** How many changes are written down for readers. */
  get logged(): number {
    return this.number("select count(*) from change");
  }

  close(): void {
    this.reader.close();
    this.db.close();
  }

  private remove(id: number): void {
    for (const sql of [
      "delete from symbol where file = ?",
      "delete from reference_list where file = ?",
      "delete from file where id = ?",
    ])
      this.db.prepare(sql).run(id);
  }

  /** Never one that was used before: readers keep segments by their id. */
  private nextSegment(rows: Rows): number {
    const used = this.number("select max(id) from segment");
    const next = Math.max(used, this.meta("last_segment")) + 1;
    rows.setMeta("last_segment", String(next));
    return next;
  }

  /** Tells readers which files to look at again; all of them where it would be too many. */
  private log(rows: Rows, revision: number, ids: readonly number[]): void {
    const insert = this.db.prepare("insert into change values (?, ?)");
    for (const id of ids) insert.run(revision, id);
    if (this.logged <= this.limits.MAX_LOGGED_CHANGES) return;
    this.db.exec("delete from change");
    rows.setMeta("logged", String(revision));
  }

  private transaction(run: (rows: Rows, revision: number) => void): void {
    editing(this.path, () => this.committed(run));
  }

  private committed(run: (rows: Rows, revision: number) => void): void {
    this.db.exec("begin immediate");
    try {
      const rows = new Rows(this.db);
      const revision = this.meta("revision") + 1;
      run(rows, revision);
      rows.setMeta("revision", String(revision));
      this.db.exec("commit");
    } finally {
      if (this.db.isTransaction) this.db.exec("rollback");
    }
  }

  private number(sql: string): number {
    const row = this.db.prepare(sql).get();
    return Number(Object.values(row ?? {})[0] ?? 0);
  }

  private meta(key: string): number {
    const row = this.db
      .prepare("select value from meta where key = ?")
      .get(key);
    return Number(row?.["value"] ?? 0);
  }
}

const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit
