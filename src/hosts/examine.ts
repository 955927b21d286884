/** Finds what a host is told of codegraph, and tries it. */
import { readFileSync } from "node:fs";
import type { FoundFile, FoundHost } from "./doctor.ts";
import type { Host, HostFile, Places, Wanted } from "./host.ts";
import { tryHook, tryServer } from "./probe.ts";
import { wired } from "./wired.ts";

/** Whatever there is to say of one host. @spec doctor-judges */
export async function examine(
  host: Host,
  places: Places,
  wanted: Wanted,
): Promise<FoundHost> {
  const files: FoundFile[] = [];
  for (const scope of ["user", "project"] as const)
    for (const [i, found] of wired(host, scope, places).files.entries()) {
      const surroundings = { ...places, cwd: places.root };
      const servers: FoundFile["servers"][number][] = [];
      for (const server of found.servers)
        servers.push([
          server,
          server.enabled ? await tryServer(server, surroundings) : undefined,
        ]);
      const hooks: FoundFile["hooks"][number][] = [];
      for (const hook of found.hooks)
        hooks.push([
          hook,
          hook.kind === "command"
            ? await tryHook(hook, surroundings)
            : undefined,
        ]);
      files.push({
        path: found.path,
        scope,
        problem: found.problem,
        servers,
        hooks,
        plugin: found.plugin,
        drifted: drifted(host.files(scope, places)[i]!, wanted),
      });
    }
  return { id: host.id, version: wanted.version, files };
}

/** Whether `install` would change a file that is there. */
function drifted(file: HostFile, wanted: Wanted): boolean {
  let text: string;
  try {
    text = readFileSync(file.path, "utf8");
  } catch {
    return false;
  }
  const edited = file.install(text, wanted, 0);
  return "text" in edited && edited.text !== text;
}
