/**
 * Facts of a query → symbols and references: who contains whom, what is local,
 * what is visible, which comment belongs to what.
 *
 * Nesting is by span and is swept with a stack of its own: depth of nesting in the
 * source is no depth of calls here.
 *
 * Units: facts are in UTF-16 offsets; the result is in 1-based lines.
 * Errs: toward fewer symbols. A variable that may be local is left out.
 */
import type {
  Extraction,
  Reference,
  SymbolDefinition,
  SymbolKind,
} from "../../model/extraction.ts";
import type { Limits } from "../../spec.gen.ts";
import type { Language } from "../../languages/language.ts";
import { docAbove, unmarked } from "./comments.ts";
import type { DefinitionFact, Facts, Range } from "./facts.ts";
import { fold, isBlank, type Folded } from "./fold.ts";

export type AssembleLimits = Pick<Limits, "SIGNATURE_CHARS" | "DOC_CHARS">;

const TYPES: ReadonlySet<SymbolKind> = new Set([
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
]);
const VALUES: ReadonlySet<SymbolKind> = new Set([
  "variable",
  "constant",
  "field",
]);

/** A definition on its way to a symbol. */
interface Draft {
  readonly fact: DefinitionFact;
  kind: SymbolKind;
  owner: string;
  marked: boolean;
  /** Draft index before dropping. */
  parent: number;
  dropped: boolean;
  start: number;
}

/** @spec nesting-containers local-variables claimed-names exported-symbols */
export function assemble(
  text: string,
  starts: Uint32Array,
  facts: Facts,
  language: Language,
  limits: AssembleLimits,
): Omit<Extraction, "errorLine"> {
  const claims = claimed(facts);
  const definitions = firstOfEach(
    facts.definitions.filter((d) => claims.get(d.nameAt) === d.pattern),
  );
  definitions.sort(
    (a, b) => a.start - b.start || b.end - a.end || a.nameAt - b.nameAt,
  );

  const drafts = nested(definitions, facts, language);
  widen(text, drafts, facts);
  dropLocals(drafts, language);
  dropRepeats(drafts, language);

  const lineOf = lineFinder(starts);
  const kept: Draft[] = [];
  const place = new Int32Array(drafts.length).fill(-1);
  const order = drafts.map((_, i) => i).filter((i) => !drafts[i]!.dropped);
  order.sort((a, b) => drafts[a]!.start - drafts[b]!.start || a - b);
  for (const i of order) {
    place[i] = kept.length;
    kept.push(drafts[i]!);
  }

  const docstrings = facts.docstrings.length
    ? new Map(facts.docstrings.map((d) => [d.start, d]))
    : undefined;
  const attributeEnds = new Map(facts.attributes.map((a) => [a.start, a.end]));
  const symbols: SymbolDefinition[] = [];
  for (const draft of kept) {
    const { fact, kind } = draft;
    const container = draft.parent < 0 ? -1 : place[draft.parent]!;
    const first = lineOf(draft.start);
    const last = Math.max(first, lineOf(lastInk(text, draft.start, fact.end)));
    const head = headStart(text, draft.start, fact, attributeEnds);
    const bodyAt = fact.bodyAt >= head ? fact.bodyAt : -1;
    const headLine = lineOf(head);
    const stop =
      bodyAt >= 0
        ? bodyAt
        : VALUES.has(kind) || kind === "macro"
          ? Math.min(fact.end, endOfLine(text, starts, lineOf(fact.nameAt)))
          : fact.end;
    const signature = signatureOf(text, head, stop, limits.SIGNATURE_CHARS);
    const signatureLast = Math.min(
      last,
      // An opening brace belongs to the signature; a first statement on its own line does not.
      bodyAt >= 0 && text[bodyAt] === "{"
        ? lineOf(bodyAt)
        : lineOf(lastInk(text, head, signature.end)),
    );
    const docstring = bodyAt >= 0 ? docstrings?.get(bodyAt) : undefined;
    const above = docstring
      ? undefined
      : (docAbove(text, starts, first, language.comments, limits.DOC_CHARS) ??
        (headLine > first
          ? docAbove(
              text,
              starts,
              headLine,
              language.comments,
              limits.DOC_CHARS,
            )
          : undefined));
    const parent = container < 0 ? undefined : symbols[container];
    const inBody =
      parent !== undefined &&
      (parent.kind === "function" || parent.kind === "method");
    const exported =
      !inBody &&
      language.exported({
        name: fact.name,
        kind,
        modifiers: text.slice(head, fact.nameAt),
        marked:
          draft.marked || (container < 0 && facts.exportedNames.has(fact.name)),
        inside: parent?.kind,
        outer: parent?.exported ?? true,
      });
    symbols.push({
      name: fact.name,
      kind,
      span: [first + 1, last + 1],
      signatureSpan: [headLine + 1, Math.max(headLine, signatureLast) + 1],
      container,
      owner: draft.owner,
      signature: signature.text,
      doc: docstring
        ? unmarked(
            quotesOff(text.slice(docstring.start, docstring.end)),
            language.comments,
            limits.DOC_CHARS,
          )
        : (above?.text ?? ""),
      docSpan:
        above && above.first < headLine
          ? [above.first + 1, above.last + 1]
          : undefined,
      exported,
    });
  }
  return {
    symbols,
    references: referencesOf(facts, claims, kept, symbols, language, lineOf),
  };
}

