/**
 * Finds who cites the spec: `@spec` tags on code, and the helpers of the tests.
 * Files are parsed, never type-checked, so that this costs milliseconds a file.
 *
 * Errs: toward reporting. A tag or a check in a place where it would not count is
 *   listed in `stray` rather than overlooked.
 */
import { globSync, readFileSync } from "node:fs";
import { ts } from "ts-morph";

/** The helpers that check a rule, with what COVERAGE.md calls them. */
const CHECKS = [
  "examples",
  "law",
  "ruleTest",
  "invariant",
  "textInvariant",
  "loadBearing",
] as const;
type CheckKind = (typeof CHECKS)[number];

/** One call of a helper. */
export interface Check {
  readonly rule: string;
  readonly kind: CheckKind;
  readonly path: string;
  readonly line: number;
  /** What an invariant scans; empty for other kinds. */
  readonly over: string;
  /** Limits that this check moves besides those of its own rule. */
  readonly moves: readonly string[];
}
export interface Citations {
  /** Rule → places of its code, `dedup/cover.ts#cover`. */
  readonly code: ReadonlyMap<string, readonly string[]>;
  readonly checks: readonly Check[];
  /** `path:line: what is wrong`. */
  readonly stray: readonly string[];
}
/** A file's text by its path from the root, with `/`. */
export type Sources = ReadonlyMap<string, string>;

/** The project's own TypeScript, by path. Generated code cites nothing. */
export function readSources(): Sources {
  const paths = globSync(["src/**/*.ts", "tools/**/*.ts", "test/**/*.ts"], {
    exclude: ["test/fixtures/**", "src/spec.gen.ts"],
  });
  return new Map(
    paths
      .map((path) => path.replaceAll("\\", "/"))
      .sort()
      .map((path) => [path, readFileSync(path, "utf8")]),
  );
}

/** The syntax of a file of the sources; its nodes know their parents. */
export type Parse = (path: string, text: string) => ts.SourceFile;

export const parse: Parse = (path, text) =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

/** `syntax` may be of whoever has parsed the files before. */
export function citations(sources: Sources, syntax: Parse = parse): Citations {
  const code = new Map<string, string[]>();
  const checks: Check[] = [];
  const stray: string[] = [];
  for (const [path, text] of sources) {
    const isTest = path.startsWith("test/");
    if (!(isTest ? CHECKS.some((c) => text.includes(c)) : /@spec\b/.test(text)))
      continue;
    const file = syntax(path, text);
    const line = (pos: number): number =>
      file.getLineAndCharacterOfPosition(pos).line + 1;
    if (isTest) readChecks(file, path, line, checks, stray);
    else {
      const tags = readTags(file);
      for (const { rule, name } of tags) {
        const place = `${path.replace(/^src\//, "")}#${name}`;
        code.set(rule, [...(code.get(rule) ?? []), place]);
      }
      for (const m of text.matchAll(/@spec\b/g))
        if (path.startsWith("src/") && !tags.some((t) => t.covers(m.index)))
          stray.push(`${path}:${line(m.index)}: this @spec tag is on nothing`);
    }
  }
  return { code, checks, stray };
}

interface Tag {
  readonly rule: string;
  readonly name: string;
  readonly covers: (pos: number) => boolean;
}

function readTags(file: ts.SourceFile): Tag[] {
  const tags: Tag[] = [];
  const visit = (node: ts.Node): void => {
    // `jsDoc` is where the parser leaves the comments that stand on a node.
    const { jsDoc = [] } = node as { jsDoc?: readonly ts.JSDoc[] };
    for (const tag of jsDoc.flatMap((doc) => doc.tags ?? [])) {
      if (tag.tagName.text !== "spec") continue;
      const rules = ts.getTextOfJSDocComment(tag.comment)?.trim() ?? "";
      const covers = (pos: number): boolean => tag.pos <= pos && pos < tag.end;
      for (const rule of rules.split(/\s+/))
        tags.push({ rule, name: nameOf(node), covers });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return tags;
}

/** `cover`, `Bucket`, `Bucket.forget`; a variable statement by its first variable. */
function nameOf(node: ts.Node): string {
  if (ts.isVariableStatement(node))
    return nameOf(node.declarationList.declarations[0]!);
  const own = (node as { name?: ts.Node }).name?.getText() ?? "default";
  return ts.isClassElement(node) || ts.isTypeElement(node)
    ? `${nameOf(node.parent)}.${own}`
    : own;
}

function readChecks(
  file: ts.SourceFile,
  path: string,
  line: (pos: number) => number,
  checks: Check[],
  stray: string[],
): void {
  const visit = (node: ts.Node, conditional: boolean): void => {
    const kind =
      ts.isCallExpression(node) && ts.isIdentifier(node.expression)
        ? CHECKS.find((c) => c === (node.expression as ts.Identifier).text)
        : undefined;
    if (kind && ts.isCallExpression(node)) {
      const [first, ...rest] = node.arguments;
      const isScan = kind === "invariant" || kind === "textInvariant";
      const rule = isScan ? property(rest[0], "rule") : literal(first);
      const at = line(node.getStart());
      if (rule === undefined)
        stray.push(`${path}:${at}: ${kind} names no rule; write it literally`);
      else if (conditional)
        stray.push(
          `${path}:${at}: a check under a condition, or in a function, may never run`,
        );
      else if (!path.endsWith(".test.ts"))
        stray.push(`${path}:${at}: a check outside a .test.ts file never runs`);
      else
        checks.push({
          rule,
          kind,
          path,
          line: at,
          over: (isScan && property(rest[0], "over")) || "",
          moves: moved(kind, rest),
        });
    }
    const inner =
      conditional ||
      ts.isIfStatement(node) ||
      ts.isConditionalExpression(node) ||
      ts.isFunctionDeclaration(node) ||
      (ts.isFunctionLike(node) && !ts.isCallExpression(node.parent)) ||
      (ts.isBinaryExpression(node) &&
        [
          ts.SyntaxKind.AmpersandAmpersandToken,
          ts.SyntaxKind.BarBarToken,
          ts.SyntaxKind.QuestionQuestionToken,
        ].includes(node.operatorToken.kind));
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(file, false);
}

const literal = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteralLike(node) ? node.text : undefined;

const property = (
  node: ts.Node | undefined,
  name: string,
): string | undefined => {
  if (!node || !ts.isObjectLiteralExpression(node)) return undefined;
  const found = node.properties.find(
    (p): p is ts.PropertyAssignment =>
      ts.isPropertyAssignment(p) && p.name.getText() === name,
  );
  return literal(found?.initializer);
};

/** The limits named by `loadBearing(id, "LIMIT", …)` and `examples(…, ["LIMIT"])`. */
function moved(kind: CheckKind, rest: readonly ts.Node[]): string[] {
  if (kind === "loadBearing") return [literal(rest[0]) ?? ""];
  const also = kind === "examples" ? rest[3] : undefined;
  return also && ts.isArrayLiteralExpression(also)
    ? also.elements.map((e) => literal(e) ?? "")
    : [];
}
