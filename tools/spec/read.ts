/**
 * Reads spec pages. A page is ordinary GitHub Markdown in which few things carry
 * meaning: a `###` heading is a rule id, the text under it is the rule, and the
 * tables under it declare limits, wordings, lists, entries or examples.
 *
 * Units: lines are 1-based.
 * Throws: SpecError, `page:line: what is wrong; what to do`, on whatever it does
 *   not know: what it let pass would be a check that nobody runs.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import type { RootContent, TableCell, TableRow } from "mdast";
import { remark } from "remark";
import remarkGfm from "remark-gfm";
import { codes, fail, flat, plain, template, words } from "./cells.ts";
import type { Rule } from "./rule.ts";

const RULE_ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/;
const NAME = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
const NUMBER = /^-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/;
const DEFERRED = /^Deferred:\s*/;
const COLUMN = /^[a-z]+( [a-z]+)*$/;
/** A line that somebody meant as part of a table. */
const TABLE_LINE = /^[\s>*+-]*\||^[\s:-]*-\s*\|[\s|:-]*$/;
const EXAMPLES = /^(golden|(given|when|then) \S.*|because)$/;
const COLUMNS: Readonly<Record<string, string>> = {
  limit: "limit | value | unit | why",
  wording: "wording | text | why",
  list: "list | items | why",
};

/** The rules of one page, in order. */
export function readPage(page: string, source: string): Rule[] {
  const rules: Rule[] = [];
  const inTable = new Set<number>();
  let rule: Rule | undefined;
  for (const node of remark().use(remarkGfm).parse(source).children) {
    const { start, end } = node.position!;
    const at = `${page}:${start.line}`;
    const raw = source.slice(start.offset, end.offset).replace(/\s+/g, " ");
    if (node.type === "heading") {
      if (node.depth > 3)
        fail(at, "a heading below ###", "say it in the rule's prose");
      rule = node.depth === 3 ? newRule(page, start.line, raw) : undefined;
      if (rule) rules.push(rule);
    } else if (node.type === "table") {
      for (let n = start.line; n <= end.line; n++) inTable.add(n);
      if (!rule) fail(at, "a table outside any rule", "give it a ### rule");
      readTable(page, node.children, rule);
    } else if (DEFERRED.test(raw)) readDeferral(at, raw, rule);
    else if (rule) rule.text += `${raw}\n`;
    else if (binds(node, raw))
      fail(at, "a demand outside any rule", "give it a ### rule");
  }
  for (const [i, line] of source.split("\n").entries())
    if (TABLE_LINE.test(line) && !inTable.has(i + 1))
      fail(
        `${page}:${i + 1}`,
        "a table that did not parse as one",
        "repair its delimiter row, its indent or the blank lines around it",
      );
  for (const r of rules) {
    if (!r.text)
      fail(`${page}:${r.line}`, `${r.id} has no prose`, "say what holds");
    r.hash = createHash("sha256").update(r.text).digest("hex").slice(0, 6);
  }
  return rules;
}

/** The rules of all pages of a folder, by page name; the generated COVERAGE.md is none. */
export function readSpec(dir = "spec"): Rule[] {
  const rules: Rule[] = [];
  for (const file of readdirSync(dir).sort()) {
    const path = `${dir}/${file}`;
    if (file === "COVERAGE.md") continue;
    if (!file.endsWith(".md")) fail(path, "not a page", "keep .md files here");
    rules.push(...readPage(path, readFileSync(path, "utf8")));
  }
  refuseRepeats(rules);
  return rules;
}

/** Rule ids are unique over all pages; so are the names of limits, wordings, lists and entries. */
export function refuseRepeats(rules: readonly Rule[]): void {
  const seen = new Map<string, string>();
  for (const { id, page, line, ...of } of rules)
    for (const name of [
      id,
      ...[of.limits, of.wordings, of.lists, of.entries]
        .flat()
        .map((row) => row.name),
    ]) {
      const first = seen.get(name);
      const here = `${page}:${line}`;
      if (first) fail(here, `${name} is declared twice`, `see ${first}`);
      seen.set(name, here);
    }
}

const binds = (node: RootContent, raw: string): boolean =>
  node.type !== "html" && /\b(must|shall)\b/i.test(raw);

