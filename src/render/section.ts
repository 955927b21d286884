/**
 * A file's section of the answer: heading, notes, and numbered lines in a fence.
 * What it costs is known from the spans alone, so that a plan can try some.
 *
 * Units: UTF-16 units of text; lines are 1-based and inclusive.
 */
import { printSpans, type Span } from "../model/span.ts";
import { say } from "../model/wording.ts";
import { decideFile, type FileDecision } from "../dedup/file.ts";
import { pointer } from "../dedup/pointer.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";

/** A definition, as far as a section speaks of it. */
export interface Named {
  readonly name: string;
  readonly span: Span;
  /** It holds definitions, each of which stands for itself. */
  readonly container: boolean;
}

/** A file that sections can be made of. */
export interface Source {
  readonly path: string;
  /** The Markdown tag of its language; empty for plain text. */
  readonly fence: string;
  readonly lines: readonly string[];
  /** Its definitions, those first that a heading should name. */
  readonly definitions: readonly Named[];
  /** Sentences that stand between heading and lines. */
  readonly notes: readonly string[];
  /** Lines that the context holds already, joined; absent where none counts. */
  readonly held?: readonly Span[];
  /** Definitions that the question names. */
  readonly named?: readonly Span[];
  /** The project's name, where the context is about several. */
  readonly project?: string | undefined;
  /** The question asks for all of the file: whatever is not shown is marked. */
  readonly isAsked?: boolean;
}

/** What a section does with the lines that are wanted of its file. @spec dedup-covered-run dedup-remainder */
export function decided(source: Source, spans: readonly Span[]): FileDecision {
  const { held = [], lines, named = [] } = source;
  if (held.length === 0) return { send: spans, pointAt: [], folded: [] };
  return decideFile({ wanted: spans, held, lines, named });
}

/** How lines are shown: the whole file, clusters with marks, or signatures alone. */
export type Form = "whole" | "clusters" | "signatures";

type SectionLimits = Pick<Limits, "MAX_SYMBOLS_IN_HEADING" | "MAX_LINE_CHARS">;

const HEADING_DASH = " — ";

/** The heading of a file's section: its path and what of it is shown. @spec answer-heading */
export function heading(
  path: string,
  symbols: readonly string[],
  form: Form = "clusters",
  limits: Pick<Limits, "MAX_SYMBOLS_IN_HEADING"> = fromSpec,
): string {
  const names = few(symbols, limits.MAX_SYMBOLS_IN_HEADING);
  const signed = form === "signatures" ? ` ${wordings.SIGNATURES_ONLY}` : "";
  const dash = names === "" ? "" : HEADING_DASH;
  return `**\`${printable(path)}\`**${dash}${names}${signed}`;
}

/** The first of a list, and how many more there are. */
export function few(items: readonly string[], most: number): string {
  const shown = items.slice(0, most);
  if (items.length > most)
    shown.push(say(wordings.MORE, { count: items.length - most }));
  return shown.join(", ");
}

/**
 * Text of the project on one line and inside back-quotes, whatever characters it
 * has; two different texts stay different.
 */
