/**
 * A file's section of the answer: heading, notes, and numbered lines in a fence.
 * What it costs is known from the spans alone, so that a plan can try some.
 *
 * Units: UTF-16 units of text; lines are 1-based and inclusive.
 */
import { printSpans, type Span } from "../model/span.ts";
import { say } from "../model/wording.ts";
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

/**
 * A section's Markdown, ending in a line feed. The spans are in order and apart;
 * they lie within the file.
 * @spec answer-verbatim answer-cut-marks
 */
export function section(
  source: Source,
  spans: readonly Span[],
  form: Form,
  limits: SectionLimits = fromSpec,
): string {
  const body: string[] = [];
  const marks = form === "clusters";
  spans.forEach(([first, last], i) => {
    const before = spans[i - 1];
    if (marks && before) body.push(gapMark([before[1] + 1, first - 1]));
    for (let n = first; n <= last; n++)
      body.push(`${n}\t${shortened(source.lines[n - 1]!, limits)}`);
  });
  const cut = marks ? cutAfter(source, spans) : undefined;
  if (cut) body.push(cutMark(cut));
  const fence = "`".repeat(fenceLength(body));
  return [
    heading(source.path, shownNames(source, spans), form, limits),
    "",
    ...source.notes.flatMap((note) => [`> ${note}`, ""]),
    `${fence}${source.fence}`,
    ...body,
    fence,
    "",
  ].join("\n");
}

const gapMark = (lines: Span): string =>
  say(wordings.GAP_MARK, { lines: printSpans([lines]) });
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
  { path }: Pick<Source, "path">,
  spans: readonly Span[],
  form: Form,
): string {
  return `- \`${printable(path)}\` ${form === "whole" ? wordings.WHOLE_FILE : printSpans(spans)}`;
}

/** What sections of a file cost. */
export interface Prices {
  /** The section and its line in the contents, with the line feeds around them. */
  cost(spans: readonly Span[], form: Form): number;
  /** The numbered lines alone. */
  lines(span: Span): number;
}

/**
 * What `section` and `contentsLine` write, to the unit; more only where a line that is
 * not shown asks for a longer fence. The lines are measured once.
 * @spec plan-prices
 */
export function priced(
  source: Source,
  limits: SectionLimits = fromSpec,
): Prices {
  const { lines } = source;
  const sums = new Float64Array(lines.length + 1);
  let ticks = 2;
  let digits = 1;
  for (let n = 1, next = 10; n <= lines.length; n++) {
    if (n === next) {
      digits++;
      next *= 10;
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
  const path = printable(source.path).length;
  const fixed =
    source.notes.reduce((sum, note) => sum + note.length + 4, 0) +
    2 * (ticks + 1) +
    source.fence.length +
    heading("", []).length +
    path +
    contentsLine({ path: "" }, [], "whole").length -
    wordings.WHOLE_FILE.length +
    path +
    // Line feeds: two after the heading, one after each fence, one between sections, one in the contents.
    6;
  const gap = gapMark([1, 1]).length - printSpans([[1, 1]]).length + 1;
  const cutBase = cutMark([1, 1]).length - printSpans([[1, 1]]).length + 1;
  const names = namesBegun(source, limits.MAX_SYMBOLS_IN_HEADING);
  return {
    lines: ([first, last]) => sums[last]! - sums[first - 1]!,
    cost(spans, form) {
      let sum = fixed + names(spans);
      sum +=
        form === "whole" ? wordings.WHOLE_FILE.length : printedLength(spans);
      if (form === "signatures") sum += wordings.SIGNATURES_ONLY.length + 1;
      for (const [first, last] of spans) sum += sums[last]! - sums[first - 1]!;
      if (form !== "clusters") return sum;
      for (let i = 1; i < spans.length; i++)
        sum += gap + spanLength(spans[i - 1]![1] + 1, spans[i]![0] - 1);
      const cut = cutAfter(source, spans);
      return sum + (cut ? cutBase + spanLength(cut[0], cut[1]) : 0);
    },
  };
}

/** As long as `printSpans` of one span. */
const spanLength = (first: number, last: number): number =>
  first === last ? `L${first}`.length : `L${first}-${last}`.length;

function printedLength(spans: readonly Span[]): number {
  let sum = 2 * (spans.length - 1);
  for (const [first, last] of spans) sum += spanLength(first, last);
  return spans.length === 0 ? printSpans([]).length : sum;
}

/** The length of what a heading says of the definitions that begin in the spans. */
function namesBegun(
  { definitions }: Pick<Source, "definitions">,
  most: number,
): (spans: readonly Span[]) => number {
  let order: { readonly line: number; readonly rank: number }[] = [];
  const printed: string[] = [];
  return (spans) => {
    if (order.length === 0)
      order = definitions
        .map(({ span }, rank) => ({ line: span[0], rank }))
        .sort((a, b) => a.line - b.line);
    const ranks: number[] = [];
    for (const [first, last] of spans) {
      let low = 0;
      let high = order.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (order[middle]!.line < first) low = middle + 1;
        else high = middle;
      }
      for (; low < order.length && order[low]!.line <= last; low++)
        ranks.push(order[low]!.rank);
    }
    if (ranks.length === 0) return 0;
    const names = new Set<string>();
    for (const rank of ranks.sort((a, b) => a - b))
      names.add((printed[rank] ??= printable(definitions[rank]!.name)));
    return HEADING_DASH.length + few([...names], most).length;
  };
}
