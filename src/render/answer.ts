/**
 * Writes the answer: which files, then their source, verbatim and numbered.
 *
 * Units: UTF-16 units of text; lines are 1-based and inclusive.
 */
import { printSpans, type Span } from "../model/span.ts";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";

export interface Section {
  readonly path: string;
  /** The Markdown tag of its language; empty for plain text. */
  readonly fence: string;
  readonly lines: readonly string[];
  /** In line order. */
  readonly spans: readonly Span[];
  /** Lines that belong to the last span's definition but did not fit. */
  readonly cut: Span | undefined;
  /** The spans are the whole file. */
  readonly whole: boolean;
  /** Names of the definitions that are shown, the most wanted first. */
  readonly symbols: readonly string[];
  /** Sentences that stand between heading and source. */
  readonly notes: readonly string[];
}

/** The heading of a file's section: its path and what of it is shown. @spec answer-heading */
export function heading(
  path: string,
  symbols: readonly string[],
  limits: Pick<Limits, "MAX_SYMBOLS_IN_HEADING"> = fromSpec,
): string {
  const names = few(symbols, limits.MAX_SYMBOLS_IN_HEADING);
  return `**\`${printable(path)}\`**${names === "" ? "" : ` — ${names}`}`;
}

/** The first of a list, and how many more there are. */
export function few(items: readonly string[], most: number): string {
  const shown = items.slice(0, most);
  if (items.length > most)
    shown.push(say(wordings.MORE, { count: items.length - most }));
  return shown.join(", ");
}

/** A path on one line, whatever characters it has. */
export function printable(path: string): string {
  // eslint-disable-next-line no-control-regex
  return path.replace(/[\u0000-\u001f\u007f`]/g, (c) =>
    c === "`" ? "'" : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A section's Markdown, ending in a line feed. @spec answer-verbatim answer-cut-marks */
export function section(s: Section, limits: Limits = fromSpec): string {
  const body: string[] = [];
  let ticks = 2;
  s.spans.forEach(([first, last], i) => {
    const before = s.spans[i - 1];
    if (before)
      body.push(
        say(wordings.GAP_MARK, {
          lines: printSpans([[before[1] + 1, first - 1]]),
        }),
      );
    for (let n = first; n <= last; n++) {
      const text = s.lines[n - 1]!;
      for (const run of text.match(/`{3,}/g) ?? [])
        ticks = Math.max(ticks, run.length);
      body.push(`${n}\t${shortened(text, limits)}`);
    }
  });
  if (s.cut) body.push(say(wordings.CUT_MARK, { lines: printSpans([s.cut]) }));
  const fence = "`".repeat(ticks + 1);
  return [
    heading(s.path, s.symbols, limits),
    "",
    ...s.notes.flatMap((note) => [`> ${note}`, ""]),
    `${fence}${s.fence}`,
    ...body,
    fence,
    "",
  ].join("\n");
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

/** The sentence that says what the answer is. @spec answer-contents */
export function intro(shown: number, total: number): string {
  return say(wordings.ANSWER_INTRO, { shown, total });
}

export interface AnswerParts {
  /** Indexed files. */
  readonly total: number;
  readonly notes: readonly string[];
  readonly path: string;
  /** The best first. */
  readonly sections: readonly Section[];
  readonly relations: readonly string[];
  /** The most that the relations may be of the whole answer, 0 to 1. */
  readonly relationShare: number;
  /** UTF-16 units of the whole text. */
  readonly ceiling: number;
}

/**
 * The whole answer, within its ceiling: sections that would exceed it are left out,
 * the last first, and then notes.
 * @spec answer-contents answer-ceiling answer-dependents
 */
export function answer(parts: AnswerParts): string {
  const sections = parts.sections.map((s) => section(s));
  let kept = sections.length;
  for (;;) {
    const list = parts.sections.slice(0, kept).map((s) => contentsLine(s));
    const head = [
      ...(kept > 0 ? [intro(kept, parts.total), list.join("\n")] : []),
      ...parts.notes,
      ...(parts.path === "" ? [] : [parts.path]),
    ].join("\n\n");
    const body = sections.slice(0, kept).join("\n");
    const main = `${head}\n${kept > 0 ? `\n${body}` : ""}`;
    const text = main + relationsWithin(parts, main.length);
    if (text.length <= parts.ceiling || kept === 0)
      return text.slice(0, parts.ceiling);
    kept--;
  }
}

function contentsLine(s: Section): string {
  return `- \`${printable(s.path)}\` ${s.whole ? wordings.WHOLE_FILE : printSpans(s.spans)}`;
}

/** As many of the lines as are no more than their share of the answer. */
function relationsWithin(
  { relations, relationShare }: AnswerParts,
  rest: number,
): string {
  const most =
    relationShare >= 1
      ? Infinity
      : (rest * relationShare) / (1 - relationShare);
  let text = "";
  for (const line of relations) {
    const longer =
      text === ""
        ? `\n${wordings.DEPENDENTS_TITLE}\n\n- ${line}\n`
        : `${text}- ${line}\n`;
    if (longer.length > most) break;
    text = longer;
  }
  return text;
}
