/**
 * Turns files into a segment of the full-text index. One writer serves one
 * worker: what it learns about an identifier holds for every later file.
 */
import { Buffer } from "node:buffer";
import type { SymbolDefinition } from "../model/extraction.ts";
import { SegmentWriter, type Segment } from "../model/segment.ts";
import type { Span } from "../model/span.ts";
import { identifiers, termsOf } from "../model/terms.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface TextFile {
  readonly id: number;
  readonly path: string;
  /** The file's lines, without terminators. */
  readonly lines: readonly string[];
  readonly symbols: readonly SymbolDefinition[];
  /** Consecutive spans over all lines. */
  readonly passages: readonly Span[];
}

type Weights = Pick<Limits, "NAME_WEIGHT" | "ENCLOSING_WEIGHT" | "PATH_WEIGHT">;

/** @spec text-weights-names-and-paths */
export class TextWriter {
  private readonly segment = new SegmentWriter();
  private readonly numbers = new Map<string, number>();
  private readonly names: string[] = [];
  private readonly known = new Map<string, readonly number[]>();
  private counts = new Uint32Array(1 << 12);
  private touched: number[] = [];
  private readonly limits: Weights;

  constructor(limits: Weights = fromSpec) {
    this.limits = limits;
  }

  add(file: TextFile): void {
    const pathTerms = new Set(
      identifiers(file.path).flatMap((word) => this.termsOf(word)),
    );
    const enclosing = new Enclosing(file.symbols);
    for (const [first, last] of file.passages) {
      for (let n = first; n <= last; n++) this.line(file.lines[n - 1]!);
      for (const name of enclosing.definedIn(first, last))
        this.word(name, this.limits.NAME_WEIGHT);
      for (const name of enclosing.openAt(first))
        this.word(name, this.limits.ENCLOSING_WEIGHT);
      for (const term of pathTerms) this.count(term, this.limits.PATH_WEIGHT);
      this.endPassage(file.id, first, last);
    }
  }

  /** The last thing a writer does. */
  finish(): Segment {
    // Sorting takes room: what served the words is let go first.
    this.known.clear();
    this.numbers.clear();
    return this.segment.finish(this.names);
  }

  private line(text: string): void {
    for (const word of identifiers(text)) this.word(word, 1);
  }

  private word(identifier: string, times: number): void {
    for (const term of this.termsOf(identifier)) this.count(term, times);
  }

  private termsOf(identifier: string): readonly number[] {
    let terms = this.known.get(identifier);
    if (!terms) {
      const own = copied(identifier);
      terms = termsOf(own).map((term) => this.number(term));
      this.known.set(own, terms);
    }
    return terms;
  }

  private number(term: string): number {
    let number = this.numbers.get(term);
    if (number === undefined) {
      number = this.names.push(term) - 1;
      this.numbers.set(term, number);
    }
    return number;
  }

  private count(term: number, times: number): void {
    if (term >= this.counts.length) {
      const larger = new Uint32Array(
        Math.max(term + 1, this.counts.length * 2),
      );
      larger.set(this.counts);
      this.counts = larger;
    }
    if (this.counts[term] === 0) this.touched.push(term);
    this.counts[term]! += times;
  }

  private endPassage(file: number, firstLine: number, lastLine: number): void {
    let weight = 0;
    for (const term of this.touched) {
      const count = this.counts[term]!;
      this.segment.put(term, count);
      weight += count;
      this.counts[term] = 0;
    }
    this.touched = [];
    this.segment.endPassage({ file, firstLine, lastLine, weight });
  }
}

/** The same text in memory of its own: a part of a file's text would hold all of it. */
const copied = (text: string): string =>
  Buffer.from(text, "utf16le").toString("utf16le");

/** Answers, for passages asked in line order, which definitions begin in them and which are open at their start. */
class Enclosing {
  private readonly symbols: readonly SymbolDefinition[];
  private next = 0;
  private open: SymbolDefinition[] = [];

  constructor(symbols: readonly SymbolDefinition[]) {
    this.symbols = symbols;
  }

  *openAt(line: number): Generator<string> {
    this.open = this.open.filter((s) => s.span[1] >= line);
    for (const s of this.open) if (s.span[0] < line) yield s.name;
  }

  *definedIn(first: number, last: number): Generator<string> {
    for (; this.next < this.symbols.length; this.next++) {
      const symbol = this.symbols[this.next]!;
      if (symbol.span[0] > last) return;
      if (symbol.span[0] >= first) yield symbol.name;
      this.open.push(symbol);
    }
  }
}
