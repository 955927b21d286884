/**
 * What stands beside the source: how the named definitions reach each other, and
 * what depends on them.
 */
import type { Candidate, Ranking } from "../rank/candidates.ts";
import type { Use } from "../rank/graph.ts";
import type { FileRow } from "../model/file.ts";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import type { IndexReader, SymbolRow } from "../store/store.ts";
import { printable } from "./section.ts";

/** The call path in one line; empty where there is none. @spec answer-call-path */
export function callPath(
  path: readonly SymbolRow[],
  index: IndexReader,
): string {
  if (path.length < 2) return "";
  const steps = path.map((s) => definition(s, index));
  return say(wordings.CALL_PATH, { steps: steps.join(" → ") });
}

/**
 * The definitions whose dependents are worth telling: those that the question
 * names, or else what the best files define where they match.
 * @spec answer-dependents
 */
export function subjects(
  ranking: Ranking,
  limits: Pick<Limits, "MAX_SUBJECTS"> = fromSpec,
): SymbolRow[] {
  if (ranking.named.length > 0)
    return ranking.named.slice(0, limits.MAX_SUBJECTS);
  const out = new Map<string, SymbolRow>();
  for (const candidate of ranking.candidates.slice(0, limits.MAX_SUBJECTS)) {
    const s = defined(candidate);
    if (s && !out.has(s.name)) out.set(s.name, s);
  }
  return [...out.values()];
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

export interface DependentsOptions {
  /** UTF-16 units of all lines together. */
  readonly most: number;
  /** The question asks for uses: what has none is named too. */
  readonly asked: boolean;
  /** Whether a file's bytes are those that were indexed: of another its lines are not known. */
  readonly isCurrent?: (file: FileRow) => boolean;
}

/**
 * One line a definition: where it is used, as many uses as its share of `most`
 * holds. Definitions without a known use are left out unless `asked`.
 * @spec answer-dependents
 */
export function dependents(
  symbols: readonly SymbolRow[],
  { graph }: Pick<Ranking, "graph">,
  index: IndexReader,
  { most, asked, isCurrent = () => true }: DependentsOptions,
  limits: Pick<
    Limits,
    "USES_MAX_FILES" | "HINT_MAX_FILES" | "USES_LINE_CHARS"
  > = fromSpec,
): string[] {
  const lines: string[] = [];
  const files = asked ? limits.USES_MAX_FILES : limits.HINT_MAX_FILES;
  let left = most;
  symbols.forEach((symbol, i) => {
    const room = Math.floor(left / (symbols.length - i));
    if (room < limits.USES_LINE_CHARS) return;
    if (!isCurrent(index.file(symbol.file)!)) return;
    const found = graph.uses(symbol, files);
    const { more } = found;
    const uses = found.uses.filter((use) => isCurrent(use.file));
    const unsure = found.unsure.filter((use) => isCurrent(use.file));
    const name = definition(symbol, index);
    const rest =
      room -
      say(wordings.DEPENDENTS_LINE, { name, uses: "" }).length -
      say(wordings.MORE, { count: uses.length }).length -
      2 -
      (more ? wordings.MORE_ELSEWHERE.length + 2 : 0);
    let line = "";
    if (uses.length > 0)
      line = say(wordings.DEPENDENTS_LINE, {
        name,
        uses: listed(uses, rest, more, index),
      });
    else if (asked && more) return;
    else if (asked && unsure.length > 0)
      line = say(wordings.DEPENDENTS_UNSURE, {
        name,
        uses: listed(unsure, rest, more, index),
      });
    else if (asked) line = say(wordings.DEPENDENTS_NONE, { name });
    if (line === "" || line.length > left) return;
    left -= line.length + 1;
    lines.push(line);
  });
  return lines;
}

/** Uses by the definition that holds them, as many as there is room for, and how many more there are. */
function listed(
  uses: readonly Use[],
  room: number,
  more: boolean,
  index: IndexReader,
): string {
  const items: string[] = [];
  let used = 0;
  for (const use of uses) {
    const by = use.by ? `\`${printable(use.by.name)}\` ` : "";
    const item = `${by}${place(index, use.file.id, use.line)}`;
    if (items.length > 0 && used + item.length + 2 > room) break;
    items.push(item);
    used += item.length + 2;
  }
  const rest = uses.length - items.length;
  if (rest > 0) items.push(say(wordings.MORE, { count: rest }));
  if (more) items.push(wordings.MORE_ELSEWHERE);
  return items.join(", ");
}

const definition = (s: SymbolRow, index: IndexReader): string =>
  `\`${printable(s.name)}\` (${place(index, s.file, s.span[0])})`;

function place(index: IndexReader, file: number, line: number): string {
  return `${printable(index.file(file)!.path)}:${line}`;
}
