/**
 * Reads a question: which of its words are names of code, which are paths, and
 * which terms the full-text index is asked for.
 */
import { identifiers, stem, nameParts } from "../model/terms.ts";
import type { Span } from "../model/span.ts";
import { lists } from "../spec.gen.ts";

export interface Query {
  /** Words that look like names of code, without their qualifiers; in order, once each. */
  readonly names: readonly QueryName[];
  /** Words that look like paths or file names, `/`-separated. */
  readonly paths: readonly QueryPath[];
  /** Terms of the full-text index with their share in the score. */
  readonly terms: ReadonlyMap<string, number>;
  /** The word of the question that a term comes from, as written. */
  readonly spelling: ReadonlyMap<string, string>;
  /** Asks about tests themselves: they are not ranked behind the code that they test. */
  readonly aboutTests: boolean;
  /** Asks who uses something. */
  readonly aboutUses: boolean;
  /** Consists of names alone: the answer is their definitions, not what resembles them. */
  readonly bag: boolean;
}

export interface QueryName {
  readonly name: string;
  /** What stands before it: `Cache` in `Cache.get`; empty without. */
  readonly qualifier: string;
  /** Written as no ordinary word is: it has a capital inside, an underscore, a digit, a qualifier or a call's parentheses. */
  readonly distinctive: boolean;
}

export interface QueryPath {
  readonly path: string;
  /** `core.py:10-40`, `core.py lines 10-40`; undefined for the whole file. */
  readonly lines: Span | undefined;
}

const STOP = new Set(lists.STOP_WORDS);
const USE_WORDS = new Set(lists.USE_WORDS);
const TEST_WORDS = new Set(lists.TEST_WORDS);
const PATH =
  /^(?:[\w.@~+-]+\/)*[\w.@~+-]*\.[A-Za-z]\w{0,9}$|^(?:[\w.@~+-]+\/)+[\w.@~+-]*$/;
const QUALIFIED =
  /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|#|\\)[A-Za-z_$~][\w$]*)*(?:\(\))?$/;

const LOCATED = /^(?<path>.*?\w):L?(?<first>\d{1,7})(?:-L?(?<last>\d{1,7}))?$/;
const LINES = /^L?(?<first>\d{1,7})(?:[-–]L?(?<last>\d{1,7}))?$/;

/** The lines that the words after a path ask for: `lines 10-40`, `line 7`, `L10-40`. */
function following(words: readonly string[], at: number): Span | undefined {
  const said = /^lines?$/i.test(words[at] ?? "");
  const found = LINES.exec(words[said ? at + 1 : at] ?? "");
  return found && (said || words[at]!.startsWith("L"))
    ? span(found)
    : undefined;
}

function span({ groups }: RegExpExecArray): Span | undefined {
  const first = Number(groups!.first);
  const last = Number(groups!.last ?? groups!.first);
  return first >= 1 && last >= first ? [first, last] : undefined;
}

/** @spec query-names-and-words query-about-tests query-lines query-about-uses */
export function readQuery(text: string): Query {
  const words = text
    .split(/[\s,;"'`|<>{}[\]]+/)
    .map((word) =>
      word
        .replace(/^[(*&!?.:]+(?=\w)/, "")
        .replace(/[?!.,:;*]+$/, "")
        .replace(/(?<!\()\)+$/, ""),
    )
    .filter((word) => word !== "");
  const names = new Map<string, QueryName>();
  const paths = new Map<string, QueryPath>();
  let plain = 0;
  for (const [i, whole] of words.entries()) {
    const located = LOCATED.exec(whole);
    const word = located?.groups!.path ?? whole;
    const isPath = PATH.test(word) && !/^\d/.test(word);
    if (isPath)
      paths.set(word, {
        path: word.replace(/^\.\//, ""),
        lines: located ? span(located) : following(words, i + 1),
      });
    if (QUALIFIED.test(word)) {
      const parts = word.replace(/\(\)$/, "").split(/\.|::|->|#|\\/);
      const name = parts.at(-1)!;
      const distinctive =
        parts.length > 1 ||
        word.endsWith("()") ||
        /[a-z].*[A-Z]|[A-Z]{2}.*[a-z]|[_$\d]/.test(name);
      if (!distinctive && STOP.has(name.toLowerCase())) {
        plain++;
        continue;
      }
      if (!distinctive) plain += name === name.toLowerCase() ? 1 : 0;
      if (!names.has(name) || distinctive)
        names.set(name, {
          name,
          qualifier: parts.length > 1 ? parts.at(-2)! : "",
          distinctive,
        });
    } else if (!isPath) plain++;
  }
  const terms = new Map<string, number>();
  const spelling = new Map<string, string>();
  const add = (term: string, word: string) => {
    terms.set(term, 1);
    if (!spelling.has(term)) spelling.set(term, word);
  };
  for (const word of identifiers(text)) {
    const lower = word.toLowerCase();
    if (STOP.has(lower) || (word.length < 2 && !/\d/.test(word))) continue;
    const parts = nameParts(word);
    if (parts.length > 1) add(lower, word);
    for (const part of parts)
      if (!STOP.has(part) || parts.length === 1)
        add(stem(part), parts.length > 1 ? part : word);
  }
  return {
    names: [...names.values()],
    paths: [...paths.values()],
    terms,
    spelling,
    aboutTests: words.some((word) => TEST_WORDS.has(word.toLowerCase())),
    aboutUses: words.some((word) => USE_WORDS.has(word.toLowerCase())),
    bag: plain === 0 && names.size > 0,
  };
}
