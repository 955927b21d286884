/**
 * Reads a question: which of its words are names of code, which are paths, and
 * which terms the full-text index is asked for.
 *
 * Units: UTF-16 units of text; lines are 1-based and inclusive.
 */
import { languages } from "../languages/index.ts";
import { identifiers, nameParts, stem } from "../model/terms.ts";
import type { Span } from "../model/span.ts";
import { limits as fromSpec, lists, type Limits } from "../spec.gen.ts";

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
  /** It was longer than what is read of it. */
  readonly cut: boolean;
}

export interface QueryName {
  readonly name: string;
  /** What stands before it: `Cache` in `Cache.get`; empty without. */
  readonly qualifier: string;
  /** Written as no ordinary word is: it has a capital inside, an underscore, a digit, a qualifier or a call's parentheses. */
  readonly distinctive: boolean;
  /** The same word read as a path; empty where it is none. */
  readonly path: string;
}

export interface QueryPath {
  readonly path: string;
  /** `core.py:10-40`, `core.py lines 10-40`; undefined for the whole file. */
  readonly lines: Span | undefined;
}

const STOP: ReadonlySet<string> = new Set(lists.STOP_WORDS);
const USE_WORDS: ReadonlySet<string> = new Set(lists.USE_WORDS);
const TEST_WORDS: ReadonlySet<string> = new Set(lists.TEST_WORDS);
const PATH =
  /^(?:[\p{L}\p{N}_.@~+-]+\/)*[\p{L}\p{N}_.@~+-]*\.[A-Za-z]\w{0,9}$|^(?:[\p{L}\p{N}_.@~+-]+\/)+[\p{L}\p{N}_.@~+-]*$/u;
const ENDINGS: ReadonlySet<string> = new Set(
  languages.flatMap((l) => l.endings),
);
const QUALIFIED =
  /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|->|#|\\)[\p{L}_$~][\p{L}\p{N}_$]*)*(?:\(\))?$/u;
/** What no prose spells so: a capital inside, an underscore, a digit. */
function isDistinctive(name: string): boolean {
  if (/[_$\p{N}]/u.test(name)) return true;
  // One search after the other: a pattern of it all takes the square of a long word.
  const small = name.search(/\p{Ll}/u);
  return (
    small >= 0 && (/\p{Lu}/u.test(name.slice(small)) || /\p{Lu}{2}/u.test(name))
  );
}
const LOCATED =
  /^(?<path>.*?[\p{L}\p{N}_]):L?(?<first>\d{1,7})(?:-L?(?<last>\d{1,7}))?$/u;
const LINES = /^L?(?<first>\d{1,7})(?:[-–]L?(?<last>\d{1,7}))?$/;

/** The lines that the words after a path ask for: `lines 10-40`, `line 7`, `L10-40`. */
function following(
  words: readonly string[],
  at: number,
): { readonly lines: Span | undefined; readonly words: number } {
  const said = /^lines?$/i.test(words[at] ?? "") ? 1 : 0;
  const found = LINES.exec(words[at + said] ?? "");
  const lines =
    found && (said || words[at]!.startsWith("L")) ? span(found) : undefined;
  return { lines, words: lines ? said + 1 : 0 };
}

function span({ groups }: RegExpExecArray): Span | undefined {
  const first = Number(groups!.first);
  const last = Number(groups!.last ?? groups!.first);
  return first >= 1 && last >= first ? [first, last] : undefined;
}

type QueryLimits = Pick<
  Limits,
  | "MAX_TERM_CHARS"
  | "QUERY_CHARS_READ"
  | "MAX_QUERY_NAMES"
  | "MAX_QUERY_PATHS"
  | "MAX_QUERY_TERMS"
>;