/** The lowest pattern that names each offset. */
function claimed(facts: Facts): Map<number, number> {
  const claims = new Map<number, number>();
  const claim = (at: number, pattern: number): void => {
    const other = claims.get(at);
    if (other === undefined || pattern < other) claims.set(at, pattern);
  };
  for (const d of facts.definitions) claim(d.nameAt, d.pattern);
  for (const t of facts.taken) claim(t.at, t.pattern);
  for (const r of facts.references) {
    claim(r.nameAt, r.pattern);
    if (r.aliasAt >= 0) claim(r.aliasAt, r.pattern);
  }
  return claims;
}

/** One definition a name, and one a body: `const f = function f() {}` is one function. */
function firstOfEach(definitions: DefinitionFact[]): DefinitionFact[] {
  const names = new Set<number>();
  const bodies = new Map<number, DefinitionFact>();
  for (const d of definitions) {
    if (d.bodyAt < 0) continue;
    const other = bodies.get(d.bodyAt);
    if (other === undefined || d.start < other.start) bodies.set(d.bodyAt, d);
  }
  return definitions.filter((d) => {
    // A name that the parser made up to mend an error is empty.
    if (d.name === "" || names.has(d.nameAt)) return false;
    names.add(d.nameAt);
    return d.bodyAt < 0 || bodies.get(d.bodyAt) === d;
  });
}

interface Entry extends Range {
  readonly role: "def" | "local" | "scope" | "export";
  readonly index: number;
  /** What holds inside of it: the innermost definition, and what lies between. */
  def: number;
  owner: string;
  local: boolean;
}

const RANK = { export: 0, scope: 1, def: 2, local: 3 } as const;

/** Finds the parent of each definition, its owner, and whether an export wraps it. */
function nested(
  definitions: readonly DefinitionFact[],
  facts: Facts,
  language: Language,
): Draft[] {
  const entry =
    (role: Entry["role"]) =>
    ({ start, end }: Range, index: number): Entry => ({
      start,
      end,
      role,
      index,
      def: -1,
      owner: "",
      local: false,
    });
  const entries = [
    ...facts.exports.map(entry("export")),
    ...facts.scopes.map(entry("scope")),
    ...facts.locals.map(entry("local")),
    ...definitions.map(entry("def")),
  ];
  entries.sort(
    (a, b) =>
      a.start - b.start ||
      b.end - a.end ||
      RANK[a.role] - RANK[b.role] ||
      a.index - b.index,
  );
  const drafts: Draft[] = new Array(definitions.length);
  const stack: Entry[] = [];
  for (const here of entries) {
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const siblings =
        here.role === "def" &&
        top.role === "def" &&
        top.start === here.start &&
        top.end === here.end;
      if (!siblings && top.end >= here.end && top.end > here.start) break;
      stack.pop();
    }
    const above = stack.at(-1);
    here.def = above?.def ?? -1;
    here.owner = above?.owner ?? "";
    here.local = above?.local ?? false;
    if (here.role === "scope") here.owner = facts.scopes[here.index]!.name;
    else if (here.role === "local")
      here.local ||= !isBodyOf(here, above, definitions);
    else if (here.role === "def") {
      const fact = definitions[here.index]!;
      const said =
        fact.owner === ""
          ? undefined
          : (language.owner?.(fact.owner) ?? { name: fact.owner });
      drafts[here.index] = {
        fact,
        kind: fact.kind,
        owner: said?.name ?? here.owner,
        marked: above?.role === "export" || (said?.exports ?? false),
        parent: here.def,
        dropped: here.local && VALUES.has(fact.kind),
        start: fact.start,
      };
      here.def = here.index;
      here.owner = "";
      here.local = false;
    }
    stack.push(here);
  }
  return drafts;
}

/** The block of a module or a type is no local block. */
function isBodyOf(
  local: Entry,
  below: Entry | undefined,
  definitions: readonly DefinitionFact[],
): boolean {
  if (below?.role !== "def") return false;
  const def = definitions[below.index]!;
  return (
    def.bodyAt === local.start && (def.kind === "module" || TYPES.has(def.kind))
  );
}

