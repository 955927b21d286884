/** Gemini CLI. It masks older results by itself, so that nothing is pointed at there. */
import { join } from "node:path";
import { wordings } from "../spec.gen.ts";
import { serverFile } from "./file.ts";
import type { Host } from "./host.ts";
import { commandAndArgs } from "./servers.ts";

export const gemini: Host = {
  id: "gemini",
  title: "Gemini CLI",
  programs: ["gemini"],
  folders: ({ home }) => [join(home, ".gemini")],
  files: (scope, { home, root }) => [
    serverFile(
      join(scope === "user" ? home : root, ".gemini", "settings.json"),
      { at: ["mcpServers"], entry: commandAndArgs(), replaces: /\$/u },
    ),
  ],
  next: wordings.NEXT_GEMINI,
};
