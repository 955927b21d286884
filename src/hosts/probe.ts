/**
 * Tries what a host is told to do: starts its server and speaks the protocol with it,
 * runs its hooks with a payload. Each is ended when it was heard, or when its time is
 * over. Nothing is thrown: what goes wrong is what is told.
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { ANNOUNCE_TOOL } from "../serve/announce.ts";
import { TOOL } from "../serve/tool.ts";
import { say } from "../model/wording.ts";
import {
  limits as fromSpec,
  lists,
  wordings,
  type Limits,
} from "../spec.gen.ts";
import type { HookTried, ServerTried } from "./doctor.ts";
import { CALL, COMPACTION } from "./hook-entries.ts";
import type { WiredHook, WiredServer } from "./host.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  /** The project's folder. */
  readonly cwd: string;
  /** The user's environment. */
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
}

type Used = Pick<
  Limits,
  | "DOCTOR_WAIT_SECONDS"
  | "DOCTOR_ENDS_MS"
  | "DOCTOR_READS_CHARS"
  | "DOCTOR_LINE_CHARS"
>;

/** How long each is waited for, in milliseconds, and how much of what it writes is looked at. @spec doctor-starts-servers */
export const patience = (limits: Used = fromSpec) => ({
  wait: limits.DOCTOR_WAIT_SECONDS * SECOND,
  ends: limits.DOCTOR_ENDS_MS,
  line: limits.DOCTOR_LINE_CHARS,
  chars: limits.DOCTOR_READS_CHARS,
});
const SECOND = 1000; // exempt spec-values-are-imported: a unit

/**
 * The least that a host gives a server. Windows finds nothing without the user's PATH.
 * @spec doctor-starts-servers
 */
export function bareEnvironment(
  env: Environment,
  platform: NodeJS.Platform,
): Record<string, string> {
  const bare: Record<string, string> = {};
  for (const name of lists.BARE_VARIABLES)
    if (env[name] !== undefined) bare[name] = env[name];
  const path = platform === "win32" ? env.PATH : lists.BARE_PATH.join(":");
  return path === undefined ? bare : { ...bare, PATH: path };
}

/** @spec doctor-starts-servers */
export async function tryServer(
  server: WiredServer,
  { cwd, env, platform }: Surroundings,
  limits: Used = fromSpec,
): Promise<ServerTried> {
  const bare = bareEnvironment(env, platform);
  const first = await converse(server, cwd, bare, limits);
  if (first.did !== "not found" || env.PATH === undefined) return first;
  const second = await converse(
    server,
    cwd,
    { ...bare, PATH: env.PATH },
    limits,
  );
  return second.did === "answered" ? { ...second, ownPath: true } : second;
}

/** What is asked of a server, in this order. The last is no part of the protocol's lists. */
const REQUESTS: readonly (readonly [method: string, params: object])[] = [
  [
    "initialize",
    {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "codegraph-doctor", version: "1" },
    },
  ],
  ["tools/list", {}],
  [
    "tools/call",
    { name: ANNOUNCE_TOOL, arguments: { s: "doctor", a: "", u: "doctor" } },
  ],
];

/** What of the answers is looked at. */
interface Results {
  readonly serverInfo?: { readonly version?: unknown };
  readonly tools?: unknown;
}

async function converse(
  { command, args, env: own }: WiredServer,
  cwd: string,
  env: Record<string, string>,
  limits: Used,
): Promise<ServerTried> {
  const began = performance.now();
  // Answers by itself: a daemon would outlive the question.
  const asked = { CODEGRAPH_DAEMON: "0", ...env, ...own };
  const started = start(command, args, cwd, asked);
  if (started instanceof Error)
    return { did: "ended", detail: started.message };
  return within<ServerTried>(started, limits, (child, said, done) => {
    const results: Results[] = [];
    const ask = () => {
      const [method, params] = REQUESTS[results.length]!;
      send(child, { id: results.length, method, params });
    };
    child.on("error", (error: NodeJS.ErrnoException) =>
      done(
        error.code === "ENOENT"
          ? { did: "not found" }
          : { did: "ended", detail: error.message },
      ),
    );
    const ended = (code: number | null, signal: string | null) =>
      done({ did: "ended", detail: said() || howEnded(code, signal) });
    child.on("close", ended);
    // What it has started may keep its outputs open for ever.
    child.on("exit", (code, signal) =>
      setTimeout(() => ended(code, signal), patience(limits).ends).unref(),
    );
    onLines(child.stdout!, patience(limits).line, (line) => {
      const answer = parsed(line);
      if (answer?.id !== results.length) return;
      const last = results.length === REQUESTS.length - 1;
      if (last) {
        const [info, list] = results;
        done({
          did: "answered",
          version: String(info!.serverInfo?.version ?? "?"),
          tools: namesOf(list!.tools),
          ms: Math.round(performance.now() - began),
          takes: answer.error === undefined && !isError(answer.result),
          ownPath: false,
        });
        return;
      }
      results.push((answer.result ?? {}) as Results);
      if (results.length === 1)
        send(child, { method: "notifications/initialized" });
      ask();
    });
    ask();
  });
}

