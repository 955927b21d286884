/**
 * What a host's hook tells the server over the connection of the calls that follow:
 * whose the next call is, or that a context has ended. It comes as a call of a tool
 * that no list names.
 */
import type { Announced } from "../session/announced.ts";
import { contextKey } from "../session/context.ts";
import { contextIdOf } from "../session/host.ts";
import type { SessionRecord } from "../session/record.ts";
import { lists } from "../spec.gen.ts";

export const ANNOUNCE_TOOL = "codegraph_context";

export type Announcement =
  | { readonly kind: "call"; readonly callId: string; readonly context: string }
  | { readonly kind: "end"; readonly context: string };

/**
 * `s` is the host's session, `a` the agent in it, `u` the id of the call that comes,
 * `e` the event; a host sends an empty text for what it does not have. Undefined
 * where it says nothing that can be used.
 * @spec hooks-announce
 */
export function readAnnouncement(given: unknown): Announcement | undefined {
  const values = (
    typeof given === "object" && given !== null ? given : {}
  ) as Readonly<Record<string, unknown>>;
  const own = (name: string): unknown =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  const id = contextIdOf(own("s"), own("a"));
  if (id === "") return undefined;
  const event = own("e");
  if (typeof event === "string" && event !== "")
    return lists.ENDING_EVENTS.includes(event)
      ? { kind: "end", context: contextKey(id) }
      : undefined;
  const callId = own("u");
  return typeof callId === "string" && callId !== ""
    ? { kind: "call", callId, context: contextKey(id) }
    : undefined;
}

/** The answer is hook output that changes nothing. @spec hooks-announce */
export function announce(
  given: unknown,
  record: SessionRecord,
  announced: Announced,
): { readonly content: readonly { type: "text"; text: string }[] } {
  const said = readAnnouncement(given);
  if (said?.kind === "call") announced.announce(said.callId, said.context);
  else if (said) record.forget(said.context);
  return { content: [{ type: "text", text: "{}" }] };
}
