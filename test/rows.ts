/** Rows for the tests of what is stored: plain ones, with what a test cares about in them. */
import type { SymbolDefinition } from "../src/model/extraction.ts";
import type { IndexedFile } from "../src/model/file.ts";
import { encodeReferences } from "../src/model/references.ts";

export const definition = (
  some: Partial<SymbolDefinition> = {},
): SymbolDefinition => ({
  name: "f",
  kind: "function",
  span: [1, 1],
  signatureSpan: some.span ?? [1, 1],
  container: -1,
  owner: "",
  signature: "",
  doc: "",
  docSpan: undefined,
  exported: false,
  ...some,
});

export const indexedFile = (
  id: number,
  some: Partial<IndexedFile> = {},
): IndexedFile => ({
  id,
  path: `f${id}.py`,
  language: "python",
  role: "product",
  generated: false,
  minified: false,
  keysOnly: false,
  size: 10,
  mtimeMs: 1.5,
  fingerprint: "10:0000000000000000",
  lines: 3,
  problem: "",
  problemLine: 0,
  symbols: [],
  references: encodeReferences([]),
  referenceCount: 0,
  ...some,
});
