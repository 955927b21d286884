/**
 * Cursor. Nothing tells its contexts apart. It can run Claude Code's hooks, which harm
 * nothing there: a command stamps a context that is Cursor's, a tool call that it does
 * not know is none.
 */
import { join } from "node:path";
import { wordings } from "../spec.gen.ts";
import { serverFile } from "./file.ts";
import type { Host } from "./host.ts";
import { commandAndArgs, VARIABLE } from "./servers.ts";

export const cursor: Host = {
  id: "cursor",
  title: "Cursor",
  programs: ["cursor", "cursor-agent"],
  folders: ({ home }) => [join(home, ".cursor")],
  files: (scope, { home, root }) => [
    serverFile(join(scope === "user" ? home : root, ".cursor", "mcp.json"), {
      at: ["mcpServers"],
      replaces: VARIABLE,
      entry: commandAndArgs(),
    }),
  ],
  next: wordings.NEXT_CURSOR,
};
