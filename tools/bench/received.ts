/**
 * What one client has been sent, held against the files and against what it is sent
 * next: every line of source has to be the file's, and whatever an answer points at
 * has to have come to this client before.
 *
 * Units: lines are 1-based.
 */
import { readAnswer } from "../../src/bench/answer.ts";
import { readSpans, type Span } from "../../src/model/span.ts";

/** A file's lines as they are now; undefined where there is no such file. */
export type LinesOf = (path: string) => readonly string[] | undefined;

export interface Checked {
  /** What is wrong; empty where nothing is. */
  readonly problems: readonly string[];
  /** Lines of source that stand in the answer. */
  readonly shown: number;
  /** Paths of files of which lines are pointed at. */
  readonly pointedAt: readonly string[];
}

interface PointedAt {
  readonly path: string;
  readonly spans: readonly Span[];
}

export class Received {
  private readonly linesOf: LinesOf;
  private readonly files = new Map<string, Map<number, string>>();

  constructor(linesOf: LinesOf) {
    this.linesOf = linesOf;
  }

  /** Takes in the next answer. */
  take(text: string): Checked {
    const problems: string[] = [];
    const pointed = pointedAt(text);
    for (const { path, spans } of pointed)
      for (const [first, last] of spans)
        for (let n = first; n <= last; n++) {
          const held = this.files.get(path)?.get(n);
          if (held === undefined)
            problems.push(`points at ${path}:${n}, which never came here`);
          else if (held !== this.linesOf(path)?.[n - 1])
            problems.push(`points at ${path}:${n}, which has changed since`);
        }
    const { lines } = readAnswer(text);
    for (const { path, line, text: shown } of lines) {
      const now = this.linesOf(path)?.[line - 1];
      if (shown === now) this.note(path, line, shown);
      else if (now === undefined || !isBeginning(shown, now))
        problems.push(`${path}:${line} is not what stands in the file`);
    }
    return {
      problems,
      shown: lines.length,
      pointedAt: pointed.map(({ path }) => path),
    };
  }

  private note(path: string, line: number, text: string): void {
    let file = this.files.get(path);
    if (!file) this.files.set(path, (file = new Map()));
    file.set(line, text);
  }
}

/** A line that was cut for its length. */
function isBeginning(shown: string, now: string): boolean {
  const mark = shown.lastIndexOf(" … [cut: ");
  return mark > 0 && now.startsWith(shown.slice(0, mark));
}

/** What the pointers and the marks of an answer name. */
function pointedAt(text: string): PointedAt[] {
  const found: PointedAt[] = [];
  let path = "";
  for (const line of text.split("\n")) {
    path = /^\*\*`([^`]+)`\*\*/.exec(line)?.[1] ?? path;
    const sentence =
      /^> \*\*Already sent earlier in this conversation:\*\* `([^`]+)`(?: in project `[^`]+`,)? ([^(.+]+)/.exec(
        line,
      );
    if (sentence)
      found.push({ path: sentence[1]!, spans: spansIn(sentence[2]!) });
    // A line of source has its number first.
    const mark = /^… (L.*) sent before$/.exec(line);
    if (mark) found.push({ path, spans: spansIn(mark[1]!) });
  }
  return found;
}

/** Throws: SyntaxError where there is no line. */
const spansIn = (text: string): Span[] =>
  readSpans(text.trim().replace(/,$/, ""));
