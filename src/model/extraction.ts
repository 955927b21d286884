/**
 * What a parser finds in one file. It depends on the file's bytes, its language
 * and `EXTRACTOR_VERSION` alone, so that it can be kept by content hash and
 * shared between worktrees.
 *
 * Units: lines are 1-based and inclusive; text is UTF-16.
 */
import type { Span } from "./span.ts";

/** Raised whenever the same bytes would now give another extraction. @spec extractor-version */
export const EXTRACTOR_VERSION = 1;

export const SYMBOL_KINDS = [
  "function",
  "method",
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "module",
  "constant",
  "variable",
  "field",
  "macro",
] as const;
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

export interface SymbolDefinition {
  /** The bare name, without container or quotes. */
  readonly name: string;
  readonly kind: SymbolKind;
  /** The whole definition: decorators and attributes above it included, doc comment not. */
  readonly span: Span;
  /** The lines of the signature; ends on the line where the body begins. */
  readonly signatureSpan: Span;
  /** Index in the same list of the enclosing definition; -1 at top level. Always lower than the own index. */
  readonly container: number;
  /**
   * A container that nesting does not show: the receiver type of a Go method, the
   * type of a Rust `impl`, the class of a C++ out-of-line method. Empty otherwise.
   */
  readonly owner: string;
  /** The text before the body, white space folded, at most `SIGNATURE_CHARS`. */
  readonly signature: string;
  /** The doc comment's or docstring's text without comment marks, white space folded, at most `DOC_CHARS`; empty without one. */
  readonly doc: string;
  /** The lines of the doc comment above the definition; undefined without one, and for docstrings inside it. */
  readonly docSpan: Span | undefined;
  /** Visible outside its file, by the rule of its language. */
  readonly exported: boolean;
}

export const REFERENCE_KINDS = [
  "call",
  "import",
  "extends",
  "type",
  "instantiate",
] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export interface Reference {
  /** The bare name that is used: the last part of `a.b.name()`. For an import the imported name, or the last part of the module where the whole module is meant. */
  readonly name: string;
  readonly kind: ReferenceKind;
  readonly line: number;
  /** Index in `symbols` of the innermost enclosing definition; -1 outside of any. */
  readonly within: number;
  /** For a call: the text before the last dot, arrow or `::` where it is a plain name (`this`, `repo`, `cache`). For an import: the module as written, without quotes. Empty otherwise. */
  readonly qualifier: string;
  /** For an import under another name: that local name. Empty otherwise. */
  readonly alias: string;
}

export interface Extraction {
  /** In order of their first line; a container before what it contains. */
  readonly symbols: readonly SymbolDefinition[];
  /** In order of their line. */
  readonly references: readonly Reference[];
  /** 1-based line of the first syntax error the parser stepped over; 0 for none. */
  readonly errorLine: number;
}
