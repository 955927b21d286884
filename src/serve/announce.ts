/**
 * What a host's hook tells the server over the connection of the calls that follow:
 * whose the next call is, or that a context has ended. It comes as a call of a tool
 * that no list names.
 */
import type { Announced, AnnouncedCall } from "../session/announced.ts";
import { contextKey } from "../session/context.ts";
import { contextIdOf } from "../session/host.ts";
import type { SessionRecord } from "../session/record.ts";
import { limits as fromSpec, lists, type Limits } from "../spec.gen.ts";

export const ANNOUNCE_TOOL = "codegraph_context";

export type Announcement =
  | ({ readonly kind: "call"; readonly callId: string } & AnnouncedCall)
  | { readonly kind: "end"; readonly context: string };

/**
 * `s` is the host's session, `a` the agent in it, `u` the id of the call that comes,
 * `t` the transcript of the session, `p` the prompt that the call answers to, `e` the
 * event; a host sends an empty text for what it does not have. Undefined where it says
 * nothing that can be used.
 * @spec hooks-announce announced-calls rewound-calls
 */
export function readAnnouncement(
  given: unknown,
  limits: Pick<Limits, "MAX_ANNOUNCED_CHARS"> = fromSpec,
): Announcement | undefined {
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
  const text = (name: string): string => {
    const value = own(name);
    return typeof value === "string" ? value : "";
  };
  const callId = text("u");
  if (callId === "") return undefined;
  const isLong = (name: string) =>
    text(name).length > limits.MAX_ANNOUNCED_CHARS;
  if (["u", "t", "p"].some(isLong)) return undefined;
  const context = contextKey(id);
  // A subagent's conversation stands in another file, and nobody takes it back.
  const isMain = id === contextIdOf(own("s"), "");
  const [path, prompt] = [text("t"), text("p") || undefined];
  return isMain && path !== ""
    ? { kind: "call", callId, context, transcript: { path, prompt } }
    : { kind: "call", callId, context };
}

/** The answer is hook output that changes nothing. @spec hooks-announce */
export function announce(
  given: unknown,
  record: SessionRecord,
  announced: Announced,
): { readonly content: readonly { type: "text"; text: string }[] } {
  const said = readAnnouncement(given);
  if (said?.kind === "call") announced.announce(said.callId, said);
  else if (said) record.forget(said.context);
  return { content: [{ type: "text", text: "{}" }] };
}
