/**
 * Claude Code. Its hooks tell over the connection whose a call is (type `mcp_tool`), or
 * stamp it on the call (type `command`) where its version is not known to run the first.
 */
import { join } from "node:path";
import { ANNOUNCE_TOOL } from "../serve/announce.ts";
import { lists, wordings } from "../spec.gen.ts";
import { serverFile, hookFile } from "./file.ts";
import {
  CALL,
  CALLS,
  COMPACTION,
  resetting,
  stamping,
  type HookEntry,
} from "./hook-entries.ts";
import type { Host, Places, Wanted } from "./host.ts";
import { commandAndArgs, VARIABLE } from "./servers.ts";
import { forPosixShell } from "./words.ts";

const folder = ({ env, home }: Places): string =>
  env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");

const servers = {
  at: ["mcpServers"],
  entry: commandAndArgs({ type: "stdio" }),
  replaces: VARIABLE,
} as const;

export const claude: Host = {
  id: "claude",
  title: "Claude Code",
  programs: ["claude"],
  folders: (places) => [folder(places)],
  files: (scope, places) => {
    const { env, home, root } = places;
    if (scope === "user") {
      const own = env["CLAUDE_CONFIG_DIR"];
      return [
        serverFile(join(own || home, ".claude.json"), servers),
        hookFile(join(folder(places), "settings.json"), claudeHooks),
      ];
    }
    const settings = join(root, ".claude");
    return [
      serverFile(join(root, ".mcp.json"), servers),
      // What only this machine understands is not for all who share the project.
      hookFile(join(settings, "settings.json"), (wanted) =>
        isForAll(wanted) ? claudeHooks(wanted) : [],
      ),
      hookFile(join(settings, "settings.local.json"), (wanted) =>
        isForAll(wanted) ? [] : claudeHooks(wanted),
      ),
    ];
  },
  asksVersion: true,
  next: wordings.NEXT_CLAUDE,
  nextInProject: wordings.NEXT_CLAUDE_PROJECT,
};

const isForAll = (wanted: Wanted): boolean =>
  wanted.portable || announce(wanted);

const announce = ({
  version,
  announces,
}: Pick<Wanted, "version" | "announces">): boolean =>
  version === undefined ? announces : runsToolHooks(version);

/**
 * Whether a version is known to run hooks of type `mcp_tool`; one that does not know a
 * type may refuse the whole file.
 * @spec hosts-claude-hooks
 */
export function runsToolHooks(version: string | undefined): boolean {
  const numbers = (text: string): number[] => text.split(".").map(Number);
  const found = /^\d+\.\d+\.\d+/.exec(version ?? "")?.[0];
  if (found === undefined) return false;
  const since = numbers(lists.TOOL_HOOKS_SINCE[0]!);
  const has = numbers(found);
  const differs = since.findIndex((n, i) => has[i] !== n);
  return differs < 0 || has[differs]! > since[differs]!;
}

/** The hooks of an agent's conversations. @spec hosts-claude-hooks */
export const claudeHooks = (
  wanted: Pick<
    Wanted,
    "version" | "announces" | "server" | "command" | "platform"
  >,
): HookEntry[] =>
  announce(wanted)
    ? announcing(wanted.server)
    : commands(wanted.command, wanted.platform);

const announcing = (server: string): HookEntry[] => {
  const tool = (input: Readonly<Record<string, string>>) => ({
    type: "mcp_tool",
    server,
    tool: ANNOUNCE_TOOL,
    input: { s: "${session_id}", a: "${agent_id}", ...input },
  });
  return [
    {
      event: CALL,
      matcher: CALLS,
      handler: tool({
        u: "${tool_use_id}",
        t: "${transcript_path}",
        p: "${prompt_id}",
      }),
    },
    { event: COMPACTION, handler: tool({ e: "compact" }) },
    {
      event: "SessionStart",
      matcher: lists.ENDING_EVENTS.join("|"),
      handler: tool({ e: "${source}" }),
    },
  ];
};

function commands(
  command: readonly string[],
  platform: NodeJS.Platform,
): HookEntry[] {
  // A shell's line: versions that know no `args` would start the program without.
  const line = (words: readonly string[]) =>
    forPosixShell([...command, ...words], platform);
  return [
    ...stamping("claude", line),
    {
      event: "SessionStart",
      matcher: lists.STAMPED_STARTS.join("|"),
      handler: resetting(line),
    },
  ];
}
