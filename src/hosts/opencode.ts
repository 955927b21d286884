/** opencode. A plugin stamps on each call whose it is. */
import { join } from "node:path";
import { wordings } from "../spec.gen.ts";
import { serverFile } from "./file.ts";
import {
  NOTHING,
  type Edited,
  type Host,
  type HostFile,
  type Places,
  type Scope,
  type Wanted,
} from "./host.ts";
import { PLUGIN_MARK, pluginSource } from "./opencode-plugin.ts";

const folder = ({ env, home }: Places): string =>
  join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");

export const opencode: Host = {
  id: "opencode",
  title: "opencode",
  programs: ["opencode"],
  folders: (places) => [folder(places)],
  files: (scope, places) => [
    ...configs(scope, places),
    pluginFile(
      join(
        scope === "user" ? folder(places) : join(places.root, ".opencode"),
        "plugins",
        "codegraph.js",
      ),
    ),
  ],
  next: wordings.NEXT_OPENCODE,
};

/** It reads both; ours goes into the one that is there. */
function configs(scope: Scope, places: Places): HostFile[] {
  const at = scope === "user" ? folder(places) : places.root;
  const [json, jsonc] = ["opencode.json", "opencode.jsonc"].map((name) =>
    join(at, name),
  ) as [string, string];
  const inJsonc = places.exists(jsonc) && !places.exists(json);
  const shape = {
    at: ["mcp"],
    replaces: /\{(?:env|file):/u,
    entry: (command: readonly string[]) => ({
      type: "local",
      command,
      enabled: true,
    }),
  };
  return [
    serverFile(json, shape, !inJsonc),
    ...(places.exists(jsonc) ? [serverFile(jsonc, shape, inJsonc)] : []),
  ];
}

const pluginFile = (path: string): HostFile => ({
  path,
  holds: "plugin",
  install: installPlugin,
  uninstall: uninstallPlugin,
  ours: (text) => ({ ...NOTHING, plugin: isOurs(text) }),
});

/** Line ends at the end tell how many folders were made for it. @spec hosts-surgical hosts-drift */
function installPlugin(
  text: string | undefined,
  _: Wanted,
  created: number,
): Edited {
  if (text !== undefined && !isOurs(text))
    return { problem: { line: undefined, what: wordings.HOST_PLUGIN_TAKEN } };
  const source = pluginSource().trimEnd();
  return text !== undefined && text.trimEnd() === source
    ? { text }
    : {
        text:
          source +
          "\n".repeat(1 + (text === undefined ? created : foldersOf(text))),
      };
}

/** @spec hosts-surgical */
const uninstallPlugin = (text: string | undefined): Edited =>
  text !== undefined && isOurs(text)
    ? { text: undefined, folders: foldersOf(text) }
    : { text };

const foldersOf = (text: string): number =>
  Math.max(0, /\n*$/u.exec(text)![0].length - 1);

const firstLine = (text: string): string => text.split("\n", 1)[0]!;

const isOurs = (text: string | undefined): boolean =>
  text !== undefined && firstLine(text) === PLUGIN_MARK;
