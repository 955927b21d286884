/**
 * What an agent's window holds, by the answers that reached it. It knows nothing of the
 * code: lines that it was shown, as they stood in the answer.
 */
import { readSpans } from "../src/model/span.ts";

/** Lines as `path:line`. */
export type Window = ReadonlySet<string>;

export interface Answered {
  /** Lines that the answer shows. */
  readonly shown: Window;
  /** Lines that it says were sent before. */
  readonly pointedAt: Window;
}

/** Reads an answer; a pointer that leaves spans unnamed is read by its marks. */
export function answered(text: string): Answered {
  const shown = new Set<string>();
  const pointedAt = new Set<string>();
  let path = "";
  for (const line of text.split("\n")) {
    const heading = /^\*\*`([^`]+)`\*\*/.exec(line);
    if (heading) path = heading[1]!;
    const numbered = /^(\d+)\t/.exec(line);
    if (numbered) shown.add(`${path}:${numbered[1]}`);
    const pointer =
      /^> \*\*Already sent earlier in this conversation:\*\* `([^`]+)` (L[^(.]*)/.exec(
        line,
      );
    const mark = /^… (L\d+(?:-\d+)?) sent before/.exec(line);
    const spans = pointer?.[2] ?? mark?.[1];
    if (spans === undefined) {
      if (/already sent|sent before/i.test(line) && !/^- `/.test(line))
        if (!line.startsWith("Lines that this conversation already holds"))
          throw new Error(`a pointer that is not understood: ${line}`);
      continue;
    }
    const named = spans.replace(/, \+\d+ more\s*/, "").trim();
    for (const [first, last] of readSpans(named))
      for (let n = first; n <= last; n++)
        pointedAt.add(`${pointer?.[1] ?? path}:${n}`);
  }
  return { shown, pointedAt };
}
