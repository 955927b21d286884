/**
 * The index in one SQLite file.
 *
 * A whole index is built in a file of its own, beside the one that is in use, and
 * takes its place by a rename of the name that readers look up: a reader sees the
 * old index or the new one, and a crash leaves the old one. An edit of some files is
 * one transaction in the file that is in use, through a write-ahead log: readers are
 * not held up and see the state before it or after it.
 */
import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { SymbolKind } from "../model/extraction.ts";
import { SYMBOL_KINDS } from "../model/extraction.ts";
import {
  ROLES,
  type FileRow,
  type IndexedFile,
  type LeftOut,
} from "../model/file.ts";
import { decodeReferences } from "../model/references.ts";
import { decodePassages, type Segment } from "../model/segment.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import {
  SQLITE_BUSY,
  SQLITE_CANTOPEN,
  SQLITE_FULL,
  SQLITE_IOERR,
  SQLITE_LOCKED,
  SQLITE_NOMEM,
  SQLITE_READONLY,
  sqliteCode,
} from "./codes.ts";
import type {
  IndexMeta,
  IndexReader,
  IndexWriter,
  LoadedSegment,
  SymbolPlace,
  SymbolRow,
  TextStatistics,
} from "./store.ts";

/** Raised whenever the tables change; an index of another version is built again. */
export const SCHEMA_VERSION = 3;

const SCHEMA = `
create table meta (key text primary key, value text not null) without rowid;
create table file (
  id integer primary key, path text not null unique, language text not null, role integer not null,
  flags integer not null, size integer not null, mtime_ms real not null, fingerprint text not null,
  lines integer not null, problem text not null, problem_line integer not null,
  symbols integer not null, reference_count integer not null);
create table symbol (
  file integer not null, ordinal integer not null, name text not null collate nocase, kind integer not null,
  first integer not null, last integer not null, sig_first integer not null, sig_last integer not null,
  doc_first integer not null, doc_last integer not null, container integer not null, owner text not null,
  signature text not null, doc text not null, exported integer not null,
  primary key (file, ordinal)) without rowid;
create table reference_list (file integer primary key, data blob not null);
create table segment (id integer primary key, passages blob not null);
create table posting (
  segment integer not null, term text not null, data blob not null,
  primary key (segment, term)) without rowid;
create table left_out (path text primary key, reason text not null, size integer not null, mtime_ms real not null) without rowid;
create table change (revision integer not null, file integer not null);
`;

const FLAGS = ["generated", "minified", "keysOnly"] as const;

type Row = Record<string, unknown>;

/** So many postings are put in by one statement: half the time of one each. */
const AT_ONCE = 32; // exempt spec-values-are-imported: the rows are the same, whatever it is

/** Puts rows into the tables, within a transaction of the caller's. */
export class Rows {
  private readonly db: DatabaseSync;
  private readonly file: StatementSync;
  private readonly symbol: StatementSync;
  private readonly references: StatementSync;
  private readonly posting: StatementSync;
  private readonly leftOut: StatementSync;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.file = db.prepare(
      "insert into file values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.symbol = db.prepare(
      "insert into symbol values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.references = db.prepare("insert into reference_list values (?, ?)");
    this.posting = db.prepare("insert into posting values (?, ?, ?)");
    this.leftOut = db.prepare(
      "insert or replace into left_out values (?, ?, ?, ?)",
    );
  }

  addFiles(files: readonly IndexedFile[]): void {
    for (const f of files) {
      const flags = FLAGS.reduce(
        (bits, flag, i) => bits | (f[flag] ? 1 << i : 0),
        0,
      );
      this.file.run(
        f.id,
        f.path,
        f.language,
        ROLES.indexOf(f.role),
        flags,
        f.size,
        f.mtimeMs,
        f.fingerprint,
        f.lines,
        f.problem,
        f.problemLine,
        f.symbols.length,
        f.referenceCount,
      );
      if (f.referenceCount > 0) this.references.run(f.id, f.references);
      f.symbols.forEach((s, ordinal) =>
        this.symbol.run(
          f.id,
          ordinal,
          s.name,
          SYMBOL_KINDS.indexOf(s.kind),
          s.span[0],
          s.span[1],
          s.signatureSpan[0],
          s.signatureSpan[1],
          s.docSpan?.[0] ?? 0,
          s.docSpan?.[1] ?? 0,
          s.container,
          s.owner,
          s.signature,
          s.doc,
          s.exported ? 1 : 0,
        ),
      );
    }
  }

