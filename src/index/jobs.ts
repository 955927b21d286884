/** What the indexing thread and its workers say to each other. All of it is plain data. */
import type { IndexedFile, LeftOut } from "../model/file.ts";
import type { Segment } from "../model/segment.ts";
import type { SharedCache } from "./cache.ts";
import type { Attributes } from "./attributes.ts";
import type { ScannedFile } from "./scan.ts";

export interface FileJob extends ScannedFile {
  readonly id: number;
  /** What `.gitattributes` says of it. */
  readonly attributes: Attributes;
}

export type ToWorker =
  /** Comes first, once. */
  | { readonly kind: "begin"; readonly cache: SharedCache | undefined }
  | { readonly kind: "files"; readonly files: readonly FileJob[] }
  | { readonly kind: "finish" };

/** An indexed file on its way between threads: its definitions as `encodeSymbols` gives them. */
export type SentFile = Omit<IndexedFile, "symbols"> & {
  readonly symbols: string;
};

export type FromWorker =
  | {
      readonly kind: "files";
      readonly files: readonly SentFile[];
      readonly leftOut: readonly LeftOut[];
      readonly reused: number;
    }
  | { readonly kind: "segment"; readonly segment: Segment };

export interface IndexStart {
  readonly root: string;
  /** Paths that are not parsed: an earlier worker broke on them. */
  readonly textOnly: readonly string[];
  /** Where extractions are looked up and kept; absent for nowhere. */
  readonly cache?: SharedCache | undefined;
}

export interface WorkerStart extends Omit<IndexStart, "cache"> {
  /** One Int32: the id of the file in hand, 0 for none. It outlives a worker that breaks. */
  readonly inHand: SharedArrayBuffer;
}
