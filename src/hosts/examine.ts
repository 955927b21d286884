/** Finds what a host is told of codegraph, and tries it. */
import type { FoundFile, FoundHost } from "./doctor.ts";
import type { Host, Places, Scope } from "./host.ts";
import { plan, type Wishes } from "./install.ts";
import { tryHook, tryServer } from "./probe.ts";
import { wired } from "./wired.ts";

/**
 * Whatever there is to say of one host.
 * @param wishes what `install` would write in a scope, hooks aside
 * @spec doctor-judges
 */
export async function examine(
  host: Host,
  places: Places,
  wishes: (scope: Scope) => Omit<Wishes, "hooks">,
): Promise<FoundHost> {
  const files: FoundFile[] = [];
  for (const scope of ["user", "project"] as const) {
    const found = wired(host, scope, places).files;
    const steps = plan("install", host, scope, places, {
      ...wishes(scope),
      // Hooks that only `--hooks` installs are as they should be where they are.
      hooks: found.some((file) => file.hooks.length > 0),
    });
    const surroundings = { ...places, cwd: places.root };
    for (const file of found) {
      const servers: FoundFile["servers"][number][] = [];
      for (const server of file.servers)
        servers.push([
          server,
          server.enabled ? await tryServer(server, surroundings) : undefined,
        ]);
      const hooks: FoundFile["hooks"][number][] = [];
      for (const hook of file.hooks)
        hooks.push([
          hook,
          hook.kind === "command"
            ? await tryHook(hook, surroundings)
            : undefined,
        ]);
      files.push({
        path: file.path,
        scope,
        problem: file.problem,
        servers,
        hooks,
        plugin: file.plugin,
        drifted: steps.some(
          (step) => step.file.path === file.path && step.change === "changed",
        ),
      });
    }
  }
  return { id: host.id, version: wishes("user").version, files };
}
