/**
 * Reads a question: which of its words are names of code, which are paths, and
 * which terms the full-text index is asked for.
 */
import { identifiers, stem, nameParts } from "../model/terms.ts";
import { lists } from "../spec.gen.ts";

export interface Query {
  /** Words that look like names of code, without their qualifiers; in order, once each. */
  readonly names: readonly QueryName[];
  /** Words that look like paths or file names, `/`-separated. */
  readonly paths: readonly string[];
  /** Terms of the full-text index with their share in the score. */
  readonly terms: ReadonlyMap<string, number>;
  /** Asks about tests themselves: they are not ranked behind the code that they test. */
  readonly aboutTests: boolean;
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

const STOP = new Set(lists.STOP_WORDS);
const TEST_WORDS = new Set(lists.TEST_WORDS);
const PATH = /^(?:[\w.@~+-]+\/)*[\w.@~+-]*\.[A-Za-z]\w{0,9}$|^(?:[\w.@~+-]+\/)+[\w.@~+-]*$/;
const QUALIFIED = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|#|\\)[A-Za-z_$~][\w$]*)*(?:\(\))?$/;

/** @spec query-names-and-words query-about-tests */
export function readQuery(text: string): Query {
  const words = text
    .split(/[\s,;"'`|<>{}[\]]+/)
    .map((word) => word.replace(/^[(*&!?.:]+(?=\w)/, "").replace(/[?!.,:;*]+$/, "").replace(/(?<!\()\)+$/, ""))
    .filter((word) => word !== "");
  const names = new Map<string, QueryName>();
  const paths = new Set<string>();
  let plain = 0;
  for (const word of words) {
    const isPath = PATH.test(word) && !/^\d/.test(word);
    if (isPath) paths.add(word.replace(/^\.\//, ""));
    if (QUALIFIED.test(word)) {
      const parts = word.replace(/\(\)$/, "").split(/\.|::|->|#|\\/);
      const name = parts.at(-1)!;
      const distinctive =
        parts.length > 1 || word.endsWith("()") || /[a-z].*[A-Z]|[A-Z]{2}.*[a-z]|[_$\d]/.test(name);
      if (!distinctive && STOP.has(name.toLowerCase())) {
        plain++;
        continue;
      }
      if (!distinctive) plain += name === name.toLowerCase() ? 1 : 0;
      if (!names.has(name) || distinctive)
        names.set(name, { name, qualifier: parts.length > 1 ? parts.at(-2)! : "", distinctive });
    } else if (!isPath) plain++;
  }
  const terms = new Map<string, number>();
  const add = (term: string, share: number) =>
    terms.set(term, Math.max(terms.get(term) ?? 0, share));
  for (const word of identifiers(text)) {
    const lower = word.toLowerCase();
    if (STOP.has(lower) || (word.length < 2 && !/\d/.test(word))) continue;
    const parts = nameParts(word);
    if (parts.length > 1) add(lower, 1);
    for (const part of parts)
      if (!STOP.has(part) || parts.length === 1) add(stem(part), 1);
  }
  return {
    names: [...names.values()],
    paths: [...paths],
    terms,
    aboutTests: words.some((word) => TEST_WORDS.has(word.toLowerCase())),
    bag: plain === 0 && names.size > 0,
  };
}
