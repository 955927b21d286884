/** Names of contexts and of project roots, as a record tells them apart. */
import { createHash } from "node:crypto";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** The context of a caller that says nothing about itself. */
export const DEFAULT_CONTEXT = "";

/**
 * The key of a caller's id: a key and nothing else, whatever the caller wrote. Two
 * ids have one key only if they are equal without the white space around them.
 * Errs: toward the default context, which is the caller's own connection.
 * @spec session-keys
 */
export function contextKey(
  id: unknown,
  limits: Pick<Limits, "MAX_CONTEXT_ID_CHARS"> = fromSpec,
): string {
  if (typeof id !== "string") return DEFAULT_CONTEXT;
  const trimmed = id.trim();
  if (trimmed.length <= limits.MAX_CONTEXT_ID_CHARS) return trimmed;
  // UTF-16, because UTF-8 makes one character of all lone surrogates. The blank in
  // front keeps a caller from spelling the key of somebody else's long id.
  const digest = createHash("sha256").update(trimmed, "utf16le").digest("hex");
  return `${HASHED}${digest}`;
}

const HASHED = " sha256:";

/**
 * Whether a context ends where `ended` does: it is that one, or an agent's of that
 * session. Of a long id nothing tells whose agent's it is.
 * Errs: toward ending.
 * @spec session-forgets-a-context
 */
export const endsWith = (context: string, ended: string): boolean =>
  context === ended ||
  (ended !== DEFAULT_CONTEXT &&
    !ended.includes(":") &&
    (context.startsWith(`${ended}:`) || context.startsWith(HASHED)));

/**
 * The key of a resolved project root, an absolute path. `ignoresCase` says whether
 * the file system does.
 * @spec session-roots
 */
export function rootKey(root: string, ignoresCase: boolean): string {
  // Elsewhere a backslash is a character of a name.
  const isWindows = /^([A-Za-z]:)?\\/.test(root);
  const path = (isWindows ? root.replaceAll("\\", "/") : root).replace(
    /(?<=.)\/+$/,
    "",
  );
  return ignoresCase ? path.toLowerCase() : path;
}
