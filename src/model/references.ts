/**
 * A file's references as one value: they are written with their file, read when
 * a query needs them, and never touched by an edit of another file.
 */
import {
  REFERENCE_KINDS,
  type Reference,
  type ReferenceKind,
} from "./extraction.ts";
import { VarintReader, VarintWriter } from "./varint.ts";

const toUtf8 = new TextEncoder();
// Without this a text that begins with U+FEFF would lose it.
const fromUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * References → bytes: a table of the texts that occur, then numbers.
 * Throws: RangeError where they are not in line order.
 * @spec references-keep-their-texts
 */
export function encodeReferences(references: readonly Reference[]): Uint8Array {
  const numbers = new Map<string, number>([["", 0]]);
  const body = new VarintWriter();
  const number = (text: string): number => {
    let n = numbers.get(text);
    if (n === undefined) numbers.set(text, (n = numbers.size));
    return n;
  };
  let line = 0;
  for (const r of references) {
    const bare = r.qualifier === "" && r.alias === "";
    const kind = REFERENCE_KINDS.indexOf(r.kind);
    body.put(r.line - line);
    body.put(kind * 2 + (bare ? 0 : 1));
    body.put(r.within + 1);
    body.put(number(r.name));
    if (!bare) {
      body.put(number(r.qualifier));
      body.put(number(r.alias));
    }
    line = r.line;
  }
  // Well-formed, so that the lengths hold when the texts have become one.
  const texts = Array.from(numbers.keys(), (text) => text.toWellFormed());
  const head = new VarintWriter();
  head.put(texts.length);
  for (const text of texts) head.put(text.length);
  const joined = toUtf8.encode(texts.join(""));
  head.put(joined.length);
  const out = new Uint8Array(head.length + joined.length + body.length);
  out.set(head.take());
  out.set(joined, head.length);
  out.set(body.take(), head.length + joined.length);
  return out;
}

/**
 * The inverse of `encodeReferences`.
 * Throws: RangeError on bytes that it did not write.
 * @spec references-keep-their-texts
 */
export function decodeReferences(bytes: Uint8Array): Reference[] {
  const from = new VarintReader(bytes);
  const count = from.next();
  if (count > bytes.length) throw new RangeError(`no room for ${count}`);
  const lengths = Array.from({ length: count }, () => from.next());
  const size = from.next();
  const joined = fromUtf8.decode(bytes.subarray(from.at, from.at + size));
  from.at += size;
  let end = 0;
  const texts = lengths.map((length) => joined.slice(end, (end += length)));
  const known = <T>(all: readonly T[], at: number): T => {
    if (at >= all.length) throw new RangeError(`no entry ${at}`);
    return all[at]!;
  };
  const out: Reference[] = [];
  let line = 0;
  while (!from.done) {
    line += from.next();
    const head = from.next();
    const within = from.next() - 1;
    const name = known(texts, from.next());
    const full = (head & 1) === 1;
    out.push({
      name,
      kind: known<ReferenceKind>(REFERENCE_KINDS, head >>> 1),
      line,
      within,
      qualifier: full ? known(texts, from.next()) : "",
      alias: full ? known(texts, from.next()) : "",
    });
  }
  return out;
}
