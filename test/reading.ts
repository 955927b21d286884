/** Reads an answer back, by what is said of its form and by nothing of its code. */
import { readSpans, type Span } from "../src/model/span.ts";

export interface ReadSection {
  readonly path: string;
  readonly heading: string;
  readonly notes: readonly string[];
  /** Numbered lines, as they stand there. */
  readonly lines: readonly { readonly n: number; readonly text: string }[];
  /** What the marks name, with the number of the line before. */
  readonly marks: readonly { readonly after: number; readonly lines: Span }[];
  /** The section says that it holds signatures alone. */
  readonly signatures: boolean;
}

export interface ReadAnswer {
  readonly contents: readonly {
    readonly path: string;
    readonly what: string;
  }[];
  readonly sections: readonly ReadSection[];
  /** All that stands outside of sections and contents. */
  readonly rest: string;
}

const unquoted = (path: string): string =>
  path.replace(/\\\\(?=u)|\\u([0-9a-f]{4})/g, (_, code: string | undefined) =>
    code === undefined ? "\\" : String.fromCharCode(parseInt(code, 16)),
  );

/** Throws: Error on a line inside a fence that is neither numbered nor a mark. */
export function readAnswer(text: string): ReadAnswer {
  const contents: { path: string; what: string }[] = [];
  const sections: (ReadSection & {
    notes: string[];
    lines: { n: number; text: string }[];
    marks: { after: number; lines: Span }[];
  })[] = [];
  const rest: string[] = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const section = sections.at(-1);
    if (fence !== "") {
      if (line === fence) {
        fence = "";
        continue;
      }
      const numbered = /^(\d+)\t/.exec(line);
      const mark = /^… (L[\d-]+)/.exec(line);
      if (numbered)
        section!.lines.push({
          n: Number(numbered[1]),
          text: line.slice(numbered[0].length),
        });
      else if (mark)
        section!.marks.push({
          after: section!.lines.at(-1)?.n ?? 0,
          lines: readSpans(mark[1]!)[0]!,
        });
      else throw new Error(`in a fence: ${JSON.stringify(line)}`);
      continue;
    }
    const heading = /^\*\*`([^`]+)`\*\*(.*)$/.exec(line);
    const entry = /^- `([^`]+)` (whole|–|L\d.*)$/.exec(line);
    const open = /^(`{3,})([\w+#-]*)$/.exec(line);
    if (heading)
      sections.push({
        path: unquoted(heading[1]!),
        heading: line,
        notes: [],
        lines: [],
        marks: [],
        signatures: line.endsWith("(signatures only)"),
      });
    else if (open && section) fence = open[1]!;
    else if (entry && sections.length === 0)
      contents.push({ path: unquoted(entry[1]!), what: entry[2]! });
    else if (line.startsWith("> ") && section)
      section.notes.push(line.slice(2));
    else rest.push(line);
  }
  return { contents, sections, rest: rest.join("\n") };
}

/** The paths in the order of the sections. */
export const order = (text: string): string[] =>
  readAnswer(text).sections.map((s) => s.path);