const BLANK_OR_COMMENT = /^(?:\s|\/\/[^\n]*\n|#[^\n]*\n|\/\*[^]*?\*\/)*$/;

/** Moves starts left over wrappers, leading words of the line, and attributes. */
function widen(text: string, drafts: readonly Draft[], facts: Facts): void {
  const wraps = new Map<number, number>();
  for (const w of [...facts.wraps, ...facts.exports]) {
    const other = wraps.get(w.end);
    if (other === undefined || w.start < other) wraps.set(w.end, w.start);
  }
  const attributes = facts.attributes.length
    ? facts.attributes.toSorted((a, b) => a.end - b.end)
    : facts.attributes;
  for (const [i, draft] of drafts.entries()) {
    const { end } = draft.fact;
    // A wrapper belongs to the first definition in it: `export const a = 1, b = 2`.
    const before =
      i > 0 && i - 1 !== draft.parent ? drafts[i - 1]!.fact.start : -1;
    for (const at of [wraps.get(end), wraps.get(end + 1)])
      if (at !== undefined && at < draft.start && at > before) draft.start = at;
    draft.start = leadStart(text, draft.start);
    for (let i = lastEndingBy(attributes, draft.start); i >= 0; i--) {
      const a = attributes[i]!;
      if (!BLANK_OR_COMMENT.test(text.slice(a.end, draft.start))) break;
      draft.start = Math.min(a.start, draft.start);
    }
  }
}

/** Over the words that stand between the line's beginning and a definition: `export const`. */
function leadStart(text: string, start: number): number {
  let lead = start;
  for (let at = start - 1; at >= 0; at--) {
    const c = text.charCodeAt(at);
    if (isWord(c)) lead = at;
    else if (c !== 0x20 && c !== 0x09)
      return c === 0x0a || c === 0x0d ? lead : start;
  }
  return lead;
}

const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f;

/** Index of the last range that ends at or before `at`; -1 for none. */
function lastEndingBy(ranges: readonly Range[], at: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (ranges[mid]!.end <= at) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

/** Settles kinds that depend on the container, and drops what is local. */
function dropLocals(drafts: readonly Draft[], language: Language): void {
  // A parent stands before its children in this list.
  for (const draft of drafts) {
    const parent = draft.parent < 0 ? undefined : drafts[draft.parent]!;
    const into = parent?.kind;
    const inType = into !== undefined && TYPES.has(into);
    if (draft.kind === "function" && (inType || draft.owner !== ""))
      draft.kind = "method";
    // A method of nothing is a function: Ruby's top level, a function in an unnamed object.
    if (draft.kind === "method" && into === undefined && draft.owner === "")
      draft.kind = "function";
    if (draft.kind === "variable" && draft.owner !== "") draft.kind = "field";
    if (VALUES.has(draft.kind)) {
      // A constructor's parameter that is a field belongs to the class.
      if (draft.kind === "field" && into === "method")
        draft.parent = parent!.parent;
      else if (inType || (into === "type" && draft.kind === "field")) {
        if (draft.kind === "variable") draft.kind = "field";
      } else if (into !== undefined && into !== "module") draft.dropped = true;
      if (
        draft.kind === "variable" &&
        language.constantName?.test(draft.fact.name)
      )
        draft.kind = "constant";
    }
  }
  for (const draft of drafts) {
    // Children of what was dropped belong to the next definition out.
    while (draft.parent >= 0 && drafts[draft.parent]!.dropped)
      draft.parent = drafts[draft.parent]!.parent;
  }
}

/** A variable that is assigned again is one symbol: its first assignment. */
function dropRepeats(drafts: readonly Draft[], language: Language): void {
  const seen = new Set<string>();
  const key = (d: Draft): string => `${d.parent} ${d.owner} ${d.fact.name}`;
  for (const d of drafts) {
    if (d.dropped || !VALUES.has(d.kind)) continue;
    if (seen.has(key(d))) d.dropped = true;
    seen.add(key(d));
  }
  if (!language.forwardDeclarations) return;
  const defined = new Set<string>();
  const types = new Set<string>();
  for (const d of drafts) {
    if (d.fact.bodyAt < 0) continue;
    defined.add(key(d));
    if (TYPES.has(d.kind)) types.add(key(d));
  }
  for (const d of drafts) {
    if (d.fact.bodyAt >= 0) continue;
    if (d.kind === "function" || d.kind === "method") {
      const into = d.parent < 0 ? undefined : drafts[d.parent]!.kind;
      // A declaration in a function is a prototype or, in C++, a variable that reads like one.
      if (defined.has(key(d)) || into === "function" || into === "method")
        d.dropped = true;
    }
    // `typedef struct name {…} name;` is one type.
    if (d.kind === "type" && types.has(key(d))) d.dropped = true;
  }
}

function lineFinder(starts: Uint32Array): (at: number) => number {
  return (at) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (starts[mid]! <= at) low = mid + 1;
      else high = mid;
    }
    return Math.max(0, low - 1);
  };
}

