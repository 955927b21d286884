/**
 * An extraction as bytes, as it is kept between runs. No path is in it, and nothing
 * that a path decides but the language, which is part of its key.
 */
import { Buffer } from "node:buffer";
import { SYMBOL_KINDS, type SymbolDefinition } from "../model/extraction.ts";
import { VarintReader, VarintWriter } from "../model/varint.ts";

/** What is kept of a file: an extraction, its references encoded, and whether the parser gave up on it. */
export interface Kept {
  readonly symbols: readonly SymbolDefinition[];
  /** As `encodeReferences` gives them. */
  readonly references: Uint8Array;
  readonly referenceCount: number;
  /** 1-based line of the first syntax error; 0 for none. */
  readonly errorLine: number;
  /** It was too much work for the parser, as it always will be. */
  readonly tooMuchWork: boolean;
}

/** @spec extractions-are-what-a-parser-finds */
export function encodeKept(kept: Kept): Uint8Array {
  const symbols = Buffer.from(JSON.stringify(kept.symbols.map(toRow)));
  const head = new VarintWriter();
  head.put(kept.errorLine);
  head.put(kept.tooMuchWork ? 1 : 0);
  head.put(kept.referenceCount);
  head.put(symbols.length);
  return Buffer.concat([head.take(), symbols, kept.references]);
}

/**
 * The inverse of `encodeKept`. Gives nothing that shares memory with `bytes`.
 * Throws: where `encodeKept` did not write them.
 * @spec extractions-are-what-a-parser-finds
 */
export function decodeKept(bytes: Uint8Array): Kept {
  const from = new VarintReader(bytes);
  const errorLine = from.next();
  const tooMuchWork = from.next() === 1;
  const referenceCount = from.next();
  const end = from.next() + from.at;
  const rows = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8", from.at),
  ) as Row[];
  return {
    symbols: rows.map(fromRow),
    // A copy also where `bytes` is a Buffer, whose own `slice` is none.
    references: new Uint8Array(bytes.subarray(end)),
    referenceCount,
    errorLine,
    tooMuchWork,
  };
}

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
