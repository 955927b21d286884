/**
 * What is wrong with what a host is told of codegraph. Pure: what was found and tried
 * goes in, findings come out.
 */
import { say } from "../model/wording.ts";
import { TOOL } from "../serve/tool.ts";
import {
  limits as fromSpec,
  lists,
  wordings,
  type Limits,
} from "../spec.gen.ts";
import type { HostId, Problem, Scope, WiredHook, WiredServer } from "./host.ts";
import { runsToolHooks } from "./claude.ts";
import { CALL, COMPACTION } from "./hook-entries.ts";

/** How a server did that was started as its entry says. */
export type ServerTried =
  | {
      readonly did: "answered";
      readonly version: string;
      readonly tools: readonly string[];
      readonly ms: number;
      /** It took an announcement. */
      readonly takes: boolean;
      /** It was not found in the bare environment, but on the user's PATH. */
      readonly ownPath: boolean;
    }
  | { readonly did: "not found" }
  | { readonly did: "ended"; readonly detail: string }
  | { readonly did: "hung" };

/** How a command did that was run as its hook says. */
export type HookTried =
  | { readonly did: "not found"; readonly command: string }
  | {
      readonly did: "ended";
      readonly code: number | string;
      /** The last line on standard error. */
      readonly detail: string;
      /** It answered as it should. */
      readonly right: boolean;
    }
  | { readonly did: "hung" };

export interface FoundFile {
  readonly path: string;
  readonly scope: Scope;
  readonly problem: Problem | undefined;
  /** Not tried where it is switched off. */
  readonly servers: readonly (readonly [
    WiredServer,
    ServerTried | undefined,
  ])[];
  /** Not tried where it is none that runs a command. */
  readonly hooks: readonly (readonly [WiredHook, HookTried | undefined])[];
  readonly plugin: boolean;
  /** `install` would change it. */
  readonly drifted: boolean;
}

export interface FoundHost {
  readonly id: HostId;
  /** The host's own version, where it is known. */
  readonly version: string | undefined;
  readonly files: readonly FoundFile[];
}

export interface Finding {
  readonly mark: "ok" | "note" | "FAIL";
  /** What it is about; none where it is about the host. */
  readonly path: string | undefined;
  readonly says: string;
  /** What to do. */
  readonly mend: string | undefined;
}

type Used = Pick<Limits, "DOCTOR_WAIT_SECONDS">;

/**
 * The findings about one host.
 * @param own the version of this program
 * @spec doctor-judges
 */
export function judge(
  host: FoundHost,
  own: string,
  limits: Used = fromSpec,
): readonly Finding[] {
  const files = host.files.filter(isOurs);
  const mend = say(wordings.DOCTOR_MEND, {
    host: host.id,
    scope: files[0]?.scope ?? "user",
  });
  const of =
    (path: string | undefined) =>
    (
      mark: Finding["mark"],
      says: string,
      how: string | undefined = mark === "ok" ? undefined : mend,
    ): Finding => ({ mark, path, says, mend: how });
  if (files.length === 0)
    return [of(undefined)("note", wordings.DOCTOR_NOT_WIRED)];
  const servers = files.flatMap((file) => file.servers);
  return files
    .flatMap((file) => {
      const about = of(file.path);
      if (file.problem)
        return [
          about(
            "FAIL",
            problemTold(file.problem),
            say(wordings.DOCTOR_MEND_FILE, { path: file.path }),
          ),
        ];
      return [
        ...file.servers.flatMap(([server, tried]) =>
          aboutServer(server, tried, own, limits, about, {
            path: file.path,
            host: host.id,
          }),
        ),
        ...aboutHooks(file, servers, host.version, limits, about),
        ...(file.plugin ? [about("ok", wordings.DOCTOR_PLUGIN)] : []),
        ...(file.drifted ? [about("note", wordings.DOCTOR_DRIFTED)] : []),
      ];
    })
    .concat(whole(host.id, files, servers, of(undefined)));
}

/** Whether anything of ours may be in a file. */
export const isOurs = (file: FoundFile): boolean =>
  file.problem !== undefined ||
  file.servers.length > 0 ||
  file.hooks.length > 0 ||
  file.plugin;

type About = (mark: Finding["mark"], says: string, mend?: string) => Finding;

const problemTold = ({ line, what }: Problem): string =>
  line === undefined ? what : say(wordings.DOCTOR_LINE, { line, what });

