/**
 * The identifiers that a writer has met, by number. A text is read byte by byte
 * and an identifier is looked up where it stands: nothing is made of one that was met
 * before.
 */
import { Buffer } from "node:buffer";
import { identifiers, isAscii } from "../model/terms.ts";

export class Words {
  /** Longer ones have the number -1. */
  private readonly most: number;
  /** Is told the text of each new word, in the order of their numbers. */
  private readonly met: (word: string) => void;
  /** What `identifiers` takes for a part of one, for the characters of ASCII. */
  private readonly inWord = Uint8Array.from({ length: 0x80 }, (_, code) =>
    /[\w$]/.test(String.fromCharCode(code)) ? 1 : 0,
  );
  private count = 0;
  /** The characters of words of ASCII, and where those of each begin and end. */
  private letters = Buffer.alloc(1 << 16);
  private used = 0;
  private starts = new Uint32Array(1 << 12);
  private ends = new Uint32Array(1 << 12);
  private hashes = new Int32Array(1 << 12);
  /** Number + 1 of a word by its hash, in the next free place; 0 for none. */
  private places = new Int32Array(1 << 13);
  private mask = this.places.length - 1;
  private scratch = Buffer.alloc(1 << 10);
  private readonly others = new Map<string, number>();

  constructor(most: number, met: (word: string) => void) {
    this.most = most;
    this.met = met;
  }

  /** Tells the number of each identifier of a line, in order, as `identifiers` gives them. */
  eachOf(line: string, visit: (word: number) => void): void {
    if (isAscii(line)) this.eachIn(this.bytesOf(line), 0, line.length, visit);
    else for (const word of identifiers(line)) visit(this.number(word));
  }

  /** The same for a part of a text whose bytes are all ASCII. */
  eachIn(
    bytes: Uint8Array,
    first: number,
    end: number,
    visit: (word: number) => void,
  ): void {
    const { inWord } = this;
    let start = -1;
    let hash = 0;
    for (let at = first; at < end; at++) {
      const code = bytes[at]!;
      if (inWord[code] === 1) {
        if (start < 0) {
          start = at;
          hash = 0;
        }
        hash = mixed(hash, code);
      } else if (start >= 0) {
        visit(this.find(bytes, start, at, hash));
        start = -1;
      }
    }
    if (start >= 0) visit(this.find(bytes, start, end, hash));
  }

  /** The number of one word, whatever characters it has. */
  number(word: string): number {
    if (word.length > this.most) return -1;
    if (!isAscii(word)) return this.other(word);
    const bytes = this.bytesOf(word);
    let hash = 0;
    for (let at = 0; at < word.length; at++) hash = mixed(hash, bytes[at]!);
    return this.find(bytes, 0, word.length, hash);
  }

  /** The number of a part of a text of ASCII, in lower case. */
  lowerNumber(word: string, first: number, end: number): number {
    const bytes = this.roomFor(end - first);
    let hash = 0;
    for (let at = first; at < end; at++) {
      const code = word.charCodeAt(at);
      const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
      bytes[at - first] = lower;
      hash = mixed(hash, lower);
    }
    return this.find(bytes, 0, end - first, hash);
  }

  /** Good until the next call. */
  private bytesOf(text: string): Uint8Array {
    const bytes = this.roomFor(text.length);
    bytes.write(text, "latin1");
    return bytes;
  }

  private roomFor(length: number): Buffer {
    if (length > this.scratch.length) this.scratch = Buffer.alloc(length * 2);
    return this.scratch;
  }

  private other(word: string): number {
    let number = this.others.get(word);
    if (number === undefined) {
      const own = Buffer.from(word, "utf16le").toString("utf16le");
      number = this.take(0, this.used, this.used);
      this.others.set(own, number);
      this.met(own);
    }
    return number;
  }

  private find(
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
  ): number {
    if (end - start > this.most) return -1;
    const { places, mask } = this;
    let place = hash & mask;
    for (;;) {
      const number = places[place]! - 1;
      if (number < 0) return this.add(bytes, start, end, hash, place);
      if (this.hashes[number] === hash && this.is(number, bytes, start, end))
        return number;
      place = (place + 1) & mask;
    }
  }

  private is(
    number: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    let letter = this.starts[number]!;
    if (this.ends[number]! - letter !== end - start) return false;
    for (let at = start; at < end; at++, letter++)
      if (this.letters[letter] !== bytes[at]) return false;
    return true;
  }

  private add(
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
    place: number,
  ): number {
    const first = this.used;
    const last = first + end - start;
    if (last > this.letters.length)
      this.letters = Buffer.concat([this.letters], this.letters.length * 2);
    // Most are short: a view of them would take longer.
    for (let at = start; at < end; at++)
      this.letters[first + at - start] = bytes[at]!;
    this.used = last;
    const number = this.take(hash, first, last);
    this.places[place] = number + 1;
    if (this.count * 2 > this.mask) this.spread();
    // A text of its own: a part of the file's would hold all of it.
    this.met(this.letters.toString("latin1", first, last));
    return number;
  }

  private take(hash: number, start: number, end: number): number {
    const number = this.count++;
    if (number === this.hashes.length) {
      this.starts = larger(this.starts);
      this.ends = larger(this.ends);
      this.hashes = larger(this.hashes);
    }
    this.starts[number] = start;
    this.ends[number] = end;
    this.hashes[number] = hash;
    return number;
  }

  private spread(): void {
    const mask = this.places.length * 2 - 1;
    const places = new Int32Array(mask + 1);
    for (const taken of this.places) {
      if (taken === 0) continue;
      let place = this.hashes[taken - 1]! & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = taken;
    }
    this.places = places;
    this.mask = mask;
  }
}

const mixed = (hash: number, code: number): number => {
  const next = Math.imul(hash ^ code, 0x01000193);
  return next ^ (next >>> 7);
};

/** The same numbers in twice the room. */
export function larger<T extends Uint32Array | Int32Array>(numbers: T): T {
  const out = new (numbers.constructor as new (length: number) => T)(
    numbers.length * 2,
  );
  out.set(numbers);
  return out;
}
