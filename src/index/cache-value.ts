/**
 * An extraction as bytes, as it is kept between runs. No path is in it, and nothing
 * that a path decides but the language, which is part of its key.
 */
import { Buffer } from "node:buffer";
import type { SymbolDefinition } from "../model/extraction.ts";
import { decodeSymbols, encodeSymbols } from "../model/symbols.ts";
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
  const symbols = Buffer.from(encodeSymbols(kept.symbols));
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
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end);
  return {
    symbols: decodeSymbols(text.toString("utf8", from.at)),
    // A copy also where `bytes` is a Buffer, whose own `slice` is none.
    references: new Uint8Array(bytes.subarray(end)),
    referenceCount,
    errorLine,
    tooMuchWork,
  };
}