  addSegment(id: number, segment: Segment): void {
    this.db
      .prepare("insert into segment values (?, ?)")
      .run(id, segment.passages);
    const { terms, ends, postings } = segment;
    const list = (i: number): Uint8Array =>
      postings.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
    let next = 0;
    if (terms.length >= AT_ONCE) {
      const many = this.db.prepare(
        `insert into posting values ${Array(AT_ONCE).fill("(?, ?, ?)").join(", ")}`,
      );
      for (; next + AT_ONCE <= terms.length; next += AT_ONCE) {
        const values: (number | string | Uint8Array)[] = [];
        for (let i = next; i < next + AT_ONCE; i++)
          values.push(id, terms[i]!, list(i));
        many.run(...values);
      }
    }
    for (; next < terms.length; next++)
      this.posting.run(id, terms[next]!, list(next));
  }

  addLeftOut(files: readonly LeftOut[]): void {
    for (const { path, reason, size = 0, mtimeMs = 0 } of files)
      this.leftOut.run(path, reason, size, mtimeMs);
  }

  /** `value` takes the place of what was there. */
  setMeta(key: string, value: string): void {
    this.db
      .prepare("insert or replace into meta values (?, ?)")
      .run(key, value);
  }
}

/** @spec store-reads-what-was-written */
export class SqliteWriter implements IndexWriter {
  private readonly db: DatabaseSync;
  private readonly rows: Rows;
  private readonly done: (keep: boolean) => void;
  private segments = 0;

  /** `path` must not exist. `done` is told whether what was written counts. */
  constructor(path: string, done: (keep: boolean) => void) {
    this.db = new DatabaseSync(path);
    this.done = done;
    // Nothing reads this file before it is whole, so a crash may leave it torn.
    this.db.exec(
      "pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -4000; pragma locking_mode = exclusive; pragma temp_store = memory; pragma page_size = 4096;",
    );
    this.db.exec(SCHEMA);
    this.db.exec("begin");
    this.rows = new Rows(this.db);
  }

  addFiles(files: readonly IndexedFile[]): void {
    this.rows.addFiles(files);
  }

  addSegment(segment: Segment): void {
    this.rows.addSegment(++this.segments, segment);
  }

  addLeftOut(files: readonly LeftOut[]): void {
    this.rows.addLeftOut(files);
  }

  commit(meta: IndexMeta): void {
    this.rows.setMeta("schema", String(SCHEMA_VERSION));
    this.rows.setMeta("index", JSON.stringify(meta));
    this.db.exec(
      "create index symbol_name on symbol (name); commit; pragma optimize;",
    );
    // Edits come through a write-ahead log from now on; the file remembers.
    this.db.exec(
      "pragma locking_mode = normal; pragma journal_mode = wal; pragma wal_checkpoint(truncate);",
    );
    this.db.close();
    this.done(true);
  }

  abandon(): void {
    if (this.db.isOpen) this.db.close();
    this.done(false);
  }
}

/** An index that another version wrote, or a file that is none or is damaged. The mend is to index again. */
export class UnreadableIndex extends Error {
  /** The database file. */
  readonly file: string;
  /** A newer version made it: to build it again would take it from that. */
  readonly newer: boolean;
  constructor(file: string, reason: string, cause?: unknown, newer = false) {
    super(reason, { cause });
    this.file = file;
    this.newer = newer;
  }
}

/** What is said of an error that damage explains. */
export const damaged = (file: string, error: unknown): UnreadableIndex =>
  new UnreadableIndex(
    file,
    say(wordings.UNREADABLE_DAMAGED, { message: (error as Error).message }),
    error,
  );

/**
 * Runs what reads and writes rows, and tells what SQLite and the decoders throw at
 * damage as what it means; trouble with the machine is thrown as it is.
 * Errs: toward damage, which building anew mends.
 */
export function editing<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof UnreadableIndex ||
      MACHINE.includes(sqliteCode(error))
      ? error
      : damaged(file, error);
  }
}

/** @spec store-refuses-the-unreadable store-reads-what-was-written */
export class SqliteReader implements IndexReader {
  /** Reads the file as it was when it was opened: edits are not seen. */
  readonly isFixed: boolean;
  private readonly path: string;
  private readonly check: () => void;
  private readonly db: DatabaseSync;
  private told: IndexMeta;
  /** Counts the edits up to the state that was read last. */
  private revision: number;
  private byPath: FileRow[] | undefined;
  private byId: Map<number, FileRow> | undefined;
  private text: TextStatistics | undefined;
  private loaded: LoadedSegment[] | undefined;
  private readonly statements = new Map<string, StatementSync>();

