/**
 * Walks references: who uses a definition, and how named definitions reach each
 * other. Bounded, so that a name that everybody uses costs no more than another.
 */
import type { FileRow } from "../model/file.ts";
import type { Reference } from "../model/extraction.ts";
import { eachPosting } from "../model/segment.ts";
import { termsOf } from "../model/terms.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { IndexReader, SymbolRow } from "../store/store.ts";
import { means, type Target } from "./resolve.ts";

export interface Use {
  readonly file: FileRow;
  readonly line: number;
  /** The definition that holds the use; undefined at the top of a file. */
  readonly by: SymbolRow | undefined;
}

/** One call's view of the references: what was read once is not read again. */
export class Graph {
  private readonly index: IndexReader;
  private readonly limits: Limits;
  private readonly byFile = new Map<
    number,
    { all: Reference[]; imports: Reference[] }
  >();
  private readonly byName = new Map<string, Target[]>();
  private readonly reachedFrom = new Map<string, SymbolRow[]>();
  private readonly symbols = new Map<number, SymbolRow[]>();

  constructor(index: IndexReader, limits: Limits = fromSpec) {
    this.index = index;
    this.limits = limits;
  }

  /**
   * Where a definition is used, in order of path and line; imports of it not
   * counted. `more` says that the search stopped at a bound.
   * @spec graph-uses
   */
  uses(symbol: SymbolRow): { uses: Use[]; more: boolean } {
    const target = this.target(symbol);
    if (!target) return { uses: [], more: false };
    const { files, more } = this.filesWith(symbol.name);
    const uses: Use[] = [];
    for (const file of files) {
      const { all, imports } = this.references(file.id);
      const aliases = new Set(
        imports
          .filter((i) => i.alias !== "" && i.name === symbol.name)
          .map((i) => i.alias),
      );
      let last = 0;
      for (const r of all) {
        if (
          r.kind === "import" ||
          (r.name !== symbol.name && !aliases.has(r.name))
        )
          continue;
        if (file.id === symbol.file && this.holds(symbol, r)) continue;
        if (r.line === last || !means(r, file, imports, target)) continue;
        last = r.line;
        uses.push({
          file,
          line: r.line,
          by: this.symbolsOf(file.id)[r.within],
        });
      }
    }
    return { uses, more };
  }

  /** The definitions that a definition's body refers to; names that many definitions share are passed over. */
  reached(symbol: SymbolRow): SymbolRow[] {
    const key = `${symbol.file}:${symbol.ordinal}`;
    const known = this.reachedFrom.get(key);
    if (known) return known;
    const from = this.index.file(symbol.file);
    if (!from) return [];
    const { all, imports } = this.references(symbol.file);
    const out: SymbolRow[] = [];
    const tried = new Set<string>();
    for (const r of all) {
      if (r.kind === "import" || !this.holds(symbol, r)) continue;
      const name =
        imports.find((i) => i.alias !== "" && i.alias === r.name)?.name ??
        r.name;
      if (tried.has(`${r.qualifier}.${name}`)) continue;
      tried.add(`${r.qualifier}.${name}`);
      for (const target of this.targetsNamed(name))
        if (
          (target.symbol.file !== symbol.file ||
            target.symbol.ordinal !== symbol.ordinal) &&
          !out.includes(target.symbol) &&
          means({ ...r, name }, from, imports, target)
        )
          out.push(target.symbol);
    }
    this.reachedFrom.set(key, out);
    return out;
  }

  /**
   * Files that define what the matching passages of the best files refer to, with
   * the share of the votes that each gets, 0 to 1.
   * @spec graph-neighbours
   */
  neighbours(
    best: readonly {
      readonly file: FileRow;
      readonly score: number;
      readonly hits: readonly {
        readonly firstLine: number;
        readonly lastLine: number;
        readonly score: number;
      }[];
    }[],
  ): Map<number, number> {
    const votes = new Map<number, number>();
    for (const { file, score, hits } of best) {
      const { all, imports } = this.references(file.id);
      const voted = new Set<number>();
      const tried = new Set<string>();
      for (const hit of hits.slice(0, this.limits.NEIGHBOUR_PASSAGES))
        for (const r of all) {
          if (
            r.line < hit.firstLine ||
            r.line > hit.lastLine ||
            r.kind === "import" ||
            r.kind === "type"
          )
            continue;
          const name =
            imports.find((i) => i.alias !== "" && i.alias === r.name)?.name ??
            r.name;
          if (tried.has(`${r.qualifier}.${name}`)) continue;
          tried.add(`${r.qualifier}.${name}`);
          for (const target of this.targetsNamed(name))
            if (
              target.file.id !== file.id &&
              !voted.has(target.file.id) &&
              means({ ...r, name }, file, imports, target)
            ) {
              voted.add(target.file.id);
              votes.set(
                target.file.id,
                (votes.get(target.file.id) ?? 0) + score,
              );
            }
        }
    }
    const most = Math.max(...votes.values(), 1e-9);
    for (const [file, count] of votes) votes.set(file, count / most);
    return votes;
  }

