/**
 * What a query found in one text, before it is put together: plain data, so that
 * the rest of the extractor never touches the parser.
 *
 * Units: offsets in UTF-16 units, ends exclusive. A pattern's number is its place
 * in the query; where two patterns claim one name, the lower number wins.
 */
import type { ReferenceKind, SymbolKind } from "../../model/extraction.ts";

export interface DefinitionFact {
  readonly pattern: number;
  readonly kind: SymbolKind;
  readonly name: string;
  readonly nameAt: number;
  readonly start: number;
  readonly end: number;
  /** Where the signature ends; -1 without a body. */
  readonly bodyAt: number;
  readonly owner: string;
}

export interface ReferenceFact {
  readonly pattern: number;
  readonly kind: ReferenceKind;
  readonly name: string;
  readonly nameAt: number;
  /** For an import, the module. */
  readonly qualifier: string;
  readonly alias: string;
  /** -1 without one. */
  readonly aliasAt: number;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface NamedRange extends Range {
  readonly name: string;
}

export interface Facts {
  readonly definitions: DefinitionFact[];
  readonly references: ReferenceFact[];
  readonly wraps: Range[];
  readonly exports: Range[];
  readonly attributes: Range[];
  readonly locals: Range[];
  /** Blocks that give their owner to the definitions in them. */
  readonly scopes: NamedRange[];
  readonly typeParameters: { readonly name: string; readonly at: number }[];
  readonly docstrings: Range[];
  readonly exportedNames: Set<string>;
  /** Names that a pattern takes for itself without a fact of its own. */
  readonly taken: { readonly pattern: number; readonly at: number }[];
}

export const noFacts = (): Facts => ({
  definitions: [],
  references: [],
  wraps: [],
  exports: [],
  attributes: [],
  locals: [],
  scopes: [],
  typeParameters: [],
  docstrings: [],
  exportedNames: new Set(),
  taken: [],
});