  /**
   * Throws: UnreadableIndex, here and from every method, and what `check` throws,
   * which is called before the database is asked anything.
   */
  constructor(path: string, check: () => void = () => {}) {
    this.path = path;
    this.check = check;
    const opened = guarded(path, () => openedForReading(path));
    this.db = opened.db;
    this.isFixed = opened.isFixed;
    try {
      this.told = this.readMeta();
      this.revision = this.currentRevision();
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  get meta(): IndexMeta {
    return this.told;
  }

  get state(): number {
    return this.revision;
  }

  private readMeta(): IndexMeta {
    // SQLite takes an empty file for an empty database, and half a last page for a whole one.
    const { size } = statSync(this.path);
    const { bytes } = this.get(
      "select page_count * page_size bytes from pragma_page_count, pragma_page_size",
    ) as { bytes: number };
    // What an edit added may still be in the log beside the file.
    const logged = statSync(`${this.path}-wal`, { throwIfNoEntry: false });
    if (size === 0 || (size < bytes && !logged?.size))
      throw new UnreadableIndex(this.path, wordings.UNREADABLE_CUT);
    const tables = this.get(
      "select count(*) n from sqlite_schema where name = 'meta'",
    )!.n;
    const schema = tables === 0 ? 0 : Number(this.value("schema"));
    if (schema !== SCHEMA_VERSION)
      throw schema > SCHEMA_VERSION
        ? new UnreadableIndex(
            this.path,
            wordings.UNREADABLE_NEWER,
            undefined,
            true,
          )
        : new UnreadableIndex(this.path, wordings.UNREADABLE_VERSION);
    return this.readIndexMeta();
  }

  private readIndexMeta(): IndexMeta {
    return guarded(
      this.path,
      () => JSON.parse(this.value("index") ?? "") as IndexMeta,
    );
  }

  private value(key: string): string | undefined {
    return this.get("select value from meta where key = ?", key)?.value as
      string | undefined;
  }

  private currentRevision(): number {
    return Number(this.value("revision") ?? 0);
  }

  /** @spec store-snapshot */
  snapshot<T>(ask: () => T): T {
    guarded(this.path, () => this.db.exec("begin"));
    try {
      this.renew();
      return ask();
    } finally {
      // Where the disk has failed nothing is left to end.
      if (this.db.isTransaction) this.db.exec("rollback");
    }
  }

  /** Brings what is kept here up to the state that is read now. */
  private renew(): void {
    const now = this.currentRevision();
    if (now === this.revision) return;
    try {
      this.text = undefined;
      this.told = this.readIndexMeta();
      if (this.revision < Number(this.value("logged") ?? 0))
        this.byPath = this.byId = this.loaded = undefined;
      else {
        this.renewFiles(this.revision);
        this.renewSegments();
      }
    } catch (error) {
      // Half of it may be new.
      this.byPath = this.byId = this.loaded = undefined;
      throw error;
    } finally {
      this.revision = now;
    }
  }

  private renewFiles(before: number): void {
    if (!this.byPath) return;
    const byId = (this.byId ??= new Map(this.byPath.map((f) => [f.id, f])));
    for (const { file } of this.all(
      "select distinct file from change where revision > ?",
      before,
    )) {
      const row = this.get("select * from file where id = ?", file as number);
      if (row)
        byId.set(
          file as number,
          guarded(this.path, () => toFile(row)),
        );
      else byId.delete(file as number);
    }
    this.byPath = [...byId.values()].sort((a, b) =>
      a.path < b.path ? -1 : a.path > b.path ? 1 : 0,
    );
  }

  private renewSegments(): void {
    if (!this.loaded) return;
    const known = new Map(this.loaded.map((s) => [s.id, s]));
    this.loaded = this.all("select id from segment order by id").map(
      ({ id }) => known.get(id as number) ?? this.segment(id as number),
    );
  }

  private segment(id: number): LoadedSegment {
    const row = this.get("select passages from segment where id = ?", id)!;
    return {
      id,
      table: guarded(this.path, () =>
        decodePassages(row.passages as Uint8Array),
      ),
    };
  }

  files(): readonly FileRow[] {
    // In the order of their paths' UTF-16 units, as scans have them.
    return (this.byPath ??= guarded(this.path, () =>
      this.all("select * from file")
        .map(toFile)
        .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    ));
  }

  file(id: number): FileRow | undefined {
    this.byId ??= new Map(this.files().map((f) => [f.id, f]));
    return this.byId.get(id);
  }

  leftOut(): LeftOut[] {
    return guarded(this.path, () =>
      this.all("select * from left_out order by path").map((row) => {
        sound("string", row.path, row.reason);
        sound("number", row.size, row.mtime_ms);
        return {
          path: row.path as string,
          reason: row.reason as string,
          size: row.size as number,
          mtimeMs: row.mtime_ms as number,
        };
      }),
    );
  }

  segments(): readonly LoadedSegment[] {
    return (this.loaded ??= this.all("select id from segment order by id").map(
      ({ id }) => this.segment(id as number),
    ));
  }

  statistics(): TextStatistics {
    return (this.text ??= statisticsOf(
      this.segments(),
      (id) => this.file(id) !== undefined,
    ));
  }

  postings(term: string): ReadonlyMap<number, Uint8Array> {
    const out = new Map<number, Uint8Array>();
    for (const { id } of this.segments()) {
      const row = this.get(
        "select data from posting where segment = ? and term = ?",
        id,
        term,
      );
      if (row) out.set(id, row.data as Uint8Array);
    }
    return out;
  }

  termsWithPrefix(prefix: string, most: number): string[] {
    const found = this.segments().flatMap(({ id }) =>
      this.all(
        "select term from posting where segment = ? and term >= ? and term < ? order by term limit ?",
        id,
        prefix,
        `${prefix}\u{10ffff}`,
        most,
      ).map((row) => row.term as string),
    );
    return [...new Set(found)].sort(byCodePoints).slice(0, most);
  }

  symbolsNamed(name: string, most: number): SymbolRow[] {
    return this.symbols(
      `${SELECT_SYMBOL} where name = ? order by file, ordinal limit ?`,
      name,
      most,
    );
  }

  placesNamed(name: string, most: number): SymbolPlace[] {
    return this.all(
      "select file, ordinal, name from symbol where name = ? order by file, ordinal limit ?",
      name,
      most,
    ) as unknown as SymbolPlace[];
  }

  symbolAt({
    file,
    ordinal,
  }: Pick<SymbolRow, "file" | "ordinal">): SymbolRow | undefined {
    return this.symbols(
      `${SELECT_SYMBOL} where file = ? and ordinal = ?`,
      file,
      ordinal,
    )[0];
  }

  symbolNames(most: number): string[] {
    const field = SYMBOL_KINDS.indexOf("field");
    return this.all(
      "select name from symbol where kind <> ? order by file, ordinal limit ?",
      field,
      most,
    ).map((row) => row.name as string);
  }

  symbolsOf(file: number): SymbolRow[] {
    return this.symbols(
      `${SELECT_SYMBOL} where file = ? order by ordinal`,
      file,
    );
  }

  referencesOf(file: number) {
    const row = this.get(
      "select data from reference_list where file = ?",
      file,
    );
    return row
      ? guarded(this.path, () => decodeReferences(row.data as Uint8Array))
      : [];
  }

  counts() {
    return this.get(
      'select count(*) files, coalesce(sum(symbols), 0) symbols, coalesce(sum(reference_count), 0) "references" from file',
    ) as unknown as { files: number; symbols: number; references: number };
  }

  close(): void {
    this.db.close();
  }

  /** Throws: UnreadableIndex where `read` fails. */
  private ask<T>(sql: string, read: (statement: StatementSync) => T): T {
    this.check();
    return guarded(this.path, () => {
      let statement = this.statements.get(sql);
      if (!statement)
        this.statements.set(sql, (statement = this.db.prepare(sql)));
      return read(statement);
    });
  }

  private symbols(sql: string, ...values: (string | number)[]): SymbolRow[] {
    return this.ask(sql, (statement) => {
      // Rows as arrays cost half of rows as objects, and definitions are most of what is read.
      statement.setReturnArrays(true);
      return (statement.all(...values) as unknown as SymbolValues[]).map(
        toSymbol,
      );
    });
  }

  private all(sql: string, ...values: (string | number)[]): Row[] {
    return this.ask(sql, (statement) => statement.all(...values));
  }

  private get(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.ask(sql, (statement) => statement.get(...values));
  }
}

/** The postings of a segment, by term: what a merge of segments reads. */
export function* postingsOf(
  db: DatabaseSync,
  segment: number,
): Generator<{ readonly term: string; readonly data: Uint8Array }> {
  for (const row of db
    .prepare("select term, data from posting where segment = ?")
    .iterate(segment))
    yield { term: row["term"] as string, data: row["data"] as Uint8Array };
}

/** As SQLite orders texts. */
function byCodePoints(a: string, b: string): number {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.compare(y);
}

/**
 * A handle that never writes. SQLite keeps an index of the log beside the file, also
 * for those that read; where it cannot, on a full disk or in a folder that cannot be
 * written to, a file without a log is read as it is.
 */
function openedForReading(path: string): {
  readonly db: DatabaseSync;
  readonly isFixed: boolean;
} {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.exec("pragma busy_timeout = 5000");
    db.prepare("select 1 from sqlite_schema").get();
    return { db, isFixed: false };
  } catch (error) {
    db.close();
    const logged = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
    if (!NO_ROOM.includes(sqliteCode(error)) || logged) throw error;
    const asItIs = pathToFileURL(path);
    asItIs.search = "immutable=1";
    const fixed = new DatabaseSync(asItIs, { readOnly: true });
    return { db: fixed, isFixed: true };
  }
}

const NO_ROOM: readonly number[] = [
  SQLITE_CANTOPEN,
  SQLITE_IOERR,
  SQLITE_FULL,
  SQLITE_READONLY,
];

const MACHINE: readonly number[] = [
  ...NO_ROOM,
  SQLITE_BUSY,
  SQLITE_LOCKED,
  SQLITE_NOMEM,
];

/** What SQLite and the decoders throw at damage, told as what it means. */
function guarded<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableIndex ? error : damaged(path, error);
  }
}

