/**
 * A process of its own, since the parser's module is one for all of a thread:
 * compiles every entry's query with the module as it came, and prints the complaints.
 */
import { Language as Grammar, Parser, Query } from "web-tree-sitter";
import { grammarsOnDisk, PARSER_WASM } from "../src/index/parse/grammars.ts";
import { languages } from "../src/languages/index.ts";

const grammars = grammarsOnDisk();
await Parser.init({ wasmBinary: await grammars(PARSER_WASM) } as never);
for (const { id, grammar, query } of languages) {
  if (grammar === undefined || query === undefined) continue;
  try {
    new Query(await Grammar.load(await grammars(grammar)), query).delete();
  } catch (error) {
    console.log(`${id}: ${String(error)}`);
  }
}