function aboutServer(
  { name, command, enabled }: WiredServer,
  tried: ServerTried | undefined,
  own: string,
  limits: Used,
  about: About,
  { path, host }: { readonly path: string; readonly host: HostId },
): readonly Finding[] {
  if (!enabled || !tried)
    return [
      about(
        "note",
        say(wordings.DOCTOR_OFF, { name }),
        say(wordings.DOCTOR_MEND_OFF, { path }),
      ),
    ];
  if (tried.did === "not found")
    return [about("FAIL", say(wordings.DOCTOR_NOT_FOUND, { name, command }))];
  if (tried.did === "ended")
    return [
      about("FAIL", say(wordings.DOCTOR_ENDED, { name, detail: tried.detail })),
    ];
  if (tried.did === "hung")
    return [
      about(
        "FAIL",
        say(wordings.DOCTOR_SILENT, {
          name,
          seconds: limits.DOCTOR_WAIT_SECONDS,
        }),
      ),
    ];
  const { version, tools, ms, ownPath } = tried;
  if (!tools.includes(TOOL))
    return [about("FAIL", say(wordings.DOCTOR_OTHER, { name, tool: TOOL }))];
  if (version !== own)
    return [
      about("FAIL", say(wordings.DOCTOR_VERSION, { name, version, own })),
    ];
  if (ownPath)
    return [
      about(
        "note",
        say(wordings.DOCTOR_OWN_PATH, { name, command }),
        // A user's own files name the program by its path.
        say(wordings.DOCTOR_MEND, { host, scope: "user" }),
      ),
    ];
  return [about("ok", say(wordings.DOCTOR_ANSWERS, { name, version, ms }))];
}

function aboutHooks(
  file: FoundFile,
  servers: FoundFile["servers"],
  version: string | undefined,
  limits: Used,
  about: About,
): readonly Finding[] {
  if (file.hooks.length === 0) return [];
  const wrong: Finding[] = [];
  // Several events call one server: what is wrong with that is said once.
  const called = new Set<string>();
  for (const [{ event, kind, server = "" }, tried] of file.hooks)
    if (kind === "mcp_tool") called.add(server);
    else if (tried) {
      const fails = hookFails(event, tried, limits);
      if (fails !== undefined) wrong.push(about("FAIL", fails));
    }
  for (const name of called) {
    const entry = servers.find(([server]) => server.name === name);
    if (!entry)
      wrong.push(about("FAIL", say(wordings.DOCTOR_NO_SUCH, { name })));
    else if (entry[1]?.did === "answered" && !entry[1].takes)
      wrong.push(about("FAIL", say(wordings.DOCTOR_UNTAKEN, { name })));
  }
  const [least = ""] = lists.TOOL_HOOKS_SINCE;
  if (called.size > 0 && version === undefined)
    wrong.push(about("note", say(wordings.DOCTOR_HOST_UNKNOWN, { least })));
  else if (called.size > 0 && !runsToolHooks(version))
    wrong.push(
      about("FAIL", say(wordings.DOCTOR_HOST_OLD, { version: version! })),
    );
  return wrong.length > 0 ? wrong : [about("ok", wordings.DOCTOR_TOLD)];
}

/** What is wrong with a hook; none where nothing is. */
function hookFails(
  event: string,
  tried: HookTried,
  limits: Used,
): string | undefined {
  if (tried.did === "not found")
    return say(wordings.DOCTOR_HOOK_MISSING, {
      event,
      command: tried.command,
    });
  if (tried.did === "hung")
    return say(wordings.DOCTOR_HOOK_LATE, {
      event,
      seconds: limits.DOCTOR_WAIT_SECONDS,
    });
  const { code, detail, right } = tried;
  if (code !== 0)
    return say(wordings.DOCTOR_HOOK_CODE, { event, code, detail });
  return right ? undefined : say(wordings.DOCTOR_HOOK_WRONG, { event });
}

/** What all files of a host together lack. */
function whole(
  id: HostId,
  files: readonly FoundFile[],
  servers: FoundFile["servers"],
  about: About,
): readonly Finding[] {
  if (files.some(({ problem }) => problem)) return [];
  const events = new Set(
    files.flatMap(({ hooks }) => hooks.map(([{ event }]) => event)),
  );
  if (servers.length === 0) return [about("FAIL", wordings.DOCTOR_NO_SERVER)];
  if (lists.NEEDS_PLUGIN.includes(id) && !files.some(({ plugin }) => plugin))
    return [about("FAIL", wordings.DOCTOR_NOT_TOLD)];
  if (!lists.NEEDS_HOOKS.includes(id)) return [];
  if (!events.has(CALL)) return [about("FAIL", wordings.DOCTOR_NOT_TOLD)];
  return events.has(COMPACTION)
    ? []
    : [about("FAIL", say(wordings.DOCTOR_NO_RESET, { event: COMPACTION }))];
}