  /**
   * The shortest chain of references that leads from one of `named` through as
   * many of the others as can be reached; empty where none leads to another.
   * @spec graph-call-path
   */
  path(named: readonly SymbolRow[]): SymbolRow[] {
    const key = (s: SymbolRow) => `${s.file}:${s.ordinal}`;
    const names = new Map<string, string>(named.map((s) => [key(s), s.name]));
    let best: SymbolRow[] = [];
    let budget = this.limits.PATH_MAX_VISITS;
    for (const start of named) {
      const chain = [start];
      const done = new Set([start.name]);
      for (;;) {
        const from = chain.at(-1)!;
        const queue: SymbolRow[][] = [[from]];
        const seen = new Set([key(from)]);
        let found: SymbolRow[] | undefined;
        while (queue.length > 0 && !found && budget > 0) {
          const way = queue.shift()!;
          if (way.length > this.limits.PATH_MAX_STEPS) continue;
          budget--;
          for (const next of this.reached(way.at(-1)!)) {
            if (seen.has(key(next))) continue;
            seen.add(key(next));
            const longer = [...way, next];
            const name = names.get(key(next));
            if (name !== undefined && !done.has(name)) {
              found = longer;
              break;
            }
            queue.push(longer);
          }
        }
        if (!found) break;
        chain.push(...found.slice(1));
        done.add(found.at(-1)!.name);
      }
      if (
        chain.length > 1 &&
        (best.length === 0 ||
          done.size >
            new Set(best.filter((s) => names.has(key(s))).map((s) => s.name))
              .size)
      )
        best = chain;
    }
    return best;
  }

  private target(symbol: SymbolRow): Target | undefined {
    const same = this.index
      .placesNamed(symbol.name, 3)
      .filter((s) => s.name === symbol.name);
    return this.targetOf(symbol, same.length === 1);
  }

  /** The definitions of a name; none where it has too many of them to mean anything. */
  private targetsNamed(name: string): Target[] {
    let found = this.byName.get(name);
    if (!found) {
      const most = this.limits.PATH_MAX_DEFINITIONS;
      const places = this.index
        .placesNamed(name, most * 4)
        .filter((s) => s.name === name);
      found =
        places.length > most
          ? []
          : places.flatMap((place) => {
              const symbol = this.index.symbolAt(place);
              return (
                (symbol && this.targetOf(symbol, places.length === 1)) ?? []
              );
            });
      this.byName.set(name, found);
    }
    return found;
  }

  private targetOf(symbol: SymbolRow, unique: boolean): Target | undefined {
    const file = this.index.file(symbol.file);
    if (!file) return undefined;
    const container =
      symbol.owner === "" && symbol.container >= 0
        ? this.index.symbolAt({ file: symbol.file, ordinal: symbol.container })
        : undefined;
    return { symbol, file, owner: container?.name ?? symbol.owner, unique };
  }

  /** Inside the definition, or inside what it contains. */
  private holds(symbol: SymbolRow, r: Reference): boolean {
    const symbols = this.symbolsOf(symbol.file);
    for (let at = r.within; at >= 0; at = symbols[at]?.container ?? -1)
      if (at === symbol.ordinal) return true;
    return false;
  }

  private filesWith(name: string): { files: FileRow[]; more: boolean } {
    const term = termsOf(name)[0];
    const ids = new Set<number>();
    if (term !== undefined)
      for (const [segment, data] of this.index.postings(term)) {
        const table = this.index
          .segments()
          .find((s) => s.id === segment)?.table;
        if (table)
          eachPosting(data, (passage) => ids.add(table.file[passage]!));
      }
    const files = [...ids]
      .flatMap((id) => this.index.file(id) ?? [])
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    return {
      files: files.slice(0, this.limits.USES_MAX_FILES),
      more: files.length > this.limits.USES_MAX_FILES,
    };
  }

  private references(file: number) {
    let found = this.byFile.get(file);
    if (!found) {
      const all = this.index.referencesOf(file);
      found = { all, imports: all.filter((r) => r.kind === "import") };
      this.byFile.set(file, found);
    }
    return found;
  }

  private symbolsOf(file: number): SymbolRow[] {
    let found = this.symbols.get(file);
    if (!found) this.symbols.set(file, (found = this.index.symbolsOf(file)));
    return found;
  }
}
