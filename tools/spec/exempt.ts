/**
 * Exemptions: a line comment, `exempt RULE-ID: reason`, at the end of the line that
 * it excuses from the invariant of that rule.
 */
import { ts } from "ts-morph";

export interface Exemption {
  readonly line: number;
  /** Empty when the comment has not that form. */
  readonly rule: string;
}

const EXEMPT = /\/\/ exempt\b(?: ([a-z0-9-]+): \S.*)?/g;

/** The exemption comments of a file; texts inside strings are not comments. */
export function exemptions(file: ts.SourceFile): Exemption[] {
  const found: Exemption[] = [];
  for (const match of file.text.matchAll(EXEMPT))
    if (!inToken(file, match.index))
      found.push({
        line: file.getLineAndCharacterOfPosition(match.index).line + 1,
        rule: match[1] ?? "",
      });
  return found;
}

/** Whether a position lies in a token, and so not in a comment between two. */
function inToken(node: ts.Node, pos: number): boolean {
  const inside = node
    .getChildren()
    .find((child) => child.getStart() <= pos && pos < child.end);
  if (inside) return inToken(inside, pos);
  return node.getChildCount() === 0;
}