function statisticsOf(
  segments: readonly LoadedSegment[],
  alive: (file: number) => boolean,
): TextStatistics {
  const fileWeight = new Map<number, number>();
  let passages = 0;
  let weight = 0;
  for (const { table } of segments)
    for (let p = 0; p < table.file.length; p++) {
      const file = table.file[p]!;
      if (!alive(file)) continue;
      passages++;
      weight += table.weight[p]!;
      fileWeight.set(file, (fileWeight.get(file) ?? 0) + table.weight[p]!);
    }
  return {
    passages,
    averagePassage: weight / Math.max(1, passages),
    averageFile: weight / Math.max(1, fileWeight.size),
    fileWeight,
  };
}

/** Throws: where a damaged row holds something else. */
function sound<T extends "string" | "number">(
  type: T,
  ...values: readonly unknown[]
): void {
  for (const value of values)
    if (typeof value !== type) throw new TypeError(wordings.UNREADABLE_ROW);
}

function toFile(row: Row): FileRow {
  const flags = row.flags as number;
  sound("string", row.path, row.language, row.fingerprint, row.problem);
  sound("number", row.id, flags, row.size, row.mtime_ms, row.lines);
  sound("string", ROLES[row.role as number]);
  return {
    id: row.id as number,
    path: row.path as string,
    language: row.language as string,
    role: ROLES[row.role as number]!,
    generated: (flags & 1) !== 0,
    minified: (flags & 2) !== 0,
    keysOnly: (flags & 4) !== 0,
    size: row.size as number,
    mtimeMs: row.mtime_ms as number,
    fingerprint: row.fingerprint as string,
    lines: row.lines as number,
    problem: row.problem as string,
    problemLine: row.problem_line as number,
  };
}

