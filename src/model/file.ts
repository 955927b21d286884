/**
 * A file of the project, as the index knows it.
 *
 * Units: lines are 1-based; sizes are bytes.
 */
import type { SymbolDefinition } from "./extraction.ts";

/** What part of a repository a file plays. */
export const ROLES = [
  "product",
  "test",
  "docs",
  "example",
  "vendored",
] as const;
export type Role = (typeof ROLES)[number];

export interface FileRow {
  readonly id: number;
  /** Relative to the project root, with `/`. */
  readonly path: string;
  /** A language id; empty for text without a grammar. */
  readonly language: string;
  readonly role: Role;
  readonly generated: boolean;
  readonly minified: boolean;
  /** A configuration file, of which key names alone are indexed and no source is shown. */
  readonly keysOnly: boolean;
  readonly size: number;
  readonly mtimeMs: number;
  /** Of the bytes that were indexed; see `model/fingerprint.ts`. */
  readonly fingerprint: string;
  readonly lines: number;
  /** Why the file was indexed as text although its language has a grammar, or the like; empty for none. */
  readonly problem: string;
  /** 1-based; 0 for none. */
  readonly problemLine: number;
}

export interface IndexedFile extends FileRow {
  readonly symbols: readonly SymbolDefinition[];
  /** As `encodeReferences` gives them. */
  readonly references: Uint8Array;
  readonly referenceCount: number;
}

export interface LeftOut {
  readonly path: string;
  readonly reason: string;
  /** As it was when it was looked at; absent or 0 where it was not. */
  readonly size?: number;
  readonly mtimeMs?: number;
}
