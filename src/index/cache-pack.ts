/**
 * Packs: files of entries under keys, written once, whole or not at all, and never
 * changed. Who reads one needs no lock, and who writes one waits for nobody.
 *
 * A pack is a head that names its format, the entries one after the other, a table
 * of them sorted by the first bytes of their keys, and a tail that says where the
 * table is. An entry is a checksum, its key and its value.
 *
 * Units: bytes; numbers are 32 bits, low byte first.
 * Errs: toward not having an entry. What is not exactly as it was written is none.
 */
import { Buffer } from "node:buffer";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { READ_IN_PLACE } from "./read.ts";
import { uniqueDigits } from "./unique.ts";

/** Where an entry lies: the digest its key begins with, and what else tells it apart. */
export interface EntryKey {
  /** Hex digits, eight at least. */
  readonly digest: string;
  readonly kind: string;
}

/** An open pack. Plain data that threads can share: a file descriptor holds in all of them. */
export interface Pack {
  readonly name: string;
  readonly fd: number;
  /** Columns of the table, the first one sorted: the first 32 bits of the digest, place and length. */
  readonly heads: Uint32Array;
  readonly places: Uint32Array;
  readonly lengths: Uint32Array;
}

const U32 = Uint32Array.BYTES_PER_ELEMENT;
const COLUMNS = 3;
/** Entries, place of the table, checksum of both and of the table. */
const TAIL = 3 * U32;
const CHUNK = 1 << 18;

const headOf = (format: string): Buffer => Buffer.from(`${format}\n`, "latin1");
const keyText = ({ digest, kind }: EntryKey): string => `${digest} ${kind}\n`;
const first32 = ({ digest }: EntryKey): number =>
  Number.parseInt(digest.slice(0, 8), 16); // exempt spec-values-are-imported: eight hex digits are 32 bits

/**
 * Opens a pack of that format. "damaged" where what has its name is none, or is not
 * whole; undefined where that cannot be told now. Never follows a link. The caller
 * closes `fd`.
 */
export function openPack(
  folder: string,
  name: string,
  format: string,
): Pack | "damaged" | undefined {
  let fd: number;
  try {
    fd = openSync(join(folder, name), READ_IN_PLACE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ELOOP" ? "damaged" : undefined;
  }
  try {
    const pack = readTable(name, fd, headOf(format));
    if (pack) return pack;
  } catch {}
  closeSync(fd);
  return "damaged";
}

function readTable(name: string, fd: number, head: Buffer): Pack | undefined {
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.size < head.length + TAIL) return undefined;
  if (!readAt(fd, 0, head.length).equals(head)) return undefined;
  const tail = readAt(fd, stat.size - TAIL, TAIL);
  const count = tail.readUInt32LE(0);
  const at = tail.readUInt32LE(U32);
  const bytes = count * COLUMNS * U32;
  if (at + bytes + TAIL !== stat.size) return undefined;
  const table = new Uint32Array(new SharedArrayBuffer(bytes));
  const view = Buffer.from(table.buffer);
  if (readSync(fd, view, 0, bytes, at) !== bytes) return undefined;
  const sum = crc32(tail.subarray(0, 2 * U32), crc32(view));
  if (sum !== tail.readUInt32LE(2 * U32)) return undefined;
  return {
    name,
    fd,
    heads: table.subarray(0, count),
    places: table.subarray(count, 2 * count),
    lengths: table.subarray(2 * count),
  };
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at));
}

/** The value under a key in the first of the packs that has it; a view that holds until the next read. */
export class PackReader {
  private readonly packs: readonly Pack[];
  private bytes = Buffer.alloc(0);

  constructor(packs: readonly Pack[]) {
    this.packs = packs;
  }

  find(key: EntryKey): { value: Uint8Array; pack: Pack } | undefined {
    const head = first32(key);
    const text = keyText(key);
    for (const pack of this.packs)
      for (let i = lowest(pack.heads, head); pack.heads[i] === head; i++) {
        const entry = this.entry(pack, i);
        if (entry?.toString("latin1", U32, U32 + text.length) === text)
          return { value: entry.subarray(U32 + text.length), pack };
      }
    return undefined;
  }

  /** An entry as it lies in the file, checked. */
  entry(pack: Pack, i: number): Buffer | undefined {
    const length = pack.lengths[i]!;
    if (length > this.bytes.length)
      this.bytes = Buffer.alloc(Math.max(length, CHUNK));
    try {
      const got = readSync(pack.fd, this.bytes, 0, length, pack.places[i]!);
      if (got !== length || length < U32) return undefined;
    } catch {
      return undefined;
    }
    const entry = this.bytes.subarray(0, length);
    return crc32(entry.subarray(U32)) === entry.readUInt32LE(0)
      ? entry
      : undefined;
  }
}

