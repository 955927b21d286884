/**
 * Walks references: who uses a definition, and how named definitions reach each
 * other. Bounded, so that a name that everybody uses costs no more than another.
 *
 * Errs: toward fewer. Every use and every step is a reference that stands in the
 * source; one whose meaning is not known is told apart, never passed as certain.
 */
import type { FileRow } from "../model/file.ts";
import type { Reference } from "../model/extraction.ts";
import { eachPosting } from "../model/segment.ts";
import { nameParts, termsOf } from "../model/terms.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { IndexReader, SymbolPlace, SymbolRow } from "../store/store.ts";
import { meaning, type Meaning, type Target } from "./resolve.ts";

export interface Use {
  readonly file: FileRow;
  readonly line: number;
  /** The definition that holds the use; undefined at the top of a file. */
  readonly by: SymbolRow | undefined;
}

export interface Uses {
  readonly uses: readonly Use[];
  /** References of that name whose meaning is not known. */
  readonly unsure: readonly Use[];
  /** The search stopped at a bound. */
  readonly more: boolean;
}

/** A file with what of it matches a question. */
export interface Voter {
  readonly file: FileRow;
  readonly score: number;
  readonly hits: readonly {
    readonly firstLine: number;
    readonly lastLine: number;
  }[];
}

/** What gets votes. */
export interface Neighbour {
  /** Its file's share of the most votes, 0 to 1. */
  readonly votes: number;
  /** The definitions that were voted for, those with most votes first. */
  readonly definitions: readonly SymbolRow[];
}

interface Definition extends Target {
  readonly place: SymbolPlace;
  readonly symbol: SymbolRow;
}

/** Exported before not, then by path and line: an order that does not hang on the index's ids. */
const key = (s: Pick<SymbolPlace, "file" | "ordinal">): string =>
  `${s.file}:${s.ordinal}`;

/** One call's view of the references: what was read once is not read again. */
export class Graph {
  private readonly index: IndexReader;
  private readonly limits: Limits;
  private readonly byFile = new Map<
    number,
    { all: Reference[]; imports: Reference[] }
  >();
  private readonly byName = new Map<string, readonly Definition[]>();
  private readonly reachedFrom = new Map<string, readonly SymbolRow[]>();
  private readonly symbols = new Map<number, SymbolRow[]>();
  private readonly usesOf = new Map<string, Uses>();

  constructor(index: IndexReader, limits: Limits = fromSpec) {
    this.index = index;
    this.limits = limits;
  }

  /**
   * Where a definition is used, in order of path and line, at most once a line;
   * imports of it not counted.
   * @spec graph-uses
   */
  uses(symbol: SymbolRow, most: number = this.limits.USES_MAX_FILES): Uses {
    const asked = `${key(symbol)}:${most}`;
    let found = this.usesOf.get(asked);
    if (!found) this.usesOf.set(asked, (found = this.used(symbol, most)));
    return found;
  }

  private used(symbol: SymbolRow, most: number): Uses {
    const { definitions, all } = this.named(symbol.name);
    const target =
      definitions.find((d) => key(d.place) === key(symbol)) ??
      this.definition(symbol, false);
    if (!target) return { uses: [], unsure: [], more: false };
    const { files, more } = this.filesWith(symbol.name, most);
    const uses: Use[] = [];
    const unsure: Use[] = [];
    for (const file of files) {
      const { all: references, imports } = this.references(file.id);
      const aliases = new Set(
        imports
          .filter((i) => i.alias !== "" && i.name === symbol.name)
          .map((i) => i.alias),
      );
      let last = 0;
      for (const r of references) {
        const isNamed = r.name === symbol.name || aliases.has(r.name);
        if (r.kind === "import" || r.line === last || !isNamed) continue;
        if (file.id === symbol.file && this.holds(symbol, r)) continue;
        const means = meaning(r, file, imports, target);
        if (means === "elsewhere") continue;
        const use: Use = {
          file,
          line: r.line,
          by: this.symbolsOf(file.id)[r.within],
        };
        if (means === "this") {
          last = r.line;
          uses.push(use);
        } else if (
          all &&
          !definitions.some(
            (d) => d !== target && meaning(r, file, imports, d) === "this",
          )
        )
          unsure.push(use);
      }
    }
    return { uses, unsure, more };
  }

