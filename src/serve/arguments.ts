/** What a client may ask of the tool. */
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";

export interface ExploreArguments {
  readonly query: string;
  readonly projectPath: string | undefined;
  readonly maxFiles: number | undefined;
  readonly maxChars: number | undefined;
  /** The caller's context, as a host's hook gives it; not checked here. */
  readonly sessionId: unknown;
}

/** The arguments of a call, or a sentence that says what is wrong with them. @spec serve-bad-arguments serve-bounds-what-it-reads */
export function readArguments(
  given: unknown,
  limits: Pick<Limits, "MAX_QUERY_CHARS" | "MAX_PATH_CHARS"> = fromSpec,
): ExploreArguments | string {
  const values = (
    typeof given === "object" && given !== null ? given : {}
  ) as Record<string, unknown>;
  const own = (name: string): unknown =>
    Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
  const query = own("query");
  if (query === undefined) return wordings.ARGUMENT_QUERY_MISSING;
  if (typeof query !== "string")
    return say(wordings.ARGUMENT_KIND, { name: "query", kind: "a text" });
  if (query.length > limits.MAX_QUERY_CHARS)
    return say(wordings.ARGUMENT_QUERY_LONG, {
      chars: query.length,
      most: limits.MAX_QUERY_CHARS,
    });
  const projectPath = own("projectPath");
  if (projectPath !== undefined && typeof projectPath !== "string")
    return say(wordings.ARGUMENT_KIND, { name: "projectPath", kind: "a text" });
  if (projectPath !== undefined && projectPath.length > limits.MAX_PATH_CHARS)
    return say(wordings.ARGUMENT_PATH_LONG, { chars: projectPath.length });
  const maxFiles = own("maxFiles");
  if (maxFiles !== undefined && typeof maxFiles !== "number")
    return say(wordings.ARGUMENT_KIND, { name: "maxFiles", kind: "a number" });
  const maxChars = own("maxChars");
  if (maxChars !== undefined && typeof maxChars !== "number")
    return say(wordings.ARGUMENT_KIND, { name: "maxChars", kind: "a number" });
  return {
    query,
    projectPath,
    maxFiles,
    maxChars,
    sessionId: own("sessionId"),
  };
}
