/** What `pnpm spec` writes and the gate compares: one list for both. */
import { citations, readSources, type Citations } from "./cite.ts";
import { emitConstants, emitCoverage } from "./emit.ts";
import { readSpec } from "./read.ts";
import type { Rule } from "./rule.ts";

export interface Generated {
  readonly path: string;
  readonly text: string;
}

export async function generated(
  rules: readonly Rule[] = readSpec(),
  cited: Citations = citations(readSources()),
): Promise<readonly Generated[]> {
  return [
    { path: "src/spec.gen.ts", text: await emitConstants(rules) },
    { path: "spec/COVERAGE.md", text: await emitCoverage(rules, cited) },
  ];
}