/** The first place in a sorted list whose number is not below. */
function lowest(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Writes one pack under a passing name, and gives it its own at the end. A failure,
 * of whatever kind, ends it for good and leaves nothing.
 */
export class PackWriter {
  private readonly folder: string;
  private readonly name: string;
  private readonly head: Buffer;
  private room: number;
  /** The file, from its first entry on; "ended" when nothing more will be written. */
  private fd: number | "ended" | undefined;
  private readonly chunk = Buffer.alloc(CHUNK);
  private used = 0;
  private at = 0;
  private readonly heads: number[] = [];
  private readonly places: number[] = [];
  private readonly lengths: number[] = [];

  /** `room` is how large it may become; entries above that are passed over. */
  constructor(folder: string, name: string, format: string, room: number) {
    this.folder = folder;
    this.name = name;
    this.head = headOf(format);
    this.room = room;
  }

  put(key: EntryKey, value: Uint8Array): void {
    const text = Buffer.from(keyText(key), "latin1");
    const sum = Buffer.alloc(U32);
    sum.writeUInt32LE(crc32(value, crc32(text)));
    this.add(first32(key), [sum, text, value]);
  }

  /** Takes over an entry from another pack as it is. */
  copy(pack: Pack, i: number, entry: Uint8Array): void {
    this.add(pack.heads[i]!, [entry]);
  }

  private add(head: number, parts: readonly Uint8Array[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.guarded(() => {
      if (length + COLUMNS * U32 > this.room) return;
      this.room -= length + COLUMNS * U32;
      if (this.fd === undefined) {
        this.fd = openSync(
          join(this.folder, `${this.name}${PART}`),
          NEW,
          0o600,
        );
        this.write(this.head);
      }
      this.heads.push(head);
      this.places.push(this.at);
      this.lengths.push(length);
      for (const part of parts) this.write(part);
    });
  }

  /** Puts the pack in place, if anything was put into it. True where it did. */
  finish(): boolean {
    if (typeof this.fd !== "number") return false;
    this.guarded(() => {
      const order = Uint32Array.from(this.heads.keys()).sort(
        (a, b) => this.heads[a]! - this.heads[b]!,
      );
      const table = Buffer.alloc(order.length * COLUMNS * U32);
      let at = 0;
      for (const column of [this.heads, this.places, this.lengths])
        for (const i of order) at = table.writeUInt32LE(column[i]!, at);
      const tail = Buffer.alloc(TAIL);
      tail.writeUInt32LE(order.length, 0);
      tail.writeUInt32LE(this.at, U32);
      tail.writeUInt32LE(
        crc32(tail.subarray(0, 2 * U32), crc32(table)),
        2 * U32,
      );
      this.write(table);
      this.write(tail);
      this.flush();
      closeSync(this.fd as number);
      this.fd = "ended";
      const path = join(this.folder, this.name);
      renameSync(`${path}${PART}`, `${path}${PACK}`);
    });
    return typeof this.fd === "string" && !this.failed;
  }

  private failed = false;

  private guarded(step: () => void): void {
    if (this.fd === "ended") return;
    try {
      step();
    } catch {
      this.failed = true;
      this.abandon();
    }
  }

  /** Leaves nothing of it. */
  abandon(): void {
    try {
      if (typeof this.fd === "number") closeSync(this.fd);
      rmSync(join(this.folder, `${this.name}${PART}`), { force: true });
    } catch {}
    this.fd = "ended";
  }

  private write(bytes: Uint8Array): void {
    this.at += bytes.length;
    if (this.used + bytes.length > this.chunk.length) this.flush();
    if (bytes.length > this.chunk.length) writeAll(this.fd as number, bytes);
    else {
      this.chunk.set(bytes, this.used);
      this.used += bytes.length;
    }
  }

  private flush(): void {
    writeAll(this.fd as number, this.chunk.subarray(0, this.used));
    this.used = 0;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(fd, bytes, done, bytes.length - done);
}

/** Makes a file or fails: a link in its place is not followed. */
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
export const PACK = ".pack";
export const PART = ".part";

/** A name that no other pack has; `run` begins the names of one run's packs. */
export const packName = (run: string): string => `${run}-${uniqueDigits()}`;
