/**
 * The plain data that travels: a view goes down into a call, an emission comes up.
 * Both survive a structured clone and JSON, since a worker may sit between.
 *
 * Units: lines are 1-based and inclusive; bytes are those of UTF-8.
 */
import type { Span } from "../model/span.ts";

/** Source of one file that a context holds after a call. */
export interface DeliveredFile {
  /** Relative to the project root, with `/`. */
  readonly path: string;
  /** Lines that the context holds exactly as the file has them. */
  readonly spans: readonly Span[];
  /** Of the bytes that the spans were sliced from. */
  readonly fingerprint: string;
  /** Of source in this call; 0 where it was pointed at only. */
  readonly sourceBytes: number;
  /** The record keeps fewer spans than were sent. Told in diagnostics; decides nothing. */
  readonly truncated: boolean;
}

/** What one call really delivered. */
export interface Emission {
  /** As the caller wrote it; for diagnostics. */
  readonly query: string;
  /** The query in its normal form: equal for queries that ask the same. */
  readonly asked: string;
  /** Without files whose section was cut off, and without folded lines. */
  readonly files: readonly DeliveredFile[];
  readonly responseBytes: number;
  /** The answer held a pointer. */
  readonly pointed: boolean;
}

/** An emission as the record keeps it, bounded. */
export interface RecordedCall extends Emission {
  /** The host's id of the call, where a hook has told it. */
  readonly callId?: string;
  /** 1 for the bucket's first call. */
  readonly index: number;
}

/** What a call may know of its bucket. @spec session-travels-as-data */
export interface SessionView {
  readonly callCount: number;
  readonly responseBytes: number;
  /** The latest first. */
  readonly calls: readonly RecordedCall[];
}
