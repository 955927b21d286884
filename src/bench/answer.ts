/**
 * Reads an answer back as its reader sees it: which lines of which file it holds.
 * Written apart from the renderer, so that it can hold the renderer to account.
 *
 * Units: lines are 1-based; characters are UTF-16 units.
 */
export interface ShownLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface ReadAnswer {
  readonly lines: readonly ShownLine[];
  /** Paths that a pointer names, one for each pointer. */
  readonly pointers: readonly string[];
}

/** @spec replay-reads-answers */
export function readAnswer(text: string): ReadAnswer {
  const lines: ShownLine[] = [];
  const pointers: string[] = [];
  let path = "";
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = /^(`{3,})(.*)$/.exec(line);
    if (fence === "" && mark) fence = mark[1]!;
    else if (fence !== "" && line === fence) fence = "";
    else if (fence !== "") {
      const numbered = /^(\d+)\t(.*)$/s.exec(line);
      if (numbered)
        lines.push({ path, line: Number(numbered[1]), text: numbered[2]! });
    } else {
      const heading = /^\*\*`([^`]+)`\*\*/.exec(line);
      if (heading) path = heading[1]!;
      const pointer =
        /^> \*\*Already sent earlier in this conversation:\*\* `([^`]+)`/.exec(
          line,
        );
      if (pointer) pointers.push(pointer[1]!);
    }
  }
  return { lines, pointers };
}
