/**
 * The plain data that travels: a view goes down into a call, an emission comes up.
 * Both survive a structured clone, since a worker may sit between.
 *
 * Units: lines are 1-based and inclusive; bytes are those of UTF-8.
 */
import type { Span } from "../model/span.ts";

export interface DeliveredFile {
  /** Relative to the project root, with `/`. */
  readonly path: string;
  /** Lines that the context holds exactly as the file has them. */
  readonly spans: readonly Span[];
  /** Of the bytes that the spans were sliced from. */
  readonly fingerprint: string;
  /** Of source in this call; 0 where it was pointed at. */
  readonly sourceBytes: number;
  /** The record keeps fewer spans than were sent. */
  readonly truncated: boolean;
}

/** What one call really delivered. */
export interface Emission {
  readonly query: string;
  /** The query's terms in a normal form: equal for queries that ask the same. */
  readonly asked: string;
  readonly files: readonly DeliveredFile[];
  readonly responseBytes: number;
  /** The answer held a pointer. */
  readonly pointed: boolean;
}

export interface RecordedCall extends Emission {
  /** 1 for the bucket's first call. */
  readonly index: number;
}

/** What a call may know of its bucket. */
export interface SessionView {
  readonly callCount: number;
  readonly responseBytes: number;
  /** The latest first. */
  readonly calls: readonly RecordedCall[];
}
