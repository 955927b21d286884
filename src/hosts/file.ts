/** The kinds of files that hosts have. */
import type { HostFile, Wanted } from "./host.ts";
import {
  installHooks,
  oursOfHooks,
  uninstallHooks,
  type HookEntry,
} from "./hook-entries.ts";
import {
  installServer,
  oursOfServers,
  uninstallServer,
  type Shape,
} from "./servers.ts";

/** A JSON file with our server in it. @param isTheOne whether ours goes into this one */
export const serverFile = (
  path: string,
  shape: Shape,
  isTheOne = true,
): HostFile => ({
  path,
  holds: "server",
  install: (text, wanted, created) =>
    isTheOne
      ? installServer(text, shape, wanted, created)
      : uninstallServer(text, shape),
  uninstall: (text) => uninstallServer(text, shape),
  ours: (text) => oursOfServers(text, shape),
});

/** A JSON file with our hooks in it: those that are wanted, which may be none. */
export const hookFile = (
  path: string,
  hooks: (wanted: Wanted, text: string | undefined) => readonly HookEntry[],
): HostFile => ({
  path,
  holds: "hooks",
  install: (text, wanted, created) => {
    const entries = hooks(wanted, text);
    return entries.length > 0
      ? installHooks(text, entries, created)
      : uninstallHooks(text);
  },
  uninstall: uninstallHooks,
  ours: oursOfHooks,
});
