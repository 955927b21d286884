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
const fromUtf8 = new TextDecoder();

/** References in line order → bytes: a table of the texts that occur, then numbers. */
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
  const texts = toUtf8.encode([...numbers.keys()].slice(1).join("\0"));
  const head = new VarintWriter();
  head.put(texts.length);
  const out = new Uint8Array(head.length + texts.length + body.length);
  out.set(head.take());
  out.set(texts, head.length);
  out.set(body.take(), head.length + texts.length);
  return out;
}

/** The inverse of `encodeReferences`. */
export function decodeReferences(bytes: Uint8Array): Reference[] {
  const from = new VarintReader(bytes);
  const length = from.next();
  const start = from.at;
  const texts = fromUtf8
    .decode(bytes.subarray(start, start + length))
    .split("\0");
  texts.unshift("");
  from.at = start + length;
  const out: Reference[] = [];
  let line = 0;
  while (!from.done) {
    line += from.next();
    const head = from.next();
    const within = from.next() - 1;
    const name = texts[from.next()]!;
    const full = (head & 1) === 1;
    out.push({
      name,
      kind: REFERENCE_KINDS[head >> 1] as ReferenceKind,
      line,
      within,
      qualifier: full ? texts[from.next()]! : "",
      alias: full ? texts[from.next()]! : "",
    });
  }
  return out;
}
