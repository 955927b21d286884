/** `pnpm spec`: rewrites what is generated from the spec, and says what changed. */
import { readFileSync, writeFileSync } from "node:fs";
import { SpecError } from "./cells.ts";
import { generated } from "./generated.ts";

try {
  for (const { path, text } of await generated()) {
    if (readFileSync(path, "utf8") === text) continue;
    writeFileSync(path, text);
    console.log(`${path} is rewritten`);
  }
} catch (error) {
  if (!(error instanceof SpecError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