/** Offset of the last character of a range that is not white space. */
function lastInk(text: string, start: number, end: number): number {
  let at = end - 1;
  while (at > start && isBlank(text.charCodeAt(at))) at--;
  return at;
}

const endOfLine = (text: string, starts: Uint32Array, line: number): number =>
  line + 1 < starts.length ? starts[line + 1]! : text.length;

/** Where the signature begins: behind the attributes that stand before it. */
function headStart(
  text: string,
  start: number,
  fact: DefinitionFact,
  attributeEnds: ReadonlyMap<number, number>,
): number {
  let at = start;
  for (;;) {
    const end = attributeEnds.get(at);
    if (end === undefined || end > fact.nameAt) return at;
    at = end;
    const gap = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*/.exec(
      text.slice(at, fact.nameAt),
    );
    at += gap ? gap[0].length : 0;
  }
}

/** @spec signature-text */
function signatureOf(
  text: string,
  start: number,
  stop: number,
  chars: number,
): Folded {
  const { text: flat, end } = fold(text, start, stop, chars);
  return { text: flat.replace(/\s*(?:=>|[:;={]|\bdo)$/, "").trimEnd(), end };
}

const quotesOff = (text: string): string =>
  text.replace(/^\w*("""|'''|"|')/, "").replace(/("""|'''|"|')$/, "");

function referencesOf(
  facts: Facts,
  claims: ReadonlyMap<number, number>,
  kept: readonly Draft[],
  symbols: readonly SymbolDefinition[],
  language: Language,
  lineOf: (at: number) => number,
): Reference[] {
  const found = facts.references
    .filter((r) => {
      if (claims.get(r.nameAt) !== r.pattern) return false;
      if (r.kind === "call")
        return !(
          r.qualifier === "" &&
          (language.builtinCalls?.has(r.name) ||
            language.builtinTypes?.has(r.name))
        );
      return (
        r.kind === "import" || !(language.builtinTypes?.has(r.name) ?? false)
      );
    })
    .sort((a, b) => a.nameAt - b.nameAt || a.pattern - b.pattern);
  const parameters = new Set<string>();
  const within = sweep(kept);
  if (facts.typeParameters.length > 0) {
    const at = within();
    for (const p of facts.typeParameters.toSorted((a, b) => a.at - b.at))
      parameters.add(`${at(p.at)} ${p.name}`);
  }
  const at = within();
  const out: Reference[] = [];
  let last = "";
  for (const r of found) {
    const inside = at(r.nameAt);
    if (
      r.kind === "type" &&
      parameters.size > 0 &&
      isParameter(r.name, inside, parameters, symbols)
    )
      continue;
    const key = `${r.nameAt} ${r.kind} ${r.name} ${r.alias}`;
    if (key === last) continue;
    last = key;
    out.push({
      name: r.name,
      kind: r.kind,
      line: lineOf(r.nameAt) + 1,
      within: inside,
      qualifier: r.qualifier,
      alias: r.alias,
    });
  }
  return out;
}

function isParameter(
  name: string,
  inside: number,
  parameters: ReadonlySet<string>,
  symbols: readonly SymbolDefinition[],
): boolean {
  for (let i = inside; ; i = symbols[i]!.container) {
    if (parameters.has(`${i} ${name}`)) return true;
    if (i < 0) return false;
  }
}

/** For offsets asked in ascending order: the index of the innermost definition around each. */
function sweep(kept: readonly Draft[]): () => (at: number) => number {
  return () => {
    const stack: number[] = [];
    let next = 0;
    return (at) => {
      while (next < kept.length && kept[next]!.start <= at) {
        const { start, fact } = kept[next]!;
        // Definitions of one span share it: each begins at its name.
        const before = stack.at(-1);
        if (
          before !== undefined &&
          kept[before]!.start === start &&
          kept[before]!.fact.end === fact.end
        ) {
          if (fact.nameAt > at) break;
          stack.pop();
        }
        while (stack.length > 0 && kept[stack.at(-1)!]!.fact.end <= start)
          stack.pop();
        stack.push(next++);
      }
      while (stack.length > 0 && kept[stack.at(-1)!]!.fact.end <= at)
        stack.pop();
      return stack.at(-1) ?? -1;
    };
  };
}