  /** The definitions that a definition's body refers to; names that many definitions share are passed over. */
  reached(symbol: SymbolRow): readonly SymbolRow[] {
    const known = this.reachedFrom.get(key(symbol));
    if (known) return known;
    const from = this.index.file(symbol.file);
    const out = new Map<string, SymbolRow>();
    if (from)
      for (const target of this.meant(from, (r) => this.holds(symbol, r)))
        if (key(target.place) !== key(symbol))
          out.set(key(target.place), target.symbol);
    const reached = [...out.values()];
    this.reachedFrom.set(key(symbol), reached);
    return reached;
  }

  /**
   * Definitions to which the matching passages of the best files refer, by their
   * file, other files' only.
   * @spec graph-neighbours
   */
  neighbours(best: readonly Voter[]): ReadonlyMap<number, Neighbour> {
    const votes = new Map<number, number>();
    const found = new Map<string, [Definition, number]>();
    const vote = (
      from: FileRow,
      score: number,
      chosen: (r: Reference) => boolean,
    ) => {
      const voted = new Set<number>();
      for (const target of this.meant(from, chosen, true)) {
        const { id } = target.file;
        if (id === from.id) continue;
        if (!voted.has(id)) votes.set(id, (votes.get(id) ?? 0) + score);
        voted.add(id);
        const before = found.get(key(target.place))?.[1] ?? 0;
        found.set(key(target.place), [target, before + score]);
      }
    };
    for (const { file, score, hits } of best) {
      const within = hits.slice(0, this.limits.NEIGHBOUR_PASSAGES);
      vote(
        file,
        score,
        (r) =>
          r.kind !== "type" &&
          within.some((h) => h.firstLine <= r.line && r.line <= h.lastLine),
      );
    }
    const first = [...found.values()]
      .sort(byVotes)
      .slice(0, this.limits.NEIGHBOUR_FILES);
    for (const [{ file, symbol }, score] of first)
      vote(
        file,
        score * this.limits.NEXT_NEIGHBOUR_SHARE,
        (r) => r.kind !== "type" && this.holds(symbol, r),
      );
    const led = Map.groupBy(
      [...found.values()].sort(byVotes),
      ([{ file }]) => file.id,
    );
    const most = Math.max(...votes.values(), Number.MIN_VALUE);
    return new Map(
      [...votes].map(([id, count]) => [
        id,
        {
          votes: count / most,
          definitions: led.get(id)!.map(([d]) => d.symbol),
        },
      ]),
    );
  }

  /**
   * The shortest chain of references that leads from one of `named` through as
   * many of the others as can be reached; empty where none leads to another.
   * @spec graph-call-path
   */
  path(named: readonly SymbolRow[]): SymbolRow[] {
    const names = new Map<string, string>(named.map((s) => [key(s), s.name]));
    let best: SymbolRow[] = [];
    let most = 1;
    let visits = this.limits.PATH_MAX_VISITS;
    const toAnother = (from: SymbolRow, done: ReadonlySet<string>) => {
      const queue: SymbolRow[][] = [[from]];
      const seen = new Set([key(from)]);
      for (let way = queue.shift(); way; way = queue.shift()) {
        if (way.length > this.limits.PATH_MAX_STEPS || visits <= 0) continue;
        visits--;
        for (const next of this.reached(way.at(-1)!)) {
          if (seen.has(key(next))) continue;
          seen.add(key(next));
          const name = names.get(key(next));
          if (name !== undefined && !done.has(name)) return [...way, next];
          queue.push([...way, next]);
        }
      }
      return undefined;
    };
    for (const start of named) {
      const chain = [start];
      const done = new Set([start.name]);
      for (
        let way = toAnother(start, done);
        way;
        way = toAnother(chain.at(-1)!, done)
      ) {
        chain.push(...way.slice(1));
        done.add(way.at(-1)!.name);
      }
      if (done.size > most) {
        best = chain;
        most = done.size;
      }
    }
    return best;
  }

  /** Gives up what would be read again the same, but for the uses that were asked for. */
  rest(): void {
    for (const kept of [
      this.byFile,
      this.byName,
      this.reachedFrom,
      this.symbols,
    ])
      kept.clear();
  }

