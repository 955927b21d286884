/**
 * Turns files into a segment of the full-text index. One writer serves one
 * worker: what it learns about an identifier holds for every later file.
 */
import type { SymbolDefinition } from "../model/extraction.ts";
import { SegmentWriter, type Segment } from "../model/segment.ts";
import type { Span } from "../model/span.ts";
import {
  eachAsciiPart,
  identifiers,
  isAscii,
  nameParts,
  stem,
} from "../model/terms.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { larger, Words } from "./words.ts";

/** The lines of a file without their endings, or its bytes and where in them each begins if all are ASCII. */
export type Lines =
  | readonly string[]
  | { readonly bytes: Uint8Array; readonly starts: Uint32Array };

export interface TextFile {
  readonly id: number;
  readonly path: string;
  readonly lines: Lines;
  readonly symbols: readonly SymbolDefinition[];
  /** Consecutive spans over all lines. */
  readonly passages: readonly Span[];
}

type Weights = Pick<
  Limits,
  "NAME_WEIGHT" | "ENCLOSING_WEIGHT" | "PATH_WEIGHT" | "MAX_TERM_CHARS"
>;

/** @spec text-weights-names-and-paths */
export class TextWriter {
  private readonly segment = new SegmentWriter();
  private readonly words: Words;
  /** The parts of words in lower case, and the term of each by its number. */
  private readonly parts: Words;
  private ofParts = new Uint32Array(1 << 12);
  /** The terms of each word by its number, one after the other, and where those of each end. */
  private terms = new Uint32Array(1 << 13);
  private ends = new Uint32Array(1 << 12);
  private known = 0;
  private readonly names: string[] = [];
  private readonly numbers = new Words(Infinity, (term) =>
    this.names.push(term),
  );
  private readonly ofWords = new Counts();
  private readonly ofTerms = new Counts();
  private readonly limits: Weights;

  constructor(limits: Weights = fromSpec) {
    this.limits = limits;
    this.words = new Words(limits.MAX_TERM_CHARS, (word) => this.meet(word));
    let met = 0;
    this.parts = new Words(Infinity, (part) => {
      if (met === this.ofParts.length) this.ofParts = larger(this.ofParts);
      this.ofParts[met++] = this.numbers.number(stem(part));
    });
  }

  add(file: TextFile): void {
    const inPath = new Set<number>();
    for (const word of identifiers(file.path))
      this.eachTerm(this.words.number(word), (term) => inPath.add(term));
    const enclosing = new Enclosing(file.symbols);
    const once = (word: number): void => this.word(word, 1);
    for (const [first, last] of file.passages) {
      this.eachWord(file.lines, first, last, once);
      for (const name of enclosing.definedIn(first, last))
        this.word(this.words.number(name), this.limits.NAME_WEIGHT);
      for (const name of enclosing.openAt(first))
        this.word(this.words.number(name), this.limits.ENCLOSING_WEIGHT);
      for (const term of inPath)
        this.ofTerms.add(term, this.limits.PATH_WEIGHT);
      this.endPassage(file.id, first, last);
    }
  }

  /** The last thing a writer does. */
  finish(): Segment {
    return this.segment.finish(this.names);
  }

  private eachWord(
    lines: Lines,
    first: number,
    last: number,
    visit: (word: number) => void,
  ): void {
    if ("bytes" in lines) {
      const { bytes, starts } = lines;
      const end = starts[last] ?? bytes.length;
      this.words.eachIn(bytes, starts[first - 1]!, end, visit);
    } else
      for (let n = first; n <= last; n++)
        this.words.eachOf(lines[n - 1]!, visit);
  }

  private word(word: number, times: number): void {
    if (word >= 0) this.ofWords.add(word, times);
  }

  private eachTerm(word: number, visit: (term: number) => void): void {
    if (word < 0) return;
    const end = this.ends[word]!;
    for (let i = word === 0 ? 0 : this.ends[word - 1]!; i < end; i++)
      visit(this.terms[i]!);
  }

  /**
   * Finds the terms of a new word: those of `termsOf`, but no text is made of a part
   * that was met before.
   */
  private meet(word: string): void {
    const terms: number[] = [];
    let parts = 0;
    const take = (part: number): void => {
      const term = this.ofParts[part]!;
      if (!terms.includes(term)) terms.push(term);
      parts++;
    };
    if (isAscii(word)) {
      eachAsciiPart(word, (first, end) =>
        take(this.parts.lowerNumber(word, first, end)),
      );
      if (parts > 1) terms.push(this.numbers.lowerNumber(word, 0, word.length));
    } else {
      for (const part of nameParts(word)) take(this.parts.number(part));
      if (parts > 1)
        terms.push(this.numbers.number(word.normalize("NFC").toLowerCase()));
    }
    let end = this.known === 0 ? 0 : this.ends[this.known - 1]!;
    if (end + terms.length > this.terms.length) this.terms = larger(this.terms);
    if (this.known === this.ends.length) this.ends = larger(this.ends);
    for (const term of terms) this.terms[end++] = term;
    this.ends[this.known++] = end;
  }

  private endPassage(file: number, firstLine: number, lastLine: number): void {
    this.ofWords.take((word, times) =>
      this.eachTerm(word, (term) => this.ofTerms.add(term, times)),
    );
    let weight = 0;
    this.ofTerms.take((term, count) => {
      this.segment.put(term, count);
      weight += count;
    });
    this.segment.endPassage({ file, firstLine, lastLine, weight });
  }
}

/** How often each number came, and which came at all. */
class Counts {
  private counts = new Uint32Array(1 << 12);
  private touched = new Uint32Array(1 << 12);
  private many = 0;

  add(number: number, times: number): void {
    while (number >= this.counts.length) {
      this.counts = larger(this.counts);
      this.touched = larger(this.touched);
    }
    if (this.counts[number] === 0) this.touched[this.many++] = number;
    this.counts[number]! += times;
  }

  /** Tells all, and starts anew. */
  take(visit: (number: number, count: number) => void): void {
    for (let i = 0; i < this.many; i++) {
      const number = this.touched[i]!;
      visit(number, this.counts[number]!);
      this.counts[number] = 0;
    }
    this.many = 0;
  }
}

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
