/**
 * What a cell of a spec table says. A cell is written as the product prints it:
 * plain text, or one code span where the text itself is Markdown or ends in a
 * space. Formatting is refused, because it would vanish from the value unseen.
 */
import type { PhrasingContent, TableCell } from "mdast";

/** `page:line: what is wrong; what to do`. */
export class SpecError extends Error {}

export function fail(at: string, wrong: string, remedy: string): never {
  throw new SpecError(`${at}: ${wrong}; ${remedy}`);
}

export const words = (node: PhrasingContent): string =>
  "value" in node
    ? node.value
    : "children" in node
      ? node.children.map(words).join("")
      : "";

function content(cell: TableCell, at: string): PhrasingContent[] {
  if (cell.children.length === 0)
    fail(at, "an empty cell", "write – where there is none");
  return cell.children;
}

/** The words of an explanation; formatting is for its reader only. */
export const flat = (cell: TableCell, at: string): string =>
  content(cell, at).map(words).join("");

/** The exact text of a value. */
export function plain(cell: TableCell, at: string): string {
  for (const { type } of content(cell, at))
    if (type !== "text" && type !== "inlineCode")
      fail(at, `${type} in a cell that is a value`, "write it as a code span");
  return flat(cell, at);
}

/** The text of a wording, whose every brace belongs to a `{placeholder}`. */
export function template(cell: TableCell, at: string): string {
  const text = plain(cell, at);
  if (/[{}]/.test(text.replace(/\{[a-z][A-Za-z0-9]*\}/g, "")))
    fail(at, "a brace that is no {placeholder}", "name it in camelCase");
  return text;
}

/** Code spans separated by spaces. */
export function codes(cell: TableCell, at: string): string[] {
  const items: string[] = [];
  for (const node of content(cell, at))
    if (node.type === "inlineCode") {
      if (items.includes(node.value))
        fail(at, `"${node.value}" is listed twice`, "drop one");
      items.push(node.value);
    } else if (node.type !== "text" || node.value.trim() !== "")
      fail(at, "an item that is no code span", "write `a` `b` `c`");
  return items;
}
