/**
 * A memory for the tool of an MCP server: it remembers what each context of a
 * connection was sent, proves that the copy is still exact, and says which lines
 * to send and which to point at.
 *
 * A call goes: `view` of the record → `gateOf` → for each file `fingerprint`,
 * `heldSpans`, `decideFile` → `putBack` → render, with `pointer` for what is held
 * → `delivered` → `record`. Nothing here reads a file, a clock or the environment.
 *
 * The thresholds are those of the spec; most functions take others as last argument.
 *
 * Units: 1-based lines, inclusive; bytes of UTF-8; UTF-16 units where it says chars.
 * Errs: toward sending again.
 *
 * @spec dedup-library
 */
export { fingerprint } from "../model/fingerprint.ts";
export { splitLines } from "../model/lines.ts";
export {
  joined,
  lineCount,
  printSpans,
  readSpans,
  type Span,
} from "../model/span.ts";
export { askedKey } from "../session/asked.ts";
export { contextKey, DEFAULT_CONTEXT, rootKey } from "../session/context.ts";
export { SessionRecord, type RecordLimits } from "../session/record.ts";
export { isSound, largest, sound } from "../session/spans.ts";
export type {
  DeliveredFile,
  Emission,
  RecordedCall,
  SessionView,
} from "../session/view.ts";
export { cover, type Cover } from "./cover.ts";
export {
  charsOf,
  decideFile,
  delivered,
  type FileDecision,
  type FileWish,
  type Shown,
} from "./file.ts";
export { folds, gateOf, switchedOn, type Gate } from "./gates.ts";
export { putBack, sentAgain } from "./guard.ts";
export { heldSpans, unheldPadding } from "./held.ts";
export { pointer, type PointerFacts } from "./pointer.ts";
