/**
 * Answers a question about a project: ranks by the index, reads the files that
 * rank best, and renders them within the budget.
 */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { decode } from "../index/decode.ts";
import { fingerprint } from "../model/fingerprint.ts";
import { splitLines } from "../model/lines.ts";
import type { FileRow } from "../model/file.ts";
import type { Span } from "../model/span.ts";
import { rank, type Candidate } from "../rank/candidates.ts";
import { readQuery } from "../rank/query.ts";
import { regions } from "../rank/regions.ts";
import { contents, heading, section, type Section } from "../render/answer.ts";
import { plan } from "../render/plan.ts";
import { limits, wordings } from "../spec.gen.ts";
import type { IndexReader } from "../store/store.ts";

export interface ExploreRequest {
  readonly query: string;
  readonly maxFiles?: number;
  readonly maxChars?: number;
}

export interface ExploreAnswer {
  readonly text: string;
}

export interface Snapshot {
  readonly lines: readonly string[];
  readonly drifted: boolean;
  readonly exact: boolean;
}

export function explore(root: string, index: IndexReader, request: ExploreRequest): ExploreAnswer {
  const total = index.files().length;
  const tier = budgetOf(total);
  const query = readQuery(request.query);
  const ranking = rank(index, query);
  const files = ranking.candidates.flatMap((candidate) => {
    const snapshot = read(root, candidate.file);
    return snapshot && !candidate.file.keysOnly ? [{ candidate, snapshot }] : [];
  }).slice(0, tier.files + 6);
  const reserve = 300 + 70 * Math.min(files.length, tier.files);
  const plans = plan(
    files.map(({ candidate, snapshot }) => ({
      score: candidate.score,
      lines: snapshot.lines,
      regions: regions(candidate, snapshot.lines.length),
      namedPath: candidate.namedPath,
      drifted: snapshot.drifted,
      overhead: heading(candidate.file.path, ["", "", "", "", ""]).length + 100,
    })),
    tier.chars - reserve,
    tier.files,
  );
  const sections: Section[] = [];
  plans.forEach((p, i) => {
    if (p.kind === "none") return;
    const { candidate, snapshot } = files[i]!;
    sections.push({
      path: candidate.file.path,
      fence: candidate.file.language,
      lines: snapshot.lines,
      spans: p.spans,
      cut: p.cut,
      symbols: shownSymbols(candidate, p.spans),
      notes: [],
    });
  });
  return { text: [contents(sections, total), ...sections.map((s) => section(s))].join("\n") };
}

function budgetOf(files: number): { chars: number; files: number } {
  if (files < 150) return { chars: 13000, files: 8 };
  if (files < 500) return { chars: 18000, files: 10 };
  return { chars: 24000, files: 12 };
}

function shownSymbols(candidate: Candidate, spans: readonly Span[]): string[] {
  const shown = (line: number) => spans.some(([a, b]) => a <= line && line <= b);
  const names = [...candidate.named, ...candidate.symbols.filter((s) => s.kind !== "field")]
    .filter((s) => shown(s.span[0]))
    .map((s) => s.name);
  return [...new Set(names)];
}

/** The file as it is now; undefined where it is gone, or leads out of the project. */
export function read(root: string, file: FileRow): Snapshot | undefined {
  const path = join(root, file.path);
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > 5_000_000) return undefined;
    const real = realpathSync(path);
    if (!real.startsWith(realpathSync(root) + sep)) return undefined;
    const bytes = readFileSync(path);
    const { text, exact } = decode(bytes);
    return { lines: splitLines(text), drifted: fingerprint(bytes) !== file.fingerprint, exact };
  } catch {
    return undefined;
  }
}
export { wordings, limits };