/** @spec query-names-and-words query-about-tests query-lines query-about-uses query-is-bounded */
export function readQuery(
  whole: string,
  limits: QueryLimits = fromSpec,
): Query {
  const text = whole.slice(0, limits.QUERY_CHARS_READ).toWellFormed();
  const words = wordsOf(text);
  /** Words that are meant as names, even where prose has them too. */
  const quoted = new Set(
    Array.from(text.matchAll(/`([^`\s]+)`/g), (found) => found[1]!),
  );
  const meant = words.length === 1 ? new Set(words) : quoted;
  const names = new Map<string, QueryName>();
  const paths = new Map<string, QueryPath>();
  /** Words that say what is asked for, not of what: they are no terms. */
  const without = new Set<string>();
  const aboutUses = words.some((word) => USE_WORDS.has(word.toLowerCase()));
  /** Words that could be a name: what only says that uses are asked for is none. */
  let others = 0;
  let plain = 0;
  for (let i = 0; i < words.length; i++) {
    const whole = words[i]!;
    const lower = whole.toLowerCase();
    // `callers of Find`: a capital inside a sentence is written for a name.
    const isName =
      meant.has(whole) || (aboutUses && i > 0 && /^\p{Lu}/u.test(whole));
    const says = STOP.has(lower) || USE_WORDS.has(lower);
    if (aboutUses && says && !isName) continue;
    others++;
    const place = LOCATED.exec(whole);
    const word = place?.groups!.path ?? whole;
    const isPath = PATH.test(word) && !/^\d/.test(word);
    const path = isPath ? word.replace(/^\.\//, "") : "";
    if (isPath && paths.size < limits.MAX_QUERY_PATHS) {
      const after = place ? undefined : following(words, i + 1);
      paths.set(word, { path, lines: place ? span(place) : after!.lines });
      // The ending of a file is no word of the question.
      const ending = /\.\w+$/.exec(path)?.[0].toLowerCase();
      if (ending && ENDINGS.has(ending))
        without.add(path.slice(1 - ending.length));
      if (place) without.add(whole.slice(word.length));
      for (let k = 0; k < (after?.words ?? 0); k++) without.add(words[++i]!);
    }
    const said = nameOf(word);
    const name = {
      ...said,
      distinctive: said.distinctive || quoted.has(whole),
      path,
    };
    if (!QUALIFIED.test(word) || name.name.length > limits.MAX_TERM_CHARS) {
      if (!isPath) plain++;
      continue;
    }
    if (!name.distinctive && !isName && STOP.has(name.name.toLowerCase())) {
      plain++;
      continue;
    }
    if (!name.distinctive && name.name === name.name.toLowerCase()) plain++;
    if (
      names.size < limits.MAX_QUERY_NAMES &&
      (!names.has(name.name) || name.distinctive)
    )
      names.set(name.name, name);
  }
  return {
    names: [...names.values()],
    paths: [...paths.values()],
    ...termsIn(text, without, meant, limits),
    aboutTests: words.some((word) => TEST_WORDS.has(word.toLowerCase())),
    aboutUses,
    bag: names.size + paths.size > 0 && (plain === 0 || others === 1),
    cut: whole.length > limits.QUERY_CHARS_READ,
  };
}

/** The words of a text, without the signs that prose puts around them. */
function wordsOf(text: string): string[] {
  return text
    .split(/[\s,;"'`|<>{}[\]]+/)
    .map((word) =>
      word
        .replace(/^[(*&!?.:]+(?=[\p{L}\p{N}_])/u, "")
        .replace(/[?!.,:;*]+$/, "")
        .replace(/(?<!\()\)+$/, "")
        // A call that somebody began to type.
        .replace(/(?<=^[\p{L}_$][\p{L}\p{N}_$.:]*)\($/u, "()"),
    )
    .filter((word) => word !== "");
}

function nameOf(word: string): Omit<QueryName, "path"> {
  const parts = word.replace(/\(\)$/, "").split(/\.|::|->|#|\\/);
  const name = parts.at(-1)!;
  return {
    name,
    qualifier: parts.length > 1 ? parts.at(-2)! : "",
    distinctive: parts.length > 1 || word.endsWith("()") || isDistinctive(name),
  };
}

function termsIn(
  text: string,
  without: ReadonlySet<string>,
  meant: ReadonlySet<string>,
  limits: QueryLimits,
): Pick<Query, "terms" | "spelling"> {
  const terms = new Map<string, number>();
  const spelling = new Map<string, string>();
  const add = (term: string, word: string) => {
    if (terms.size >= limits.MAX_QUERY_TERMS && !terms.has(term)) return;
    terms.set(term, 1);
    if (!spelling.has(term)) spelling.set(term, word);
  };
  const skipped = new Set([...without].flatMap((word) => identifiers(word)));

  for (const word of identifiers(text)) {
    const lower = word.toLowerCase();
    const isMeant = meant.has(word);
    if (STOP.has(lower) && !isMeant) continue;
    if (word.length < 2 && !/\d/.test(word) && !isMeant) continue;
    if (skipped.has(word) || word.length > limits.MAX_TERM_CHARS) continue;
    const parts = nameParts(word);
    if (parts.length > 1) add(lower, word);
    for (const part of parts)
      if (!STOP.has(part) || parts.length === 1 || isMeant)
        add(stem(part), parts.length > 1 ? part : word);
  }
  return { terms, spelling };
}