const howEnded = (code: number | null, signal: string | null): string =>
  signal === null
    ? say(wordings.DOCTOR_EXIT_CODE, { code: String(code) })
    : say(wordings.DOCTOR_EXIT_SIGNAL, { signal });

const namesOf = (tools: unknown): string[] =>
  (Array.isArray(tools) ? (tools as unknown[]) : []).map((tool) =>
    String((tool as { name?: unknown } | null)?.name),
  );

/** Lines as they come; what is longer than `most` is cut, and so no message. */
function onLines(
  stream: Readable,
  most: number,
  take: (line: string) => void,
): void {
  let begun = "";
  stream.setEncoding("utf8").on("data", (part: string) => {
    const [first = "", ...others] = part.split("\n");
    if (begun.length <= most) begun += first;
    for (const next of others) {
      if (begun.length <= most) take(begun);
      begun = next;
    }
  });
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A line that is no message of the protocol is passed over, as hosts do. */
function parsed(line: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null
      ? (value as Answer)
      : undefined;
  } catch {
    return undefined;
  }
}

const isError = (result: unknown): boolean =>
  (result as { isError?: unknown } | undefined)?.isError === true;

const send = (child: ChildProcess, message: object) =>
  child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const SESSION = "codegraph-doctor";

/** What a host hands over at an event, as far as codegraph reads it. */
const payload = (event: string): string =>
  JSON.stringify({
    session_id: SESSION,
    hook_event_name: event,
    ...(event === CALL && {
      tool_name: `mcp__codegraph__${TOOL}`,
      tool_input: { query: SESSION },
      tool_use_id: SESSION,
    }),
    ...(event === COMPACTION && { trigger: "manual" }),
  });

/** At a call the stamp, else nothing. */
function isRight(event: string, stdout: string): boolean {
  if (event !== CALL) return stdout.trim() === "";
  const answer = parsed(stdout) as
    | { hookSpecificOutput?: { updatedInput?: Record<string, unknown> } }
    | undefined;
  const input = answer?.hookSpecificOutput?.updatedInput;
  return input?.sessionId === SESSION && input.query === SESSION;
}

/** Runs a hook that is a command. @spec doctor-tries-hooks */
export async function tryHook(
  { event, argv, shell }: WiredHook,
  { cwd, env }: Surroundings,
  limits: Used = fromSpec,
): Promise<HookTried> {
  const [command = "", ...args] = argv ?? [shell ?? ""];
  const started = start(command, args, cwd, env, argv === undefined);
  if (started instanceof Error) return { did: "not found", command };
  return within<HookTried>(started, limits, (child, said, done) => {
    let stdout = "";
    child.on("error", () => done({ did: "not found", command }));
    child.stdout!.setEncoding("utf8").on("data", (part: string) => {
      if (stdout.length < patience(limits).chars) stdout += part;
    });
    child.on("close", (code, signal) =>
      done(
        // What a shell says of a command that it does not find.
        code === 127 && argv === undefined
          ? { did: "not found", command }
          : {
              did: "ended",
              code: code ?? String(signal),
              detail: said(),
              right: isRight(event, stdout),
            },
      ),
    );
    child.stdin!.end(payload(event));
  });
}

interface Started {
  readonly child: ChildProcess;
  /** Ends it, and what it has started. */
  readonly end: () => void;
}

/** What `listen` says is done of a process, which then ends; it hung where that takes too long. */
function within<T>(
  { child, end }: Started,
  limits: Used,
  listen: (
    child: ChildProcess,
    /** What it has complained of. */
    said: () => string,
    done: (tried: T | Hung) => void,
  ) => void,
): Promise<T | Hung> {
  return new Promise((resolve) => {
    const done = (tried: T | Hung) => {
      clearTimeout(timer);
      end();
      resolve(tried);
    };
    const timer = setTimeout(
      () => done({ did: "hung" }),
      patience(limits).wait,
    );
    listen(child, lastLine(child, limits), done);
  });
}

type Hung = { readonly did: "hung" };

function start(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Environment,
  shell = false,
): Started | Error {
  let child: ChildProcess;
  try {
    child = spawn(command, [...args], {
      cwd,
      env: env as NodeJS.ProcessEnv,
      shell,
      // A group of its own, so that what it starts ends with it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    // Words that no system takes, with a NUL in them say.
    return error as Error;
  }
  // What ended before it was written to is seen as ended.
  child.stdin!.on("error", () => {});
  const atExit = () => kill(child);
  process.once("exit", atExit);
  const end = () => {
    process.off("exit", atExit);
    kill(child);
  };
  return { child, end };
}

/**
 * The line that a process has written to its standard error which says most: the last
 * one that speaks of an error, else the last one.
 */
function lastLine(child: ChildProcess, limits: Used): () => string {
  let text = "";
  child.stderr!.setEncoding("utf8").on("data", (part: string) => {
    text = (text + part).slice(-patience(limits).chars);
  });
  return () => {
    const lines = text.trim().split("\n");
    return (
      lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1)!
    ).trim();
  };
}

function kill(child: ChildProcess): void {
  for (const stream of [child.stdin, child.stdout, child.stderr])
    stream?.destroy();
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill();
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
