/**
 * A file's bytes as text.
 *
 * Offset rule: a byte order mark is no part of `text`. Its length is `bomBytes`, so byte
 * `bomBytes` of the file is the first byte of the first line.
 * Errs: toward showing something. Bytes that are not UTF-8 are shown as Latin-1, one
 *   character for each byte, and the text is marked as not exact.
 */
import { Buffer, isAscii, isUtf8 } from "node:buffer";

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin-1";

export interface Decoded {
  readonly text: string;
  readonly encoding: Encoding;
  /** Written out as UTF-8 (after the mark), `text` gives the file's own bytes or, for UTF-16, its own characters. */
  readonly exact: boolean;
  readonly bomBytes: number;
}

/** @spec decode-bytes */
export function decode(bytes: Uint8Array): Decoded {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(bytes))
    return {
      text: buffer.toString("latin1"),
      encoding: "utf-8",
      exact: true,
      bomBytes: 0,
    };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16(buffer, "utf-16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16(buffer, "utf-16be");
  if (!isUtf8(bytes))
    return {
      text: buffer.toString("latin1"),
      encoding: "latin-1",
      exact: false,
      bomBytes: 0,
    };
  const bomBytes =
    bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return {
    text: buffer.toString("utf8", bomBytes),
    encoding: "utf-8",
    exact: true,
    bomBytes,
  };
}

function utf16(buffer: Buffer, encoding: "utf-16le" | "utf-16be"): Decoded {
  const even = (buffer.length - 2) & ~1;
  let units = buffer.subarray(2, 2 + even);
  if (encoding === "utf-16be") units = Buffer.from(units).swap16();
  const text = units.toString("utf16le");
  // A torn last unit or half a surrogate pair cannot be shown.
  return {
    text: text.toWellFormed(),
    encoding,
    exact: buffer.length % 2 === 0 && text.isWellFormed(),
    bomBytes: 2,
  };
}
