/** Extractions of short sources, and how tests and fixtures write them. */
import {
  createExtractor,
  grammarsOnDisk,
  type Extracted,
  type Extractor,
} from "../src/index/parse.ts";
import { detectLanguage, languageById } from "../src/languages/index.ts";
import type { Reference, SymbolDefinition } from "../src/model/extraction.ts";
import { printSpans } from "../src/model/span.ts";
import { limits, type Limits } from "../src/spec.gen.ts";

/** A table cell's source: `⏎` ends a line, `{12}` stands for twelve letters. */
export const sourceOf = (cell: string): string =>
  cell === "–" ? "" : lettersIn(cell).replaceAll("⏎", "\n");

export const lettersIn = (cell: string): string =>
  cell.replace(/\{(\d{3,})\}/g, (_, n: string) => "x".repeat(Number(n)));

/** The inverse of `lettersIn`. */
export const lettersOut = (text: string): string =>
  text.replace(/x{100,}/g, (run) => `{${run.length}}`);

/** One for all tests of a run: grammars take long to load, and it keeps nothing of a text. */
export const extractor: Promise<Extractor> = createExtractor(grammarsOnDisk());

/** The extraction of a source in a language by its id. */
export async function extracted(
  id: string,
  source: string,
  moved: Limits = limits,
): Promise<Extracted> {
  const language = languageById(id);
  if (!language) throw new Error(`no language ${id}`);
  await (await extractor).prepare(language);
  return (await extractor).extract(language, source, moved);
}

/** The extraction of a file, whose language its path tells. */
export function extractedFile(
  path: string,
  source: string,
): Promise<Extracted> {
  const language = detectLanguage(path, source);
  if (!language) throw new Error(`no language for ${path}`);
  return extracted(language.id, source);
}

export const orNone = (items: readonly string[], separator = " "): string =>
  items.join(separator) || "–";

/** `A/m` for a method in A, `A::m` for one that A owns. */
export function pathOf(
  symbols: readonly SymbolDefinition[],
  symbol: SymbolDefinition,
): string {
  const own =
    symbol.owner === "" ? symbol.name : `${symbol.owner}::${symbol.name}`;
  return symbol.container < 0
    ? own
    : `${pathOf(symbols, symbols[symbol.container]!)}/${own}`;
}

export const printReference = ({
  kind,
  name,
  qualifier,
  alias,
}: Reference): string =>
  kind === "import"
    ? `${name} from ${qualifier}${alias && ` as ${alias}`}`
    : `${qualifier && `${qualifier}.`}${name}`;

/**
 * An extraction as the files beside the fixtures write it: symbols indented under
 * their containers, then references by line.
 */
export function printExtraction({
  symbols,
  references,
  errorLine,
}: Extracted): string {
  const depth = (s: SymbolDefinition): number =>
    s.container < 0 ? 0 : 1 + depth(symbols[s.container]!);
  const lines = symbols.map(
    (s) =>
      `${"  ".repeat(depth(s))}${s.exported ? "+" : "-"} ${s.kind} ${s.owner && `${s.owner}::`}${s.name} ${printSpans([s.span])}` +
      `${s.signatureSpan[0] === s.span[0] && s.signatureSpan[1] === s.span[0] ? "" : ` head ${printSpans([s.signatureSpan])}`}` +
      `${s.doc && ` doc${s.docSpan ? ` ${printSpans([s.docSpan])}` : ""} "${s.doc}"`}`,
  );
  const uses = references.map(
    (r) =>
      `${r.line} ${r.kind} ${printReference(r)}${r.within < 0 ? "" : ` in ${symbols[r.within]!.name}`}`,
  );
  return [
    ...lines,
    "",
    ...uses,
    ...(errorLine ? ["", `error ${errorLine}`] : []),
    "",
  ].join("\n");
}