function newRule(page: string, line: number, heading: string): Rule {
  const id = heading.replace(/^### /, "");
  if (!RULE_ID.test(id))
    fail(`${page}:${line}`, `"${id}" is no rule id`, "write kebab-case words");
  const declared = { limits: [], wordings: [], lists: [], entries: [] };
  const text = { text: "", hash: "", deferred: undefined };
  return { id, page, line, ...text, ...declared, examples: [] };
}

function readDeferral(at: string, raw: string, rule: Rule | undefined): void {
  if (!rule) fail(at, "a deferral outside any rule", "move it under one");
  if (rule.deferred !== undefined)
    fail(at, `${rule.id} is deferred twice`, "give one reason");
  rule.deferred = raw.replace(DEFERRED, "");
  if (!rule.deferred) fail(at, "a deferral without a reason", "give it");
}

function readTable(page: string, rows: readonly TableRow[], rule: Rule): void {
  const [head, ...body] = rows;
  const at = `${page}:${head!.position!.start.line}`;
  const columns = head!.children.map((cell) => plain(cell, at));
  const kind = columns[0]!;
  const isExamples =
    columns.every((c) => EXAMPLES.test(c)) &&
    columns.some((c) => c.startsWith("then ")) &&
    columns.indexOf("because") === columns.length - 1 &&
    columns.lastIndexOf("golden") <= 0 &&
    new Set(columns).size === columns.length;
  const isEntries =
    kind === "entry" &&
    columns.at(-1) === "why" &&
    columns.length > 2 &&
    columns.every((c) => COLUMN.test(c)) &&
    new Set(columns).size === columns.length;
  if (!isExamples && !isEntries && columns.join(" | ") !== COLUMNS[kind])
    fail(
      at,
      `a table with the columns "${columns.join(" | ")}"`,
      `write "${COLUMNS[kind] ?? "given … | when … | then … | because"}"`,
    );
  if (body.length === 0) fail(at, "a table without rows", "add them");
  if (isExamples && rule.examples.length > 0)
    fail(at, `a second example table of ${rule.id}`, "split the rule");
  const data = isEntries ? dataColumns(columns, body) : [];
  for (const { position, children } of body) {
    const line = position!.start.line;
    const here = `${page}:${line}`;
    if (children.length !== columns.length)
      fail(
        here,
        `${children.length} cells under ${columns.length} columns`,
        "write a pipe as \\| and leave a blank line after the table",
      );
    const [first, second, third] = children;
    const named = {
      name: plain(first!, here),
      why: flat(children.at(-1)!, here),
    };
    if (!isExamples && !NAME.test(named.name))
      fail(here, `"${named.name}" is no name`, "write it as UPPER_CASE");
    if (kind === "limit") {
      const value = plain(second!, here);
      if (!NUMBER.test(value))
        fail(here, `"${value}" is no number`, "write digits");
      const unit = plain(third!, here);
      rule.limits.push({
        ...named,
        value: Number(value.replaceAll(",", "")),
        unit,
      });
    } else if (kind === "wording")
      rule.wordings.push({ ...named, text: template(second!, here) });
    else if (kind === "list")
      rule.lists.push({ ...named, items: codes(second!, here) });
    else if (isEntries)
      rule.entries.push({
        ...named,
        columns: Object.fromEntries(
          data.map((i) => [
            camel(columns[i]!),
            codesOrNone(children[i]!, here),
          ]),
        ),
      });
    else {
      const texts = children.map((cell, i) =>
        columns[i] === "because" ? flat(cell, here) : plain(cell, here),
      );
      const cells = Object.fromEntries(columns.map((c, i) => [c, texts[i]!]));
      rule.examples.push({ line, cells });
    }
  }
}

/** Columns of entries whose every cell is code spans, or none of them: the others are for readers. */
const dataColumns = (
  columns: readonly string[],
  body: readonly TableRow[],
): number[] =>
  columns.flatMap((_, i) =>
    i > 0 &&
    i < columns.length - 1 &&
    body.every(({ children }) =>
      children[i]?.children.every(
        (n) => n.type === "inlineCode" || /^\s*–?\s*$/.test(words(n)),
      ),
    )
      ? [i]
      : [],
  );

const codesOrNone = (cell: TableCell, at: string): string[] =>
  flat(cell, at) === "–" ? [] : codes(cell, at);

const camel = (column: string): string =>
  column.replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());
