/** What the indexing thread and its workers say to each other. All of it is plain data. */
import type { IndexedFile, LeftOut } from "../model/file.ts";
import type { Segment } from "../model/segment.ts";
import type { Attributes } from "./attributes.ts";
import type { ScannedFile } from "./scan.ts";

export interface FileJob extends ScannedFile {
  readonly id: number;
  /** What `.gitattributes` says of it. */
  readonly attributes: Attributes;
}

export type ToWorker =
  | { readonly kind: "files"; readonly files: readonly FileJob[] }
  | { readonly kind: "finish" };

export type FromWorker =
  | {
      readonly kind: "files";
      readonly files: readonly IndexedFile[];
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly kind: "segment"; readonly segment: Segment };

export interface WorkerStart {
  readonly root: string;
  /** Paths that are not parsed: an earlier worker broke on one of them. */
  readonly textOnly: readonly string[];
}
