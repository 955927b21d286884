/**
 * Lists of unsigned integers as bytes: seven bits a byte, low bits first, the high
 * bit set on all but the last.
 *
 * Units: whole numbers from 0 to 2^32 - 1.
 */

/** @spec numbers-as-bytes */
export class VarintWriter {
  private bytes = new Uint8Array(256);
  private used = 0;

  /** Throws: RangeError on what is no number of that range: it would misplace all after it. */
  put(value: number): void {
    if (value >>> 0 !== value)
      throw new RangeError(`${value} is no unsigned 32-bit number`);
    if (this.used + 5 > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    const { bytes } = this;
    let { used } = this;
    let rest = value;
    while (rest > 0x7f) {
      bytes[used++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[used++] = rest;
    this.used = used;
  }

  get length(): number {
    return this.used;
  }

  /** A copy of what was put so far. */
  take(): Uint8Array {
    return this.bytes.slice(0, this.used);
  }
}

/** Reads what `VarintWriter` wrote; `at` is the next byte. Past the end it gives 0: ask `done` first. */
export class VarintReader {
  private readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  next(): number {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
      shift += 7;
    }
  }
}
