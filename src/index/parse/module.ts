/**
 * The parser's own module, with one function of it cut short.
 *
 * Before a query is used, the parser walks the tables of the grammar for every
 * pattern: it looks for patterns that can never match, and for steps that cannot
 * fail. The first is a check of the entry, and a test makes it with the module as
 * it came; of the second the parser itself says that it gives up after a number of
 * rounds, and takes all steps for ones that may fail. Here it gives up at once: the
 * same matches, and 140 ms less for each thread and language of TypeScript's size.
 *
 * Errs: toward the module as it came, where it is not the one that is known.
 */
import { Buffer } from "node:buffer";

/** How the function `ts_query__perform_analysis` begins. */
const BEGINS = "230041d0006b220b24002003410036024020034100360234200341186a2117";
/** Sets `did_abort` of its last argument and returns; what is left of the function is not reached. */
const INSTEAD = "200341013a00480f0101";

/** @spec queries-without-analysis */
export function withoutAnalysis(module: Uint8Array): Uint8Array {
  const out = Buffer.from(module);
  const begins = Buffer.from(BEGINS, "hex");
  const at = out.indexOf(begins);
  if (at !== -1 && out.indexOf(begins, at + 1) === -1)
    Buffer.from(INSTEAD, "hex").copy(out, at);
  return out;
}
