/**
 * What to offer when a question meets nothing: names that are spelt alike, and
 * the words of which the project's names are made.
 */
import { nameParts } from "../model/terms.ts";
import { limits as fromSpec, lists, type Limits } from "../spec.gen.ts";
import type { IndexReader } from "../store/store.ts";

/** Names of definitions that are spelt like `word`, nearest first. @spec nearest-names */
export function nearestNames(
  index: IndexReader,
  word: string,
  limits: Limits = fromSpec,
): string[] {
  const wanted = word.toLowerCase();
  if (wanted.length < limits.NEAR_PREFIX_CHARS) return [];
  const most = Math.max(1, Math.floor(wanted.length * limits.NEAR_SHARE));
  const prefix = wanted.slice(0, limits.NEAR_PREFIX_CHARS);
  const names = new Set(
    index
      .termsWithPrefix(prefix, limits.NEAR_MAX_TERMS)
      .filter((term) => distance(term, wanted, most) <= most)
      .flatMap((term) =>
        index.placesNamed(term, limits.MAX_DEFINITIONS).map((s) => s.name),
      ),
  );
  // A name of one part is a term by its stem alone.
  if (names.size === 0)
    for (const name of index.symbolNames(limits.VOCABULARY_SAMPLE))
      if (name.slice(0, prefix.length).toLowerCase() === prefix)
        names.add(name);
  return [...names]
    .map((name) => ({
      name,
      far: distance(name.toLowerCase(), wanted, most),
    }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, limits.MAX_NAMES_IN_NOTE)
    .map(({ name }) => name);
}

/** The parts that most names of definitions share, the most frequent first. @spec nearest-vocabulary */
export function vocabulary(
  index: IndexReader,
  limits: Limits = fromSpec,
): string[] {
  const counts = new Map<string, number>();
  const stop = new Set(lists.STOP_WORDS);
  for (const name of index.symbolNames(limits.VOCABULARY_SAMPLE))
    for (const part of new Set(nameParts(name)))
      if (part.length > 2 && !stop.has(part))
        counts.set(part, (counts.get(part) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, limits.MAX_VOCABULARY)
    .map(([part]) => part);
}

/** Edits that turn one word into the other; `most + 1` for anything above `most`. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row.push(
        Math.min(
          row[j - 1]! + 1,
          before[j]! + 1,
          before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      );
    if (Math.min(...row) > most) return most + 1;
    before = row;
  }
  return Math.min(before[b.length]!, most + 1);
}