const SELECT_SYMBOL = `select file, ordinal, name, kind, first, last, sig_first, sig_last,
  doc_first, doc_last, container, owner, signature, doc, exported from symbol`;

/** In the order of `SELECT_SYMBOL`. */
type SymbolValues = readonly [
  file: number,
  ordinal: number,
  name: string,
  kind: number,
  first: number,
  last: number,
  sigFirst: number,
  sigLast: number,
  docFirst: number,
  docLast: number,
  container: number,
  owner: string,
  signature: string,
  doc: string,
  exported: number,
];

function toSymbol([
  file,
  ordinal,
  name,
  kind,
  first,
  last,
  sigFirst,
  sigLast,
  docFirst,
  docLast,
  container,
  owner,
  signature,
  doc,
  exported,
]: SymbolValues): SymbolRow {
  sound("string", SYMBOL_KINDS[kind], name, owner, signature, doc);
  sound("number", file, ordinal, first, last, sigFirst, sigLast, container);
  sound("number", docFirst, docLast);
  return {
    file,
    ordinal,
    name,
    kind: SYMBOL_KINDS[kind] as SymbolKind,
    span: [first, last],
    signatureSpan: [sigFirst, sigLast],
    docSpan: docFirst === 0 ? undefined : [docFirst, docLast],
    container,
    owner,
    signature,
    doc,
    exported: exported === 1,
  };
}
