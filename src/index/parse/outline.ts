/**
 * Facts without a grammar: declarations and uses by pattern, extents by braces.
 *
 * For languages whose grammar is not to be had as .wasm, or costs more than it
 * tells. It knows no scopes and no types; what it cannot see it leaves out.
 *
 * Units: offsets in UTF-16 units.
 */
import type { Outline } from "../../languages/language.ts";
import { isBlank } from "./fold.ts";
import { noFacts, type Facts } from "./facts.ts";

/** @spec outline-facts */
export function outlineFacts(text: string, outline: Outline): Facts {
  const code = withoutTexts(text, outline.texts);
  const facts = noFacts();
  const closings = bracePairs(code);
  let pattern = 0;

  for (const m of code.matchAll(outline.attributes))
    facts.attributes.push({ start: m.index, end: m.index + m[0].length });

  for (const rule of outline.scopes) {
    pattern++;
    for (const m of code.matchAll(rule.pattern)) {
      const { name } = found(m);
      const head = headOf(code, m.index + m[0].length, outline, closings);
      if (head.bodyAt < 0) continue;
      facts.scopes.push({ start: m.index, end: head.end, name: name.text });
      const bases = basesIn(code, m.index + m[0].length, head.bodyAt, outline);
      extend(facts, bases, pattern, name.text);
      facts.taken.push({ pattern, at: name.at });
    }
  }
  for (const rule of outline.definitions) {
    pattern++;
    for (const m of code.matchAll(rule.pattern)) {
      const { name } = found(m);
      const from = m.index + m[0].length;
      const head = headOf(code, from, outline, closings);
      const headEnd = head.bodyAt < 0 ? head.end : head.bodyAt;
      const start = m.index + (/^\s*/.exec(m[0])?.[0].length ?? 0);
      facts.definitions.push({
        pattern,
        kind: rule.kind,
        name: name.text,
        nameAt: name.at,
        start,
        end: head.end,
        bodyAt: head.bodyAt,
        owner: "",
      });
      if (rule.bases)
        extend(facts, basesIn(code, from, headEnd, outline), pattern, "");
      const parameters = /^\s*<([^<>()]*(?:<[^<>]*>[^<>()]*)*)>/.exec(
        code.slice(from, headEnd),
      );
      if (parameters)
        for (const p of parameters[1]!.matchAll(/(?:^|,)\s*(?:each\s+)?(\w+)/g))
          facts.typeParameters.push({ name: p[1]!, at: from });
    }
  }
  for (const rule of outline.references) {
    pattern++;
    for (const m of code.matchAll(rule.pattern)) {
      const { name, groups } = found(m);
      if (code[name.at - 1] !== "." && outline.keywords.has(name.text))
        continue;
      const last =
        rule.kind === "import" ? name.text.split(".").at(-1)! : name.text;
      facts.references.push({
        pattern,
        kind: rule.kind,
        name: last,
        nameAt: name.at + name.text.length - last.length,
        qualifier:
          rule.kind === "import" ? name.text : (groups["qualifier"] ?? ""),
        alias: "",
        aliasAt: -1,
      });
    }
  }
  return facts;
}

interface Word {
  readonly text: string;
  readonly at: number;
}

/** Notes what a type is built on: `subject`, or the definition that holds it. */
function extend(
  facts: Facts,
  bases: readonly Word[],
  pattern: number,
  subject: string,
): void {
  for (const { text, at } of bases)
    facts.references.push({
      pattern,
      kind: "extends",
      name: text,
      nameAt: at,
      qualifier: subject,
      alias: "",
      aliasAt: -1,
    });
}

/** The `name` group of a match of a pattern with the `d` flag. */
function found(m: RegExpExecArray): {
  name: Word;
  groups: Record<string, string | undefined>;
} {
  const groups = m.groups ?? {};
  const at = m.indices?.groups?.["name"]?.[0];
  if (groups["name"] === undefined || at === undefined)
    throw new Error(
      "an outline pattern needs the flag d and a group called name",
    );
  return { name: { text: groups["name"], at }, groups };
}

/** Comments and strings as blanks: lengths and lines stay. */
const withoutTexts = (text: string, texts: RegExp): string =>
  text.replace(texts, (m) => m.replace(/[^\n]/g, " "));

/** The offset of each opening brace → that of its closing one, or the text's end. */
function bracePairs(code: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < code.length; i++) {
    const c = code.charCodeAt(i);
    if (c === 0x7b) open.push(i);
    else if (c === 0x7d) {
      const at = open.pop();
      if (at !== undefined) pairs.set(at, i);
    }
  }
  for (const at of open) pairs.set(at, code.length - 1);
  return pairs;
}

/**
 * Where a declaration's body begins and where it ends. Without a body it ends
 * with its line, unless brackets are open or the next line carries on.
 */
function headOf(
  code: string,
  from: number,
  outline: Outline,
  closings: ReadonlyMap<number, number>,
): { bodyAt: number; end: number } {
  let depth = 0;
  let assigned = false;
  for (let i = from; i < code.length; i++) {
    const c = code[i]!;
    if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") {
      // The bracket around the declaration: a parameter, an element.
      if (--depth < 0) return { bodyAt: -1, end: i };
    } else if (c === "{") {
      const close = closings.get(i)!;
      if (depth > 0 || assigned) {
        i = close;
        continue;
      }
      return { bodyAt: i, end: close + 1 };
    } else if (depth > 0) continue;
    else if (
      c === "=" &&
      !/[=!<>]/.test(code[i - 1] ?? "") &&
      code[i + 1] !== "="
    )
      assigned = true;
    else if (c === "}" || c === ";") return { bodyAt: -1, end: i };
    else if (c === "\n") {
      const carriesOn =
        outline.continues.test(lineFrom(code, i)) ||
        OPEN_END.test(lastTwo(code, from, i));
      if (!carriesOn) return { bodyAt: -1, end: i };
    }
  }
  return { bodyAt: -1, end: code.length };
}

/** What opens more at the end of a line. */
const OPEN_END = /[,:=&|+*/<>?-]$/;

/** The line of the next character that is not blank. */
function lineFrom(code: string, at: number): string {
  while (at < code.length && isBlank(code.charCodeAt(at))) at++;
  const end = code.indexOf("\n", at);
  return code.slice(at, end < 0 ? code.length : end);
}

/** The last two characters before `at` that are not blank behind them. */
function lastTwo(code: string, from: number, at: number): string {
  while (at > from && isBlank(code.charCodeAt(at - 1))) at--;
  return code.slice(Math.max(from, at - 2), at);
}

/** The types named between a declaration's colon and its constraints. */
function basesIn(
  code: string,
  from: number,
  to: number,
  outline: Outline,
): Word[] {
  const head = code.slice(from, to);
  const m = outline.bases.exec(head);
  if (m === null) return [];
  const start = from + m.index + m[0].length;
  const list = code.slice(start, to).replace(/\bwhere\b[^]*$/, "");
  const out: Word[] = [];
  let depth = 0;
  for (const t of list.matchAll(/[<>(),&]|@?[\w.]+/g)) {
    if (t[0] === "<" || t[0] === "(") depth++;
    else if (t[0] === ">" || t[0] === ")") depth--;
    else if (depth === 0 && /^\w/.test(t[0])) {
      const name = t[0].slice(t[0].lastIndexOf(".") + 1);
      out.push({ text: name, at: start + t.index + t[0].length - name.length });
    }
  }
  return out;
}
