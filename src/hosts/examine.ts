/** Finds what a host is told of codegraph, and tries it. */
import type { FoundFile, FoundHost } from "./doctor.ts";
import type { Host, Places, Scope } from "./host.ts";
import { plan, type Wishes } from "./install.ts";
import { tryHook, tryServer } from "./probe.ts";
import type { InTurn } from "./turns.ts";
import { wired } from "./wired.ts";

/**
 * Whatever there is to say of one host.
 * @param wishes what `install` would write in a scope, hooks aside
 * @param inTurn keeps what is started at one time to so many
 * @spec doctor-judges
 */
export async function examine(
  host: Host,
  places: Places,
  wishes: (scope: Scope) => Omit<Wishes, "hooks">,
  inTurn: InTurn,
): Promise<FoundHost> {
  const files: Promise<FoundFile>[] = [];
  const users = new Set(host.files("user", places).map((file) => file.path));
  for (const scope of ["user", "project"] as const) {
    // In a home that stands for a project the files of both are the same.
    const found = wired(host, scope, places).files.filter(
      ({ path }) => scope === "user" || !users.has(path),
    );
    const steps = plan("install", host, scope, places, {
      ...wishes(scope),
      // Hooks that only `--hooks` installs are as they should be where they are.
      hooks: found.some((file) => file.hooks.length > 0),
    });
    const surroundings = { ...places, cwd: places.root };
    const tried = async (file: (typeof found)[number]): Promise<FoundFile> => ({
      path: file.path,
      scope,
      problem: file.problem,
      servers: await Promise.all(
        file.servers.map(
          async (server): Promise<FoundFile["servers"][number]> => [
            server,
            server.enabled
              ? await inTurn(() => tryServer(server, surroundings))
              : undefined,
          ],
        ),
      ),
      hooks: await Promise.all(
        file.hooks.map(async (hook): Promise<FoundFile["hooks"][number]> => [
          hook,
          hook.kind === "command"
            ? await inTurn(() => tryHook(hook, surroundings))
            : undefined,
        ]),
      ),
      plugin: file.plugin,
      drifted: steps.some(
        (step) => step.file.path === file.path && step.change === "changed",
      ),
    });
    files.push(...found.map(tried));
  }
  return {
    id: host.id,
    version: wishes("user").version,
    files: await Promise.all(files),
  };
}
