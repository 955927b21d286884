/**
 * The line that a connection begins with, read and written. Both ends are
 * processes of the same user; the daemon takes nothing on trust all the same.
 */
import { isAbsolute, resolve } from "node:path";
import type { Readable } from "node:stream";
import {
  limits as fromSpec,
  lists,
  wordings,
  type Limits,
} from "../../spec.gen.ts";
import type { Settings } from "../handler.ts";

/** What a client's command line and environment say. */
export interface Hello {
  /** The proxy's. */
  readonly version: string;
  /** `--path` and the working directory. */
  readonly places: readonly string[];
  readonly settings: Settings;
  /** Index a project that has no index. */
  readonly autoInit: boolean;
}

export interface Control {
  readonly op: string;
  /** All of the line. */
  readonly request: Readonly<Record<string, unknown>>;
}

export type FirstLine =
  | { readonly kind: "client"; readonly hello: Hello }
  | { readonly kind: "control"; readonly control: Control }
  | { readonly kind: "refused"; readonly reason: string };

export const helloLine = ({ settings, ...hello }: Hello): string =>
  `${JSON.stringify({ codegraph_hello: 1, ...hello, settings })}\n`;
export const controlLine = (
  op: string,
  more: Readonly<Record<string, unknown>> = {},
): string => `${JSON.stringify({ codegraph_control: 1, op, ...more })}\n`;
export const welcomeLine = (version: string): string =>
  `${JSON.stringify({ codegraph_welcome: 1, version })}\n`;
export const refusalLine = (reason: string): string =>
  `${JSON.stringify({ codegraph_refused: reason })}\n`;
/** What is to be written to the client's standard error as it is. */
export const logLine = (text: string): string =>
  `${JSON.stringify({ codegraph_log: text })}\n`;

const refused = (reason: string): FirstLine => ({ kind: "refused", reason });

/** @spec daemon-first-line */
export function readFirstLine(line: string): FirstLine {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    given = undefined;
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return refused(wordings.FIRST_LINE_MALFORMED);
  const request = given as Readonly<Record<string, unknown>>;
  const { codegraph_hello: hello, codegraph_control: control } = request;
  if (hello === undefined && control === undefined)
    return refused(wordings.FIRST_LINE_MALFORMED);
  if ((hello ?? control) !== 1) return refused(wordings.FIRST_LINE_OTHER);
  if (hello === undefined) {
    const { op } = request;
    return typeof op === "string"
      ? { kind: "control", control: { op, request } }
      : refused(wordings.FIRST_LINE_MALFORMED);
  }
  const read = readHello(request);
  return read
    ? { kind: "client", hello: read }
    : refused(wordings.FIRST_LINE_MALFORMED);
}

function readHello(
  given: Readonly<Record<string, unknown>>,
): Hello | undefined {
  const { version, places, settings, autoInit } = given;
  if (typeof version !== "string" || typeof autoInit !== "boolean") return;
  if (!Array.isArray(places) || places.length === 0) return;
  if (!places.every((p) => typeof p === "string" && isAbsolute(p))) return;
  if (typeof settings !== "object" || settings === null) return;
  const { dedup, debug, sessionParam } = settings as Readonly<
    Record<string, unknown>
  >;
  if (!isTextOrNone(dedup) || !isTextOrNone(debug)) return;
  if (!isTextOrNone(sessionParam)) return;
  return {
    version,
    places: places as readonly string[],
    settings: { dedup, debug, sessionParam },
    autoInit,
  };
}

const isTextOrNone = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";

type Environment = Readonly<Record<string, string | undefined>>;

/** What a client's environment says, in a form that means the same in another process. @spec daemon-settings-travel */
export function settingsOf(env: Environment, folder: string): Settings {
  const debug = env["CODEGRAPH_EXPLORE_DEBUG"];
  const isPath =
    debug !== undefined && debug.trim() !== "" && !/^[01]$/.test(debug);
  return {
    dedup: env["CODEGRAPH_EXPLORE_DEDUP"],
    debug: isPath ? resolve(folder, debug) : debug,
    sessionParam: env["CODEGRAPH_MCP_EXPLORE_SESSION_PARAM"],
  };
}

/** Whether the environment leaves daemons on. @spec daemon-switch */
export const daemonsWanted = (value: string | undefined): boolean =>
  !lists.DAEMON_OFF.includes((value ?? "").trim().toLowerCase());

/**
 * The first line of a stream without its line feed; what comes after it stays in the
 * stream. Undefined where it ends, is too long or takes longer than `ms`.
 * @spec daemon-first-line-is-bounded
 */
export function firstLine(
  stream: Readable,
  ms: number,
  limits: Pick<Limits, "FIRST_LINE_BYTES"> = fromSpec,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0);
    const settle = (line: string | undefined) => {
      clearTimeout(timer);
      stream.off("data", take).off("end", none).off("close", none);
      stream.off("error", none).pause();
      resolve(line);
    };
    const none = () => settle(undefined);
    const take = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      const end = held.indexOf(0x0a);
      if ((end < 0 ? held.length : end) > limits.FIRST_LINE_BYTES) none();
      else if (end >= 0) {
        settle(held.toString("utf8", 0, end));
        if (end + 1 < held.length) stream.unshift(held.subarray(end + 1));
      }
    };
    const timer = setTimeout(none, ms);
    stream.on("data", take).on("end", none).on("close", none);
    stream.on("error", none);
  });
}
