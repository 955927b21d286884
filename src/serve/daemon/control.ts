/**
 * The operations of a control line. An operation gets the daemon and the line and
 * gives the fields of the answer; to add one is to add an entry to `OPERATIONS`.
 */
import { wordings } from "../../spec.gen.ts";
import { contextKey, DEFAULT_CONTEXT } from "../../session/context.ts";
import type { WatchState } from "../freshness.ts";
import type { Daemon } from "./daemon.ts";
import type { Control } from "./first-line.ts";

type Operation = (
  daemon: Daemon,
  request: Control["request"],
) => object | Promise<object>;

/** What `status` answers. */
export interface Status {
  readonly pid: number;
  readonly version: string;
  readonly root: string;
  /** Time of day, ISO 8601. */
  readonly started: string;
  /** Connections of clients, now. */
  readonly clients: number;
  /** Tool calls since the start. */
  readonly calls: number;
  /** Resident bytes. */
  readonly rss: number;
  /** Those that were asked about, the last one last. */
  readonly projects: readonly WatchState[];
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  status: (daemon) => daemon.status(),
  "clear-session-record": (daemon, { sessionId }) => {
    const context = contextKey(sessionId);
    if (context === DEFAULT_CONTEXT) throw new Error(wordings.CONTROL_BAD_ID);
    let dropped = 0;
    for (const { session } of daemon.clients)
      dropped += session.forget(context);
    return { dropped };
  },
  stop: async (daemon) => {
    await daemon.stop();
    return { stopped: true };
  },
};

/** The answer to a control line, also to one of an unknown operation. Never throws. @spec daemon-control control-clears-a-context */
export async function controlled(
  daemon: Daemon,
  { op, request }: Control,
): Promise<object> {
  const operation = Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined;
  if (!operation) return { codegraph_refused: wordings.CONTROL_UNKNOWN };
  try {
    return { codegraph_control: 1, ...(await operation(daemon, request)) };
  } catch (error) {
    return { codegraph_refused: (error as Error).message };
  }
}
