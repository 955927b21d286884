/**
 * What stands beside the source: how the named definitions reach each other, and
 * what depends on them.
 */
import type { Candidate, Ranking } from "../rank/candidates.ts";
import type { Graph } from "../rank/graph.ts";
import { say } from "../model/wording.ts";
import { limits, wordings } from "../spec.gen.ts";
import type { IndexReader, SymbolRow } from "../store/store.ts";
import { printable } from "./answer.ts";

/** The call path in one line; empty where there is none. @spec answer-call-path */
export function callPath(
  path: readonly SymbolRow[],
  index: IndexReader,
): string {
  if (path.length < 2) return "";
  const steps = path.map(
    (s) => `\`${s.name}\` (${place(index, s.file, s.span[0])})`,
  );
  return say(wordings.CALL_PATH, { steps: steps.join(" → ") });
}

/**
 * The definitions whose dependents are worth telling: those that the question
 * names, or else what the best files define where they match.
 */
export function subjects(ranking: Ranking): SymbolRow[] {
  const out = new Map<string, SymbolRow>();
  for (const s of ranking.named) if (!out.has(s.name)) out.set(s.name, s);
  if (out.size === 0)
    for (const candidate of ranking.candidates.slice(0, limits.MAX_SUBJECTS)) {
      const s = defined(candidate);
      if (s && !out.has(s.name)) out.set(s.name, s);
    }
  return [...out.values()].slice(0, limits.MAX_SUBJECTS);
}

function defined({ hits, symbols, file }: Candidate): SymbolRow | undefined {
  const hit = hits[0];
  if (!hit || file.role !== "product") return undefined;
  return symbols.find(
    (s) =>
      s.exported &&
      s.kind !== "field" &&
      s.span[0] >= hit.firstLine &&
      s.span[0] <= hit.lastLine,
  );
}

/**
 * One line a definition: where it is used, as many uses as its share of `most`
 * holds. Definitions without a known use are left out unless `always`.
 * @spec answer-dependents
 */
export function dependents(
  symbols: readonly SymbolRow[],
  graph: Graph,
  index: IndexReader,
  { most, always }: { readonly most: number; readonly always: boolean },
): string[] {
  const lines: string[] = [];
  let left = most;
  for (const symbol of symbols) {
    const { uses, more } = graph.uses(symbol);
    const name = `\`${symbol.name}\` (${place(index, symbol.file, symbol.span[0])})`;
    let line: string;
    if (uses.length === 0) {
      if (!always) continue;
      line = say(wordings.DEPENDENTS_NONE, { name });
    } else {
      const items: string[] = [];
      const room = left - name.length - limits.MARK_CHARS;
      let used = 0;
      for (const use of uses) {
        const item = `${use.by ? `\`${use.by.name}\` ` : ""}${place(index, use.file.id, use.line)}`;
        if (used + item.length + 2 > room) break;
        items.push(item);
        used += item.length + 2;
      }
      if (items.length === 0) break;
      if (uses.length > items.length || more)
        items.push(
          say(wordings.MORE, {
            count: `${uses.length - items.length}${more ? "+" : ""}`,
          }),
        );
      line = say(wordings.DEPENDENTS_LINE, { name, uses: items.join(", ") });
    }
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  return lines;
}

function place(index: IndexReader, file: number, line: number): string {
  return `${printable(index.file(file)!.path)}:${line}`;
}
