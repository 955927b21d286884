/** How hosts name their contexts. A hook loads it at every call: it imports nothing. */

/**
 * The id of a host's context: its session, and the agent in it where one of its
 * subagents is meant. Empty where there is no session.
 * @spec context-of-a-host
 */
export function contextIdOf(session: unknown, agent: unknown): string {
  const name = (id: unknown): string =>
    typeof id === "string" ? id.trim() : "";
  const own = name(session);
  if (own === "") return "";
  return name(agent) === "" ? own : `${own}:${name(agent)}`;
}
