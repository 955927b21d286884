/** The hosts that a command line names, and where their files are. */
import { homedir } from "node:os";
import { isAbsolute, relative, sep } from "node:path";
import type { Host, HostId, Places } from "../hosts/host.ts";
import { HOSTS } from "../hosts/index.ts";
import { placesHere } from "../hosts/machine.ts";
import { say } from "../model/wording.ts";
import { lists, wordings } from "../spec.gen.ts";
import { nearestProject, UserError } from "../store/place.ts";
import { existing } from "./existing.ts";
import type { CommandName } from "./help.ts";
import { UsageError } from "./main.ts";
import { plain } from "./plain.ts";

export const hostIds = (): HostId[] => HOSTS.map(({ id }) => id);

/** All where none is named. Throws: UsageError where one is unknown. @spec install-asks */
export function hostsNamed(
  command: CommandName,
  target: string | boolean | undefined,
): readonly Host[] {
  if (typeof target !== "string" || target === "all") return HOSTS;
  const wanted = target.split(",").map((name) => name.trim());
  const unknown = wanted.find((name) => !HOSTS.some(({ id }) => id === name));
  if (unknown !== undefined)
    throw new UsageError(
      say(wordings.CLI_USAGE, {
        problem: say(wordings.INSTALL_UNKNOWN_HOST, {
          name: plain(unknown),
          names: hostIds().join(", "),
        }),
        command,
      }),
    );
  return HOSTS.filter(({ id }) => wanted.includes(id));
}

/**
 * Of the project at a path, or around this folder. Throws: UserError where the path is
 * none, or a variable leads to no place of its own.
 * @spec hosts-places
 */
export function placesOf(path: string | undefined): Places {
  const home = homedir();
  for (const name of lists.PLACE_VARIABLES) {
    const value = name === "HOME" ? home : process.env[name];
    if (value !== undefined && !isAbsolute(value) && (value || name === "HOME"))
      throw new UserError(
        say(wordings.INSTALL_NO_PLACE, { name, value: plain(value) }),
      );
  }
  return placesHere(
    path === undefined
      ? (nearestProject(process.cwd(), home) ?? process.cwd())
      : existing(path),
    home,
  );
}

/** A path as people write it: `~` for their home. */
export const shortened = (path: string, { home }: Places): string =>
  plain(path.startsWith(home + sep) ? `~${sep}${relative(home, path)}` : path);
