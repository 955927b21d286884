/**
 * The plugin that tells whose a call of opencode is. opencode runs subagents over one
 * connection and says nothing of them in a call, but it loads plugins into its own
 * process, which see each call's session and every window that goes to the model.
 *
 * It is text and not a module of this program: it is copied into the user's plugin
 * folder, imports nothing, and names no path, so that a project can share it.
 */

/**
 * The line that tells our plugin from any other.
 * @spec opencode-plugin-is-shared
 */
export const PLUGIN_MARK =
  "// Written by `codegraph install`, which overwrites it.";

/**
 * What the plugin does, for opencode 1.18 and newer:
 *
 * - It stamps each call of `codegraph_explore` with `sessionId`: the session, and which
 *   of its windows, counted from 0: `ses_1`, `ses_1.1`, …
 * - A window ends when an answer that it was sent is no longer in what goes to the
 *   model: compacted, pruned, reverted or failed.
 *
 * Errs: toward a new window, in which everything is served again.
 * @spec opencode-stamps
 */
export const pluginSource = (): string => `${PLUGIN_MARK}
// Tells codegraph which conversation a call of codegraph_explore comes from, so that it
// points at source only where this conversation still holds it.

/** By session: how many of its windows have ended, and the calls of the present one. */
const windows = new Map();

const windowOf = (session) => {
  if (!windows.has(session)) windows.set(session, { ended: 0, calls: new Set() });
  return windows.get(session);
};

const end = (session) => {
  const window = windows.get(session);
  if (!window) return;
  window.ended += 1;
  window.calls.clear();
};

const isExplore = (tool) => /(^|_)codegraph_explore$/.test(tool);

export const Codegraph = async () => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    if (!isExplore(tool)) return;
    const { ended, calls } = windowOf(sessionID);
    calls.add(callID);
    args.sessionId = ended === 0 ? sessionID : \`\${sessionID}.\${ended}\`;
  },

  // What is about to be sent to the model: does it hold every answer?
  "experimental.chat.messages.transform": async (_input, { messages }) => {
    const session = messages.at(-1)?.info?.sessionID;
    const calls = windows.get(session)?.calls;
    if (!calls?.size) return;
    const held = new Set();
    for (const { parts } of messages)
      for (const { type, callID, state } of parts)
        if (type === "tool" && state.status === "completed" && !state.time?.compacted)
          held.add(callID);
    if ([...calls].some((call) => !held.has(call))) end(session);
  },

  event: async ({ event: { type, properties } }) => {
    if (type === "session.compacted") end(properties.sessionID);
    if (type === "session.updated" && properties.info?.revert) end(properties.info.id);
    if (type === "session.deleted") windows.delete(properties.info?.id);
  },
});
`;
