/**
 * An index that remembers the rows it was asked for last: questions about a project
 * come back to the same files and names.
 *
 * It holds for one state of the index. When that changes, a new one is made.
 */
import type { Reference } from "../model/extraction.ts";
import type { FileRow, LeftOut } from "../model/file.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type {
  IndexMeta,
  IndexReader,
  LoadedSegment,
  SymbolPlace,
  SymbolRow,
  TextStatistics,
} from "../store/store.ts";
import { Recent } from "./recent.ts";

export interface KeptOptions {
  /** Called where an answer is remembered, as the index itself does where it looks it up. */
  readonly check?: (() => void) | undefined;
  readonly limits?: Pick<Limits, "KEPT_ROWS">;
}

/** @spec pool-keeps-rows */
export class KeptIndex implements IndexReader {
  private readonly index: IndexReader;
  private readonly check: () => void;
  private readonly definitions: Recent<number, SymbolRow[]>;
  private readonly single: Recent<string, SymbolRow[]>;
  private readonly references: Recent<number, Reference[]>;
  private readonly places: Recent<string, SymbolPlace[]>;

  constructor(
    index: IndexReader,
    { check = () => {}, limits = fromSpec }: KeptOptions = {},
  ) {
    this.index = index;
    this.check = check;
    const recent = <K, R>() => new Recent<K, R[]>(limits.KEPT_ROWS, weight);
    this.definitions = recent();
    this.single = recent();
    this.references = recent();
    this.places = recent();
  }

  symbolsOf(file: number): SymbolRow[] {
    return this.known(this.definitions, file, () => this.index.symbolsOf(file));
  }

  symbolAt(
    place: Pick<SymbolPlace, "file" | "ordinal">,
  ): SymbolRow | undefined {
    const { file, ordinal } = place;
    const known = this.definitions.peek(file);
    if (known) return known[ordinal];
    return this.known(this.single, `${file}:${ordinal}`, () => {
      const found = this.index.symbolAt(place);
      return found ? [found] : [];
    })[0];
  }

  referencesOf(file: number): Reference[] {
    return this.known(this.references, file, () =>
      this.index.referencesOf(file),
    );
  }

  placesNamed(name: string, most: number): SymbolPlace[] {
    return this.known(this.places, `${most}:${name}`, () =>
      this.index.placesNamed(name, most),
    );
  }

  private known<K, R>(rows: Recent<K, R[]>, key: K, read: () => R[]): R[] {
    this.check();
    return rows.get(key, read);
  }

  get meta(): IndexMeta {
    return this.index.meta;
  }
  get state(): number {
    return this.index.state;
  }
  snapshot<T>(ask: () => T): T {
    return this.index.snapshot(ask);
  }
  files(): readonly FileRow[] {
    return this.index.files();
  }
  file(id: number): FileRow | undefined {
    return this.index.file(id);
  }
  leftOut(): LeftOut[] {
    return this.index.leftOut();
  }
  segments(): readonly LoadedSegment[] {
    return this.index.segments();
  }
  statistics(): TextStatistics {
    return this.index.statistics();
  }
  postings(term: string): ReadonlyMap<number, Uint8Array> {
    return this.index.postings(term);
  }
  termsWithPrefix(prefix: string, most: number): string[] {
    return this.index.termsWithPrefix(prefix, most);
  }
  symbolsNamed(name: string, most: number): SymbolRow[] {
    return this.index.symbolsNamed(name, most);
  }
  symbolNames(most: number): string[] {
    return this.index.symbolNames(most);
  }
  counts(): { files: number; symbols: number; references: number } {
    return this.index.counts();
  }
  close(): void {
    this.index.close();
  }
}

/** Of a list, by its rows. What was found to be missing takes room too. */
const weight = (rows: readonly unknown[]): number => rows.length + 1;