  /** All definitions of a file, in order. */
  symbolsOf(file: number): readonly SymbolRow[] {
    let found = this.symbols.get(file);
    if (!found) this.symbols.set(file, (found = this.index.symbolsOf(file)));
    return found;
  }

  /** What the chosen references of a file mean, each definition as often as it is meant by another name. */
  private *meant(
    from: FileRow,
    chosen: (r: Reference) => boolean,
    guess = false,
  ): Generator<Definition> {
    const { all, imports } = this.references(from.id);
    const aliases = new Map(
      imports.filter((i) => i.alias !== "").map((i) => [i.alias, i.name]),
    );
    const tried = new Set<string>();
    for (const r of all) {
      if (r.kind === "import" || !chosen(r)) continue;
      const name = aliases.get(r.name) ?? r.name;
      const said = `${r.qualifier}.${name}`;
      if (tried.has(said)) continue;
      tried.add(said);
      for (const target of this.named(name).definitions)
        if (
          isMeant(
            meaning({ ...r, name }, from, imports, target),
            guess,
            r,
            target,
          )
        )
          yield target;
    }
  }

  /**
   * The definitions of a name by path and line; none, and not `all`, where it has
   * too many of them to mean anything.
   */
  private named(name: string): {
    readonly definitions: readonly Definition[];
    readonly all: boolean;
  } {
    const most = this.limits.PATH_MAX_DEFINITIONS;
    let found = this.byName.get(name);
    if (!found) {
      const places = this.index.placesNamed(name, most + 1);
      const exact = places.filter((s) => s.name === name);
      found =
        places.length <= most
          ? exact
              .flatMap((s) => this.definition(s, exact.length === 1) ?? [])
              .sort(byPlace)
          : [];
      this.byName.set(name, found);
    }
    return { definitions: found, all: found.length > 0 };
  }

  /** What is not asked of it is not read. */
  private definition(
    place: SymbolPlace,
    unique: boolean,
  ): Definition | undefined {
    const { index } = this;
    const file = index.file(place.file);
    if (!file) return undefined;
    let symbol: SymbolRow | undefined;
    let owner: string | undefined;
    const read = () =>
      (symbol ??=
        this.symbols.get(place.file)?.[place.ordinal] ??
        index.symbolAt(place)!);
    return {
      place,
      file,
      unique,
      get symbol() {
        return read();
      },
      get owner() {
        return (owner ??= ownerOf(read(), index));
      },
    };
  }

  /** Inside the definition, or inside what it contains. */
  private holds(symbol: SymbolRow, r: Reference): boolean {
    if (r.line < symbol.span[0] || r.line > symbol.span[1]) return false;
    const symbols = this.symbolsOf(symbol.file);
    for (let at = r.within; at >= 0; at = symbols[at]?.container ?? -1)
      if (at === symbol.ordinal) return true;
    return false;
  }

  private filesWith(
    name: string,
    most: number,
  ): { files: FileRow[]; more: boolean } {
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
      files: files.slice(0, most),
      more: term === undefined || files.length > most,
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
}

/**
 * A guess takes the only definition of a name for what is meant, where nothing says
 * so or otherwise: a method by whatever is before the dot, and any by several words.
 */
function isMeant(
  means: Meaning,
  guess: boolean,
  { qualifier }: Reference,
  target: Definition,
): boolean {
  if (means !== "unknown" || !guess) return means === "this";
  if (!target.unique) return false;
  return (
    nameParts(target.place.name).length > 1 ||
    (qualifier !== "" && target.owner !== "")
  );
}

/** The name of the definition that contains it; empty at top level. */
export function ownerOf(symbol: SymbolRow, index: IndexReader): string {
  if (symbol.owner !== "" || symbol.container < 0) return symbol.owner;
  const { file, container: ordinal } = symbol;
  return index.symbolAt({ file, ordinal })?.name ?? "";
}

function byVotes(
  a: readonly [Definition, number],
  b: readonly [Definition, number],
): number {
  return b[1] - a[1] || byPlace(a[0], b[0]);
}

function byPlace(a: Definition, b: Definition): number {
  return a.file.path === b.file.path
    ? a.place.ordinal - b.place.ordinal
    : a.file.path < b.file.path
      ? -1
      : 1;
}
