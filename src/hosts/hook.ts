/**
 * What a host's hook hands to codegraph, and what it gets back. Pure: texts in, texts
 * out.
 *
 * Errs: toward changing nothing. What is not understood gets no answer.
 */
import { contextIdOf } from "../session/host.ts";
import { TOOL } from "../serve/tool.ts";
import { lists } from "../spec.gen.ts";

type Payload = Readonly<Record<string, unknown>>;

function readPayload(text: string): Payload | undefined {
  try {
    const given = JSON.parse(text) as unknown;
    return typeof given === "object" && given !== null && !Array.isArray(given)
      ? (given as Payload)
      : undefined;
  } catch {
    return undefined;
  }
}

const own = (payload: Payload, name: string): unknown =>
  Object.hasOwn(payload, name) ? payload[name] : undefined;

/**
 * The stamp on a call: the whole input again, with the caller's context in it. Empty
 * where the call is not ours or says of no session.
 * @spec hook-pre-tool-use
 */
export function preToolUse(text: string, agent: string | undefined): string {
  const payload = readPayload(text);
  const tool = payload && own(payload, "tool_name");
  const input = payload && own(payload, "tool_input");
  if (typeof tool !== "string" || !tool.endsWith(`__${TOOL}`)) return "";
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return "";
  const id = contextIdOf(
    own(payload!, "session_id"),
    own(payload!, "agent_id"),
  );
  if (id === "") return "";
  return JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      // Others would approve what their user wants to be asked about.
      ...(agent !== undefined &&
        lists.REWRITE_NEEDS_ALLOW.includes(agent) && {
          permissionDecision: "allow",
        }),
      updatedInput: { ...input, sessionId: id },
    },
  });
}

/** The context that a compaction has emptied; empty for none. @spec hook-post-compact */
export function postCompact(text: string): string {
  const payload = readPayload(text);
  return payload
    ? contextIdOf(own(payload, "session_id"), own(payload, "agent_id"))
    : "";
}
