/**
 * Where the .wasm files lie: beside the bundle in `grammars/`, or in the packages
 * they come from when run from source.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Gives the bytes of a grammar, or of the parser itself, by file name. */
export type GrammarSource = (file: string) => Promise<Uint8Array>;

/** The parser's own module. */
export const PARSER_WASM = "web-tree-sitter.wasm";

/** The package that each .wasm file comes from, by file name. */
export function grammarPackage(file: string): string {
  if (file === PARSER_WASM) return "web-tree-sitter";
  const one = ["tree-sitter-c", "tree-sitter-scala"].find(
    (p) => file === `${p}.wasm`,
  );
  if (one !== undefined) return one;
  if (/^tree-sitter-(kotlin|lua)\.wasm$/.test(file))
    return `@tree-sitter-grammars/${file.slice(0, -".wasm".length)}`;
  return "@vscode/tree-sitter-wasm/wasm";
}

/**
 * Reads grammars from `folder`, else from a `grammars` folder beside this module,
 * else from the nearest `node_modules` above it.
 * Throws: Error that names the file where it is in none of them.
 */
export function grammarsOnDisk(folder?: string): GrammarSource {
  return async (file) => {
    const path = grammarPath(file, folder);
    if (path === undefined)
      throw new Error(
        `grammar ${file} is missing: reinstall codegraph-explore`,
      );
    return readFileSync(path);
  };
}

export function grammarPath(file: string, folder?: string): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = folder === undefined ? [] : [join(folder, file)];
  places.push(join(here, "grammars", file));
  for (let up = here; ; up = dirname(up)) {
    places.push(join(up, "node_modules", grammarPackage(file), file));
    if (dirname(up) === up) break;
  }
  return places.find((p) => existsSync(p));
}
