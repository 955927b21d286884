/**
 * Whose call it is: the context that a call belongs to, as far as it can be known
 * from the call itself, from what a hook announced of it, or from a stamp on it.
 *
 * Errs: toward not knowing. A call that is not identified is one of its connection's
 * default context, which may be several conversations.
 */
import { lists } from "../spec.gen.ts";
import type { AnnouncedCall } from "./announced.ts";
import { rowOf } from "./clients.ts";
import { contextKey, DEFAULT_CONTEXT } from "./context.ts";

export interface Owner {
  /** The key of the context. */
  readonly context: string;
  /** How the context was told. */
  readonly by: "call" | "announced" | "stamp" | "none";
  /** What a hook has said of it, and the id that it was said of. */
  readonly announced?: AnnouncedCall & { readonly callId: string };
  /** The result may never reach a conversation: it is neither shortened nor remembered. */
  readonly detached: boolean;
}

/** What there is to go by; every value as it came, and none of it trusted. */
export interface CallSigns {
  /** The name that the client gives itself. */
  readonly client: string | undefined;
  /** `_meta` of the request. */
  readonly meta: unknown;
  /** The argument `sessionId`. */
  readonly sessionId: unknown;
  /** What a hook has announced of a call's id. */
  readonly announced: (callId: string) => AnnouncedCall | undefined;
}

/** @spec owner-of-a-call ownership-of-clients */
export function ownerOf({
  client,
  meta,
  sessionId,
  announced,
}: CallSigns): Owner {
  const said = (
    typeof meta === "object" && meta !== null ? meta : {}
  ) as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = Object.hasOwn(said, name) ? said[name] : undefined;
    return typeof value === "string" ? value : "";
  };
  const { identifiedBy } = rowOf(client);
  if (identifiedBy.includes("call")) {
    const callId = text("callId");
    if (lists.DETACHED_CALLS.some((begin) => callId.startsWith(begin)))
      return { context: DEFAULT_CONTEXT, by: "call", detached: true };
    const [thread, part] = [text("threadId"), text("windowId")];
    if (thread !== "" && part !== "")
      return {
        context: contextKey(`${thread}:${part}`),
        by: "call",
        detached: false,
      };
  }
  const callId = identifiedBy.includes("announced")
    ? text("claudecode/toolUseId")
    : "";
  const call = callId === "" ? undefined : announced(callId);
  if (call && call.context !== DEFAULT_CONTEXT)
    return {
      context: call.context,
      by: "announced",
      announced: { ...call, callId },
      detached: false,
    };
  const stamped = contextKey(
    identifiedBy.includes("stamp") ? sessionId : undefined,
  );
  return stamped === DEFAULT_CONTEXT
    ? { context: DEFAULT_CONTEXT, by: "none", detached: false }
    : { context: stamped, by: "stamp", detached: false };
}

/**
 * Whether it is known whose a call is, and that this will not have ended unnoticed.
 * `isReached` says whether a control line reaches the server.
 * @spec owner-is-known
 */
export const isKnown = (
  { by }: Pick<Owner, "by">,
  client: string | undefined,
  isReached: boolean,
): boolean =>
  by === "stamp"
    ? isReached || lists.SELF_ENDING.includes(client?.toLowerCase() ?? "")
    : by !== "none";
