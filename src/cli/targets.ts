/** The hosts that a command line names. */
import type { Host, HostId } from "../hosts/host.ts";
import { HOSTS } from "../hosts/index.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
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
