/**
 * Codex. Its calls name their context themselves, so that it needs no hook; it skips
 * hooks that its user has not trusted, and whom to trust is not ours to write.
 */
import { join } from "node:path";
import { wordings } from "../spec.gen.ts";
import { edited, type JsonObject } from "./edit-json.ts";
import { newTomlFile, TomlText, withoutTable } from "./edit-toml.ts";
import { hookFile } from "./file.ts";
import { oursOfHooks, stamping, type HookEntry } from "./hook-entries.ts";
import { say } from "../model/wording.ts";
import {
  NOTHING,
  type Edited,
  type Host,
  type HostFile,
  type Ours,
  type Places,
  type Wanted,
} from "./host.ts";
import { wiredServer, wordsWith } from "./servers.ts";
import { askedOfCommand, forSystemShell, isServer } from "./words.ts";

const folder = ({ env, home }: Places): string =>
  env["CODEX_HOME"] || join(home, ".codex");

export const codex: Host = {
  id: "codex",
  title: "Codex",
  programs: ["codex"],
  folders: (places) => [folder(places)],
  files: (scope, places) => {
    const at = scope === "user" ? folder(places) : join(places.root, ".codex");
    return [
      tomlFile(join(at, "config.toml")),
      // Those that were asked for once stay.
      hookFile(join(at, "hooks.json"), (wanted, text) =>
        codexHooks(wanted, wanted.hooks || oursOfHooks(text).hooks.length > 0),
      ),
    ];
  },
  next: wordings.NEXT_CODEX,
  nextInProject: wordings.NEXT_CODEX_PROJECT,
  nextWithHooks: wordings.NEXT_CODEX_HOOKS,
};

const TABLE = "mcp_servers";

const tomlFile = (path: string): HostFile => ({
  path,
  holds: "server",
  install: installToml,
  uninstall: uninstallToml,
  ours: oursOfToml,
});

/** @spec hosts-own-entries hosts-surgical hosts-drift */
const installToml = (
  text: string | undefined,
  wanted: Wanted,
  created: number,
): Edited =>
  edited(() => {
    const values = (there: JsonObject = {}) => {
      const [command = "", ...args] = wordsWith(wanted.command, there);
      return { command, args };
    };
    if (text === undefined)
      return { text: newTomlFile(TABLE, wanted.server, values(), created) };
    const file = new TomlText(text);
    const [first, ...copies] = ours(file);
    for (const { name } of copies) file.remove(TABLE, name);
    if (first) {
      const there = first.value as JsonObject;
      const drifted = Object.entries(values(there)).filter(
        ([k, v]) => JSON.stringify(there[k]) !== JSON.stringify(v),
      );
      file.set(TABLE, first.name, Object.fromEntries(drifted));
      return { text: file.text };
    }
    if (file.entries(TABLE).some(({ name }) => name === wanted.server))
      throw file.unfit(
        TABLE,
        wanted.server,
        say(wordings.HOST_TAKEN, { name: wanted.server }),
      );
    file.add(TABLE, wanted.server, values());
    return { text: file.text };
  });

/** @spec hosts-surgical */
const uninstallToml = (text: string | undefined): Edited =>
  edited(() => {
    if (text === undefined) return { text };
    const file = new TomlText(text);
    const found = ours(file);
    if (found.length === 0) return { text };
    for (const { name } of found.toReversed()) file.remove(TABLE, name);
    return withoutTable(text, file.text);
  });

const oursOfToml = (text: string | undefined): Ours => ({
  ...NOTHING,
  ...edited(() => ({
    servers: ours(new TomlText(text ?? "")).map(({ name, value }) =>
      wiredServer(name, value as { readonly [name: string]: unknown }),
    ),
  })),
});

const ours = (file: TomlText) =>
  file.entries(TABLE).filter(({ value }) => {
    if (typeof value !== "object" || value === null) return false;
    const { command, args } = value as Readonly<Record<string, unknown>>;
    return isServer(askedOfCommand(command, args));
  });

/** None but where they are asked for. @spec hosts-codex-hooks */
export function codexHooks(
  { command, platform }: Pick<Wanted, "command" | "platform">,
  areAsked: boolean,
): HookEntry[] {
  if (!areAsked) return [];
  return stamping("codex", (words) =>
    forSystemShell([...command, ...words], platform),
  );
}
