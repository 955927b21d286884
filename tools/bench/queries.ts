/** Questions about a project, made of the names that its index holds. */
import { readFileSync } from "node:fs";
import { nameParts } from "../../src/model/terms.ts";
import type { IndexReader, SymbolRow } from "../../src/store/store.ts";

const KINDS: ReadonlySet<string> = new Set([
  "class",
  "struct",
  "interface",
  "function",
  "method",
]);

/**
 * As many questions as asked for, or fewer where the index is small: names, and
 * questions in plain words, in turn. The same index gives the same ones.
 */
export function questions(index: IndexReader, most: number): string[] {
  const files = index.files().filter((f) => f.role === "product");
  const step = Math.max(1, Math.floor(files.length / most));
  const out: string[] = [];
  for (let i = 0; i < files.length && out.length < most; i += step) {
    const telling = index
      .symbolsOf(files[i]!.id)
      .filter((s) => KINDS.has(s.kind) && nameParts(s.name).length > 1);
    const [one, other] = [telling[0], telling.at(-1)];
    if (one && other) out.push(question(out.length, one, other));
  }
  return out;
}

function question(n: number, one: SymbolRow, other: SymbolRow): string {
  const words = (s: SymbolRow) => nameParts(s.name).join(" ");
  switch (n % 4) {
    case 0:
      return `how does ${words(one)} work?`;
    case 1:
      return one.name;
    case 2:
      return `where is ${words(one)} used, and what calls ${words(other)}?`;
    default:
      return `${one.name} ${other.name}`;
  }
}

/** One question a line; blank lines are passed over. */
export const questionsIn = (file: string): string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/**
 * What agents ask: a name, a chain of calls, the same in words, a plain question, in
 * turn. As many as asked for, or fewer where the index is small; the same index gives
 * the same ones.
 */
export function conversations(index: IndexReader, most: number): string[] {
  const files = index.files().filter((f) => f.role === "product");
  const out = new Set<string>();
  // Every file in the end, but first those that lie apart.
  const step = Math.max(1, Math.floor(files.length / most));
  for (let from = 0; from < step && out.size < most; from++)
    for (let i = from; i < files.length && out.size < most; i += step) {
      const symbols = index.symbolsOf(files[i]!.id);
      const telling = symbols.filter(
        (s) => KINDS.has(s.kind) && nameParts(s.name).length > 1,
      );
      const one = telling[out.size % Math.max(1, telling.length)];
      if (one) out.add(asked(index, out.size, one, symbols));
    }
  return [...out];
}

function asked(
  index: IndexReader,
  n: number,
  one: SymbolRow,
  symbols: readonly SymbolRow[],
): string {
  const words = (s: { readonly name: string }) => nameParts(s.name).join(" ");
  const next = calledBy(index, one) ?? symbols.at(-1)!;
  switch (n % 4) {
    case 0:
      return one.name;
    case 1:
      return `${one.name} ${next.name}`;
    case 2:
      return `how does ${one.name} reach ${next.name}?`;
    default:
      return `how does ${words(one)} work, and where is ${words(next)} used?`;
  }
}

/** A definition that is called in another's body and has a name of its own. */
function calledBy(
  index: IndexReader,
  { file, span: [first, last] }: SymbolRow,
): { readonly name: string } | undefined {
  return index
    .referencesOf(file)
    .find(
      ({ kind, line, name }) =>
        kind === "call" &&
        first <= line &&
        line <= last &&
        index.placesNamed(name, 2).length === 1,
    );
}
