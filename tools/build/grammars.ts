/** The grammars that the product ships: those that a language names, and the parser itself. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { grammarPath, PARSER_WASM } from "../../src/index/parse/grammars.ts";
import { languages } from "../../src/languages/index.ts";

/** Copies them into `folder`; gives where they came from. Throws: Error that names a missing one. */
export async function copyGrammars(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const files = new Set([
    PARSER_WASM,
    ...languages.flatMap(({ grammar }) => grammar ?? []),
  ]);
  return [...files].sort().map((file) => {
    const path = grammarPath(file);
    if (path === undefined)
      throw new Error(`no package has ${file}; run the install again`);
    copyFileSync(path, join(folder, file));
    return path;
  });
}
