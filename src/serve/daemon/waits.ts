/** How long daemons and proxies wait, in milliseconds, and how often they look. */
import { limits as fromSpec, type Limits } from "../../spec.gen.ts";

export type Waits = ReturnType<typeof waits>;

/** @spec daemon-is-reached daemon-first-line-is-bounded daemon-proxy-ends daemon-ends */
export const waits = (limits: Limits = fromSpec) => ({
  retry: limits.CONNECT_RETRY_MS,
  starting: limits.STARTING_SECONDS * 1000,
  reach: limits.DAEMON_WAIT_SECONDS * 1000,
  firstLine: limits.FIRST_LINE_SECONDS * 1000,
  parent: limits.PARENT_CHECK_SECONDS * 1000,
  linger: limits.LINGER_MS,
  check: limits.DAEMON_CHECK_SECONDS * 1000,
  stop: limits.STOP_SECONDS * 1000,
});

/**
 * How long a daemon without a client runs on. `value` is that of
 * `CODEGRAPH_DAEMON_IDLE_SECONDS`; one that is no time counts as none.
 * @spec daemon-idle-time
 */
export function idleMs(
  value: string | undefined,
  limits: Pick<Limits, "DAEMON_IDLE_SECONDS"> = fromSpec,
): number {
  const asked = value?.trim() ? Number(value) : Number.NaN;
  return (asked >= 0 ? asked : limits.DAEMON_IDLE_SECONDS) * 1000;
}
