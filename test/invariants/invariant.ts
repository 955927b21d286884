/**
 * What the source may never do: a sentence, the rule it serves, a scan, and
 * snippets that the scan has to catch.
 *
 * An exception is a line comment, `exempt RULE-ID: reason`, on the line it excuses.
 * One that excuses nothing fails. A rule has at most one invariant, so that there
 * is no doubt which scan an exemption talks to.
 */
import { readFileSync } from "node:fs";
import { Node, Project, type SourceFile } from "ts-morph";
import { expect, test } from "vitest";
import type { RuleId } from "../../src/spec.gen.ts";
import { exemptions } from "../../tools/spec/exempt.ts";

export interface Breach {
  readonly node: Node;
  /** The remedy, as a reader of the failure needs it. */
  readonly say: string;
}
export interface Invariant {
  readonly rule: RuleId;
  /** A glob from the root; matching no file fails. */
  readonly over: string;
  /** Path → text that breaks the invariant. Each has to be caught. */
  readonly caught: Readonly<Record<string, string>>;
  /** Path → text that comes close and is right. None may be caught. */
  readonly passes?: Readonly<Record<string, string>>;
  readonly scan: (file: SourceFile) => readonly Breach[];
}

const HERE = process.cwd().replaceAll("\\", "/");

const projects = new Map<string, Project>();

/**
 * The files of a glob. Those of a top folder are parsed once for all: no scan changes
 * them, and a type that a scan looks for by its name is one of that folder.
 * Throws: Error where it matches none.
 */
export function parsed(over: string): readonly SourceFile[] {
  const folder = over.split("/")[0]!;
  let project = projects.get(folder);
  if (!project) {
    project = new Project({ skipFileDependencyResolution: true });
    projects.set(folder, project);
  }
  const paths = [over, "!src/spec.gen.ts", "!test/fixtures/**"];
  const files = project.addSourceFilesAtPaths(paths);
  if (files.length === 0) throw new Error(`${over} matches no file`);
  return files;
}

/** The path from the root. */
export const pathOf = (file: SourceFile): string =>
  file.getFilePath().replace(`${HERE}/`, "");

export function invariant(sentence: string, scanned: Invariant): void {
  const { rule, over, caught, passes = {}, scan } = scanned;
  test(sentence, () => {
    expect(
      parsed(over).flatMap((file) => complaints(file, rule, scan)),
    ).toEqual([]);
  });
  const snippets = (texts: Readonly<Record<string, string>>): SourceFile[] => {
    const project = new Project({ useInMemoryFileSystem: true });
    return Object.entries(texts).map(([path, text]) =>
      project.createSourceFile(path, text),
    );
  };
  test(`${sentence} (catches its counter-examples)`, () => {
    expect(Object.keys(caught).length).toBeGreaterThan(0);
    for (const file of snippets(caught))
      expect(scan(file), `${file.getFilePath()} passes`).not.toEqual([]);
    for (const file of snippets(passes))
      expect(scan(file).map(where), file.getFilePath()).toEqual([]);
  });
}

const where = ({ node, say }: Breach): string =>
  `${pathOf(node.getSourceFile())}:${node.getStartLineNumber()}: ${say}`;

/** Breaches that nothing excuses, and exemptions that excuse nothing. */
export function complaints(
  file: SourceFile,
  rule: RuleId,
  scan: Invariant["scan"],
): string[] {
  const excused = exemptions(file.compilerNode).filter((e) => e.rule === rule);
  const lines = new Set(excused.map((e) => e.line));
  const used = new Set<number>();
  const out: string[] = [];
  for (const breach of scan(file)) {
    const line = breach.node.getStartLineNumber();
    if (lines.has(line)) used.add(line);
    else out.push(where(breach));
  }
  const path = pathOf(file);
  for (const { line } of excused)
    if (!used.has(line))
      out.push(`${path}:${line}: this exemption excuses nothing; delete it`);
  return out;
}

/** A breach in a text file: its 1-based line and the remedy. */
export interface TextBreach {
  readonly line: number;
  readonly say: string;
}
export interface TextInvariant {
  readonly rule: RuleId;
  /** What is scanned, in words, for COVERAGE.md. */
  readonly over: string;
  /** Paths from the root; none fails. */
  readonly files: () => readonly string[];
  readonly caught: Readonly<Record<string, string>>;
  readonly passes?: Readonly<Record<string, string>>;
  readonly scan: (text: string, path: string) => readonly TextBreach[];
}

/** An invariant over texts of any kind. It knows no exemptions. */
export function textInvariant(sentence: string, scanned: TextInvariant): void {
  const { over, files, caught, passes = {}, scan } = scanned;
  test(sentence, () => {
    const paths = files();
    expect(paths.length, `${over} matches no file`).toBeGreaterThan(0);
    expect(
      paths.flatMap((path) =>
        scan(readFileSync(path, "utf8"), path).map(
          ({ line, say }) => `${path}:${line}: ${say}`,
        ),
      ),
    ).toEqual([]);
  });
  test(`${sentence} (catches its counter-examples)`, () => {
    expect(Object.keys(caught).length).toBeGreaterThan(0);
    for (const [path, text] of Object.entries(caught))
      expect(scan(text, path), `${path} passes`).not.toEqual([]);
    for (const [path, text] of Object.entries(passes))
      expect(scan(text, path), path).toEqual([]);
  });
}
