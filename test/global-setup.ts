/** What all test files need, once and before any of them: the binary, and the spec. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { readSpec } from "../tools/spec/read.ts";
import type { Rule } from "../tools/spec/rule.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The rules of all pages: to read them takes a second. */
    rules: readonly Rule[];
    /** A folder, with links resolved, that is gone after the last test. */
    scratch: string;
  }
}

export default function setup({ provide }: TestProject): () => void {
  // As npm does it before it packs.
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
    scripts: { prepack: string };
  };
  const [node, ...build] = scripts.prepack.split(" ");
  if (node !== "node") throw new Error(`prepack runs ${node}, not node`);
  execFileSync(process.execPath, build);
  provide("rules", readSpec());
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "cgtest-")));
  provide("scratch", scratch);
  return () => rmSync(scratch, { recursive: true, force: true });
}
