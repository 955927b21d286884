/** Names of contexts. */
import { createHash } from "node:crypto";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** The context of a caller that says nothing about itself. No id that a caller gives can spell it. */
export const DEFAULT_CONTEXT = "";

/**
 * The key of a caller's id.
 * Errs: toward the default context, which is the caller's own connection.
 * @spec session-keys
 */
export function contextKey(
  id: unknown,
  limits: Pick<Limits, "MAX_CONTEXT_ID_CHARS"> = fromSpec,
): string {
  if (typeof id !== "string") return DEFAULT_CONTEXT;
  const trimmed = id.trim();
  return trimmed.length > limits.MAX_CONTEXT_ID_CHARS
    ? `sha256:${createHash("sha256").update(trimmed).digest("hex")}`
    : trimmed;
}
