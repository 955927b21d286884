/** What of hosts is on this machine. */
import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { limits as fromSpec, lists, type Limits } from "../spec.gen.ts";
import { there } from "./files.ts";
import type { Host, Places } from "./host.ts";

/** The places of this machine and user. @param root of the project */
export const placesHere = (root: string, home: string): Places => ({
  home,
  root,
  env: process.env,
  platform: process.platform,
  exists: there,
});

/** Whether a host's folder or one of its programs is there. @spec hosts-detected */
export const isDetected = (host: Host, places: Places): boolean =>
  host.folders(places).some((folder) => places.exists(folder)) ||
  host.programs.some((name) => onPath(name, places) !== undefined);

/** Where a program is found, as a shell would. */
export function onPath(
  name: string,
  { env, platform }: Pick<Places, "env" | "platform">,
): string | undefined {
  const endings =
    platform === "win32" ? (env["PATHEXT"] || ".EXE;.CMD").split(";") : [""];
  for (const folder of (env["PATH"] ?? env["Path"] ?? "").split(delimiter))
    if (isAbsolute(folder))
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (isProgram(path)) return path;
      }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** How a program is asked; one that does not end by itself is ended. @spec hosts-version-asked */
export const askedHow = ({
  VERSION_WAIT_MS,
}: Pick<Limits, "VERSION_WAIT_MS"> = fromSpec) =>
  ({
    timeout: VERSION_WAIT_MS,
    killSignal: "SIGKILL",
    windowsHide: true,
  }) as const;

/** The version that a host's program says it has. @spec hosts-version-asked */
export function versionOf(
  host: Host,
  places: Places,
  how = askedHow(),
): Promise<string | undefined> {
  const path = host.programs
    .map((name) => onPath(name, places))
    .find((found) => found !== undefined);
  if (path === undefined) return Promise.resolve(undefined);
  // A launcher on Windows is a script, for a shell.
  const isScript = /\.(?:cmd|bat)$/iu.test(path);
  return new Promise((resolve) => {
    const child = execFile(
      isScript ? `"${path}"` : path,
      ["--version"],
      { ...how, shell: isScript },
      (error, stdout) =>
        resolve(error ? undefined : /\d+\.\d+\.\d+/.exec(stdout)?.[0]),
    );
    child.stdin?.end();
  });
}

/**
 * The words that start this program. In files of one user they are paths, which hold
 * whatever PATH a host has; in files that a project shares they are its plain name,
 * where that is this program.
 * @spec hosts-command
 */
export function commandFor(
  scope: "user" | "project",
  own: { readonly node: string; readonly script: string },
  places: Pick<Places, "env" | "platform">,
): { readonly command: readonly string[]; readonly portable: boolean } {
  if (scope === "project" && isOwn(onPath("codegraph", places), own.script))
    return { command: ["codegraph"], portable: true };
  return { command: [steady(own.node), own.script], portable: false };
}

function isOwn(launcher: string | undefined, script: string): boolean {
  if (launcher === undefined) return false;
  const real = realOf(script);
  return (
    realOf(launcher) === real ||
    // npm's launcher on Windows is a script beside the packages.
    realOf(
      join(
        dirname(launcher),
        "node_modules",
        "codegraph-explore",
        "dist",
        "codegraph.js",
      ),
    ) === real
  );
}

/** The path of a Node that its next version takes over, where there is one. */
const steady = (node: string): string =>
  lists.STEADY_FOLDERS.map((folder) => join(folder, "node")).find((path) => {
    const real = realOf(path);
    return real !== undefined && real === realOf(node);
  }) ?? node;

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
