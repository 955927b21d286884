/** VS Code. Nothing tells its contexts apart; it can run Claude Code's hooks, which harm nothing. */
import { join } from "node:path";
import { wordings } from "../spec.gen.ts";
import { serverFile } from "./file.ts";
import type { Host, Places } from "./host.ts";
import { commandAndArgs, VARIABLE } from "./servers.ts";

const folder = ({ env, home, platform }: Places): string =>
  platform === "win32"
    ? join(env["APPDATA"] || join(home, "AppData", "Roaming"), "Code")
    : platform === "darwin"
      ? join(home, "Library", "Application Support", "Code")
      : join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "Code");

export const vscode: Host = {
  id: "vscode",
  title: "VS Code",
  programs: ["code"],
  folders: (places) => [folder(places)],
  files: (scope, places) => [
    serverFile(
      scope === "user"
        ? join(folder(places), "User", "mcp.json")
        : join(places.root, ".vscode", "mcp.json"),
      {
        at: ["servers"],
        replaces: VARIABLE,
        entry: commandAndArgs({ type: "stdio" }),
      },
    ),
  ],
  next: wordings.NEXT_VSCODE,
};
