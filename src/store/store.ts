/**
 * The seam between the index and its database. Everything that a question needs
 * is a snapshot read; SQLite stands behind it today.
 *
 * Units: lines are 1-based and inclusive; sizes are bytes.
 */
import type { Reference, SymbolDefinition } from "../model/extraction.ts";
import type { FileRow, IndexedFile, LeftOut } from "../model/file.ts";
import type { PassageTable, Segment } from "../model/segment.ts";

export interface SymbolPlace {
  readonly file: number;
  readonly ordinal: number;
  readonly name: string;
}

/** A definition with its place in the index. */
export interface SymbolRow extends SymbolDefinition {
  readonly file: number;
  /** Its index among the file's definitions: what `container` and `Reference.within` name. */
  readonly ordinal: number;
}

export interface IndexMeta {
  readonly extractorVersion: number;
  /** Commit that was checked out; empty outside git. */
  readonly commit: string;
  readonly source: "git" | "walk";
}

export interface IndexWriter {
  addFiles(files: readonly IndexedFile[]): void;
  addSegment(segment: Segment): void;
  addLeftOut(files: readonly LeftOut[]): void;
  /** Makes what was added the project's index, at once and whole. */
  commit(meta: IndexMeta): void;
  /** Drops what was added; the previous index stays. */
  abandon(): void;
}

export interface LoadedSegment {
  readonly id: number;
  readonly table: PassageTable;
}

/** Of the passages of all files that the index holds. */
export interface TextStatistics {
  readonly passages: number;
  /** Mean weight of a passage and of a file. */
  readonly averagePassage: number;
  readonly averageFile: number;
  /** Weight of each file, by id. */
  readonly fileWeight: ReadonlyMap<number, number>;
}

export interface IndexReader {
  readonly meta: IndexMeta;
  /**
   * Runs `ask` on one state of the index, the newest there is; edits that come
   * meanwhile are seen by the next. Outside of it each read may see another state.
   */
  snapshot<T>(ask: () => T): T;
  /** Another number for each state of one index; that of the last snapshot. */
  readonly state: number;
  /** All files, by path. Kept by the reader: ask as often as needed. */
  files(): readonly FileRow[];
  file(id: number): FileRow | undefined;
  leftOut(): LeftOut[];
  /** Kept by the reader. */
  segments(): readonly LoadedSegment[];
  /** Kept by the reader. */
  statistics(): TextStatistics;
  /** The posting lists of a term, by segment id; absent where a segment has none. */
  postings(term: string): ReadonlyMap<number, Uint8Array>;
  /** Terms of the index that begin with `prefix`, at most `most`. */
  termsWithPrefix(prefix: string, most: number): string[];
  /** Definitions of that name, letter case ignored, at most `most`, by file id and ordinal. */
  symbolsNamed(name: string, most: number): SymbolRow[];
  /** The same, without reading the definitions. */
  placesNamed(name: string, most: number): SymbolPlace[];
  symbolAt(place: Pick<SymbolPlace, "file" | "ordinal">): SymbolRow | undefined;
  /** Names of definitions, fields not counted, by file id and ordinal, at most `most`. */
  symbolNames(most: number): string[];
  /** All definitions of a file, in order. */
  symbolsOf(file: number): SymbolRow[];
  referencesOf(file: number): Reference[];
  counts(): { files: number; symbols: number; references: number };
  close(): void;
}
