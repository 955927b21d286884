/**
 * A file's definitions as one text: so they pass between threads, in half the time
 * that objects take, and so they are kept between runs.
 */
import { SYMBOL_KINDS, type SymbolDefinition } from "./extraction.ts";

/** @spec symbols-keep-their-texts */
export const encodeSymbols = (symbols: readonly SymbolDefinition[]): string =>
  JSON.stringify(symbols.map(toRow));

/**
 * The inverse of `encodeSymbols`. Throws: where it did not write the text.
 * @spec symbols-keep-their-texts
 */
export const decodeSymbols = (text: string): SymbolDefinition[] =>
  (JSON.parse(text) as Row[]).map(fromRow);

type Row = ReturnType<typeof toRow>;

/** Half a surrogate pair, where a signature was cut, comes back as it was: JSON escapes it. */
const toRow = (s: SymbolDefinition) =>
  [
    s.name,
    SYMBOL_KINDS.indexOf(s.kind),
    s.span[0],
    s.span[1],
    s.signatureSpan[0],
    s.signatureSpan[1],
    s.container,
    s.owner,
    s.signature,
    s.doc,
    s.docSpan?.[0] ?? 0,
    s.docSpan?.[1] ?? 0,
    s.exported ? 1 : 0,
  ] as const;

function fromRow([
  name,
  kind,
  first,
  last,
  signatureFirst,
  signatureLast,
  container,
  owner,
  signature,
  doc,
  docFirst,
  docLast,
  exported,
]: Row): SymbolDefinition {
  return {
    name,
    kind: SYMBOL_KINDS[kind]!,
    span: [first, last],
    signatureSpan: [signatureFirst, signatureLast],
    container,
    owner,
    signature,
    doc,
    docSpan: docFirst === 0 ? undefined : [docFirst, docLast],
    exported: exported === 1,
  };
}