export function printable(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex
      .replace(
        /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff`]|\\(?=u)/g,
        (c) =>
          c === "\\"
            ? "\\\\"
            : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
      .toWellFormed()
  );
}

/** Names of the definitions that begin in the spans, in their order, once each. */
export function shownNames(
  { definitions }: Pick<Source, "definitions">,
  spans: readonly Span[],
): string[] {
  return [
    ...new Set(
      definitions
        .filter(({ span: [line] }) =>
          spans.some(([a, b]) => a <= line && line <= b),
        )
        .map(({ name }) => printable(name)),
    ),
  ];
}

/**
 * The lines that are left out after the last span of a definition that it cuts: of
 * the longest that begins in that span, or else of the innermost that goes on.
 * Undefined where it ends with a definition, or outside of any.
 * @spec answer-cut-marks
 */
export function cutAfter(
  { definitions }: Pick<Source, "definitions">,
  spans: readonly Span[],
): Span | undefined {
  const end = spans.at(-1);
  if (!end) return undefined;
  let begun = 0;
  let inner: Span | undefined;
  for (const { span, container } of definitions) {
    if (span[0] > end[1] || span[1] <= end[1]) continue;
    if (span[0] >= end[0]) begun = Math.max(begun, span[1]);
    else if (!container && (!inner || span[0] > inner[0])) inner = span;
  }
  const last = begun || inner?.[1];
  return last === undefined ? undefined : [end[1] + 1, last];
}

/** A section as it stands in the answer, and which lines of the file that makes. */
export interface Rendered {
  /** Markdown, ending in a line feed. */
  readonly text: string;
  /** Lines that stand in it, cut ones included. */
  readonly sent: readonly Span[];
  /** Lines that its pointer stands for. */
  readonly pointedAt: readonly Span[];
}

/** A section's Markdown alone. */
export function section(
  source: Source,
  spans: readonly Span[],
  form: Form,
  limits: SectionLimits = fromSpec,
): string {
  return rendered(source, spans, form, limits).text;
}

/**
 * The section of the wanted spans, which are in order and apart and lie within the
 * file. Runs of them that are held are pointed at.
 * @spec answer-verbatim answer-cut-marks dedup-covered-run dedup-pointer dedup-held-mark
 */
export function rendered(
  source: Source,
  spans: readonly Span[],
  form: Form,
  limits: SectionLimits = fromSpec,
): Rendered {
  const { send, pointAt } = decided(source, spans);
  const body: string[] = [];
  const marks = form === "clusters" || pointAt.length > 0;
  const [head] = send;
  if (form === "clusters" && source.isAsked && head && head[0] > 1)
    body.push(...gapMarks([1, head[0] - 1], pointAt));
  send.forEach(([first, last], i) => {
    const before = send[i - 1];
    if (marks && before)
      body.push(...gapMarks([before[1] + 1, first - 1], pointAt));
    for (let n = first; n <= last; n++)
      body.push(`${n}\t${shortened(source.lines[n - 1]!, limits)}`);
  });
  if (send.length > 0) body.push(...tailMarks(source, spans, send, form));
  const fence = "`".repeat(fenceLength(body));
  const text = [
    heading(source.path, shownNames(source, spans), form, limits),
    "",
    ...notesOf(source, send, pointAt).flatMap((note) => [`> ${note}`, ""]),
    ...(send.length > 0 ? [`${fence}${source.fence}`, ...body, fence, ""] : []),
  ].join("\n");
  return { text, sent: send, pointedAt: pointAt };
}

/** The pointer comes first: what follows is only what is new. */
function notesOf(
  source: Source,
  send: readonly Span[],
  pointAt: readonly Span[],
): readonly string[] {
  if (pointAt.length === 0) return source.notes;
  return [
    pointer({
      path: printable(source.path),
      spans: pointAt,
      symbols: shownNames(source, pointAt),
      newFollows: send.length > 0,
      project:
        source.project === undefined ? undefined : printable(source.project),
    }),
    ...(send.length > 0 ? source.notes : []),
  ];
}

/** Lines between two that are shown: what `write` makes of each run, pointed at or not wanted. */
function gaps<T>(
  [first, last]: Span,
  pointAt: readonly Span[],
  write: (run: Span, isHeld: boolean) => T,
): T[] {
  const marks: T[] = [];
  let next = first;
  for (const [a, b] of pointAt) {
    const held: Span = [Math.max(a, next), Math.min(b, last)];
    if (held[0] > held[1]) continue;
    if (next < held[0]) marks.push(write([next, held[0] - 1], false));
    marks.push(write(held, true));
    next = held[1] + 1;
  }
  if (next <= last) marks.push(write([next, last], false));
  return marks;
}

const gapMarks = (between: Span, pointAt: readonly Span[] = []): string[] =>
  gaps(between, pointAt, (run, isHeld) =>
    isHeld ? heldMark(run) : gapMark(run),
  );

/** After the last line: the rest of a file that is asked for, or of a definition that is cut. */
function tailMarks(
  source: Source,
  spans: readonly Span[],
  send: readonly Span[],
  form: Form,
): string[] {
  if (form !== "clusters") return [];
  const end = send.at(-1)![1];
  if (source.isAsked && end < source.lines.length)
    return [gapMark([end + 1, source.lines.length])];
  const cut = cutAfter(source, spans);
  return cut ? [cutMark(cut)] : [];
}

const gapMark = (lines: Span): string =>
  say(wordings.GAP_MARK, { lines: printSpans([lines]) });
const heldMark = (lines: Span): string =>
  say(wordings.HELD_MARK, { lines: printSpans([lines]) });
const cutMark = (lines: Span): string =>
  say(wordings.CUT_MARK, { lines: printSpans([lines]) });

/** Longer than any run of back-quotes in the lines, so that no line ends the fence. */
function fenceLength(lines: readonly string[]): number {
  let ticks = 2;
  for (const line of lines)
    if (line.includes("```"))
      for (const run of line.match(/`{3,}/g)!)
        ticks = Math.max(ticks, run.length);
  return ticks + 1;
}

/** @spec answer-long-lines */
export function shortened(
  text: string,
  limits: Pick<Limits, "MAX_LINE_CHARS"> = fromSpec,
): string {
  if (text.length <= limits.MAX_LINE_CHARS) return text;
  const kept = text.slice(0, limits.MAX_LINE_CHARS).toWellFormed();
  return `${kept} ${say(wordings.LONG_LINE_MARK, { chars: text.length })}`;
}

/** The line of a section in the list of contents. @spec answer-contents */
export function contentsLine(
  source: Source,
  spans: readonly Span[],
  form: Form,
): string {
  const { send, pointAt } = decided(source, spans);
  const name = `- \`${printable(source.path)}\``;
  if (pointAt.length === 0)
    return `${name} ${form === "whole" ? wordings.WHOLE_FILE : printSpans(spans)}`;
  return send.length === 0
    ? `${name} ${wordings.CONTENTS_HELD}`
    : `${name} ${printSpans(send)}, ${wordings.CONTENTS_REST_HELD}`;
}

const NOTHING: Source = {
  path: "",
  fence: "",
  lines: [],
  definitions: [],
  notes: [],
};

/** What sections of a file cost. */
export interface Prices {
  /** The section and its line in the contents, with the line feeds around them. */
  cost(spans: readonly Span[], form: Form): number;
  /** The numbered lines alone. */
  lines(span: Span): number;
  /** The section would hold lines that the context has not seen. */
  isNew(spans: readonly Span[]): boolean;
}

/** A file's lines as they are numbered and shown. */
export interface Measures {
  /** UTF-16 units of the lines up to n, by n. */
  readonly sums: Float64Array;
  /** Of the longest run of back-quotes that a fence has to be longer than. */
  readonly ticks: number;
}

export function measured(
  lines: readonly string[],
  limits: Pick<Limits, "MAX_LINE_CHARS"> = fromSpec,
): Measures {
  const sums = new Float64Array(lines.length + 1);
  let ticks = 2;
  let digits = 1;
  for (let n = 1, most = 9; n <= lines.length; n++) {
    if (n > most) {
      digits++;
      most = most * 10 + 9;
    }
    const text = lines[n - 1]!;
    if (text.includes("```"))
      for (const run of text.match(/`{3,}/g)!)
        ticks = Math.max(ticks, run.length);
    const shown =
      text.length <= limits.MAX_LINE_CHARS
        ? text.length
        : shortened(text, limits).length;
    sums[n] = sums[n - 1]! + digits + 2 + shown;
  }
  return { sums, ticks };
}

/** What of the prices is known already, of the same lines and definitions. */
export interface KnownPrices {
  readonly measures?: Measures;
  readonly names?: NamesLength;
}

/**
 * What `section` and `contentsLine` write, to the unit; more only where a line that is
 * not shown asks for a longer fence. The lines are measured once.
 * @spec plan-prices
 */
export function priced(
  source: Source,
  limits: SectionLimits = fromSpec,
  known: KnownPrices = {},
): Prices {
  const { sums, ticks } = known.measures ?? measured(source.lines, limits);
  const path = printable(source.path).length;
  const head = heading("", []).length + path;
  const contents =
    contentsLine(NOTHING, [], "whole").length -
    wordings.WHOLE_FILE.length +
    path;
  const fences = 2 * (ticks + 1) + source.fence.length + 2;
  const said = source.notes.reduce((sum, note) => sum + note.length + 4, 0);
  // Line feeds: two after the heading, one between sections, one in the contents.
  const fixed = said + fences + head + contents + 4;
  const one: Span = [1, 1];
  /** Of a mark and its line feed, but for the lines that it names. */
  const withoutLines = (mark: string) => mark.length + 1 - spanLength(1, 1);
  const gap = withoutLines(gapMark(one));
  const heldBase = withoutLines(heldMark(one));
  const cutBase = withoutLines(cutMark(one));
  /** As long as `gapMarks`, with a line feed after each. */
  const gapsLength = (first: number, last: number, pointAt: readonly Span[]) =>
    gaps(
      [first, last],
      pointAt,
      ([a, b], isHeld) => (isHeld ? heldBase : gap) + spanLength(a, b),
    ).reduce((sum, length) => sum + length, 0);
  const names =
    known.names ??
    namesBegun(
      source.definitions,
      source.lines.length,
      limits.MAX_SYMBOLS_IN_HEADING,
    );
  const signed = (form: Form) =>
    form === "signatures" ? wordings.SIGNATURES_ONLY.length + 1 : 0;
  const pointers = new Map<string, number>();
  /** Of the pointer, with the line feeds after it. */
  const pointing = (pointAt: readonly Span[], newFollows: boolean): number => {
    const key = `${printSpans(pointAt)} ${newFollows}`;
    let length = pointers.get(key);
    if (length === undefined) {
      const send = newFollows ? pointAt : [];
      length = notesOf({ ...source, notes: [] }, send, pointAt)[0]!.length + 4;
      pointers.set(key, length);
    }
    return length;
  };
  const inFull = (
    { send, pointAt }: FileDecision,
    spans: readonly Span[],
    form: Form,
  ): number => {
    let sum = 4 + head + names(spans) + signed(form) + contents;
    if (pointAt.length === 0)
      sum +=
        said +
        (form === "whole" ? wordings.WHOLE_FILE.length : printedLength(spans));
    else {
      sum += pointing(pointAt, send.length > 0);
      sum +=
        send.length === 0
          ? wordings.CONTENTS_HELD.length
          : printedLength(send) + 2 + wordings.CONTENTS_REST_HELD.length + said;
    }
    if (send.length === 0) return sum;
    sum += fences;
    const marks = form === "clusters" || pointAt.length > 0;
    send.forEach(([first, last], i) => {
      sum += sums[last]! - sums[first - 1]!;
      const before = send[i - 1];
      if (marks && before) sum += gapsLength(before[1] + 1, first - 1, pointAt);
    });
    const [top] = send;
    if (form === "clusters" && source.isAsked && top![0] > 1)
      sum += gapsLength(1, top![0] - 1, pointAt);
    return sum + lengthOf(tailMarks(source, spans, send, form));
  };
  return {
    lines: ([first, last]) => sums[last]! - sums[first - 1]!,
    isNew: (spans) => decided(source, spans).send.length > 0,
    cost(spans, form) {
      const decision = decided(source, spans);
      if (
        decision.pointAt.length > 0 ||
        (source.isAsked && form === "clusters")
      )
        return inFull(decision, spans, form);
      let sum = fixed + names(spans);
      sum +=
        form === "whole" ? wordings.WHOLE_FILE.length : printedLength(spans);
      sum += signed(form);
      for (const [first, last] of spans) sum += sums[last]! - sums[first - 1]!;
      if (form !== "clusters") return sum;
      for (let i = 1; i < spans.length; i++)
        sum += gap + spanLength(spans[i - 1]![1] + 1, spans[i]![0] - 1);
      const cut = cutAfter(source, spans);
      return sum + (cut ? cutBase + spanLength(cut[0], cut[1]) : 0);
    },
  };
}

/** With a line feed after each. */
const lengthOf = (marks: readonly string[]): number =>
  marks.reduce((sum, mark) => sum + mark.length + 1, 0);

/** As long as `printSpans` of one span. */
const spanLength = (first: number, last: number): number =>
  1 + digits(first) + (first === last ? 0 : 1 + digits(last));

function digits(n: number): number {
  let count = 1;
  for (let most = 9; n > most; most = most * 10 + 9) count++;
  return count;
}

function printedLength(spans: readonly Span[]): number {
  let sum = 2 * (spans.length - 1);
  for (const [first, last] of spans) sum += spanLength(first, last);
  return spans.length === 0 ? printSpans([]).length : sum;
}

/** The length of what a heading says of the definitions that begin in spans that are apart, dash included. */
export type NamesLength = (spans: readonly Span[]) => number;

export function namesBegun(
  definitions: readonly Named[],
  lineTotal: number,
  most: number,
): NamesLength {
  let begun: Begun | undefined;
  const ids = new Map<string, number>();
  /** By a name's id. */
  const lengths: number[] = [];
  const seen: number[] = [];
  let round = 0;
  const idOf = (name: string): number => {
    let id = ids.get(name);
    if (id === undefined) {
      ids.set(name, (id = ids.size));
      lengths.push(printable(name).length);
      seen.push(0);
    }
    return id;
  };
  return (spans) => {
    const { starts, ranks, found } = (begun ??= byFirstLine(
      definitions,
      lineTotal,
    ));
    let count = 0;
    for (const [first, last] of spans)
      for (let i = starts[first]!; i < starts[last + 1]!; i++)
        found[count++] = ranks[i]!;
    if (count === 0) return 0;
    sortFirst(found, count);
    // As long as `few` writes them.
    round++;
    let names = 0;
    let sum = HEADING_DASH.length;
    for (let i = 0; i < count; i++) {
      const id = idOf(definitions[found[i]!]!.name);
      if (seen[id] === round) continue;
      seen[id] = round;
      if (++names <= most) sum += lengths[id]! + (names > 1 ? 2 : 0);
    }
    const more = names - most;
    return more > 0 ? sum + 2 + MORE_LENGTH + `${more}`.length : sum;
  };
}

/** The first `count` of them; mostly few, and in order but for some. */
function sortFirst(numbers: Uint32Array, count: number): void {
  if (count > FEW) {
    numbers.subarray(0, count).sort();
    return;
  }
  for (let i = 1; i < count; i++) {
    const n = numbers[i]!;
    let at = i;
    for (; at > 0 && numbers[at - 1]! > n; at--) numbers[at] = numbers[at - 1]!;
    numbers[at] = n;
  }
}

/** Numbers that are sorted faster one by one. */
const FEW = 25; // exempt spec-values-are-imported: how it sorts, and not what comes of it

const MORE_LENGTH = say(wordings.MORE, { count: "" }).length;

/** Definitions, by their place in the list, in the order of their first lines. */
interface Begun {
  /** Those of line n are `ranks[starts[n] .. starts[n + 1])`. */
  readonly starts: Uint32Array;
  readonly ranks: Uint32Array;
  /** Room for all of them, for whoever looks for some. */
  readonly found: Uint32Array;
}

/** Sorts by counting: a plan asks often, and of files with thousands of definitions. */
function byFirstLine(definitions: readonly Named[], lines: number): Begun {
  const starts = new Uint32Array(lines + 2);
  const within = (line: number) => line >= 1 && line <= lines;
  for (const { span } of definitions)
    if (within(span[0])) starts[span[0] + 1]!++;
  for (let n = 1; n < starts.length; n++) starts[n]! += starts[n - 1]!;
  const ranks = new Uint32Array(starts.at(-1)!);
  const next = starts.slice();
  definitions.forEach(({ span }, rank) => {
    if (within(span[0])) ranks[next[span[0]]!++] = rank;
  });
  return { starts, ranks, found: ranks.slice() };
}
