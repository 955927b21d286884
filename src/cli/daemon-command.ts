/** `codegraph daemon`. */
import { say } from "../model/wording.ts";
import { rootOf } from "../serve/daemon/address.ts";
import { daemons, endDaemon, type Found } from "../serve/daemon/registry.ts";
import { wordings } from "../spec.gen.ts";
import { existing } from "./existing.ts";
import { printLines, UsageError, type Invocation } from "./main.ts";
import { counted, plain } from "./plain.ts";

/** @spec daemon-command cli-json */
export async function daemon({
  positionals,
  values,
}: Invocation): Promise<number> {
  const [asked = ""] = positionals;
  const action = Object.hasOwn(ACTIONS, asked) ? ACTIONS[asked] : undefined;
  if (!action)
    throw new UsageError(
      say(wordings.CLI_USAGE, {
        problem: wordings.DAEMON_WHAT,
        command: "daemon",
      }),
    );
  const root =
    typeof values.path === "string" ? rootOf(existing(values.path)) : undefined;
  const found = (await daemons()).filter(
    (one) => root === undefined || one.root === root,
  );
  return action(found, values.json === true);
}

const ACTIONS: Readonly<
  Record<string, (found: readonly Found[], json: boolean) => Promise<number>>
> = { status, stop };

async function status(found: readonly Found[], json: boolean): Promise<number> {
  if (json)
    return printLines([
      JSON.stringify({
        daemons: found.map(({ pid, root, status: told }) => ({
          pid,
          root: root === "" ? null : root,
          answers: told !== undefined,
          ...(told && fields(told)),
        })),
      }),
    ]);
  return printLines(
    found.length > 0
      ? found.flatMap((one) => [line(one), ...troubles(one)])
      : [wordings.DAEMON_NONE_RUNS],
  );
}

const fields = ({
  version,
  started,
  clients,
  calls,
  rss,
  projects,
}: NonNullable<Found["status"]>) => ({
  version,
  started,
  clients,
  calls,
  rss,
  projects,
});

/** What keeps a daemon from following the projects that it was asked about. */
const troubles = ({ status }: Found): string[] =>
  (status?.projects ?? []).flatMap(({ root, trouble, failure }) => [
    ...(trouble === ""
      ? []
      : [
          `  ${say(wordings.WATCH_LOST, { path: plain(root), reason: trouble })}`,
        ]),
    ...(failure === ""
      ? []
      : [
          `  ${say(wordings.SYNC_FAILED, { path: plain(root), message: plain(failure) })}`,
        ]),
  ]);

const rootTold = ({ root }: Found): string =>
  root === "" ? wordings.DAEMON_UNKNOWN_ROOT : plain(root);

function line(found: Found): string {
  const { pid, status: told } = found;
  const root = rootTold(found);
  if (!told) return say(wordings.DAEMON_SILENT, { root, pid });
  return say(wordings.DAEMON_RUNS, {
    root,
    pid,
    version: plain(told.version),
    clients: counted(told.clients, "client"),
    calls: counted(told.calls, "call"),
    mb: Math.round(told.rss / MEGABYTE),
    // A clock may have been set back.
    minutes: Math.max(
      0,
      Math.floor((Date.now() - Date.parse(told.started)) / MINUTE),
    ),
  });
}

const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit
const MINUTE = 60 * 1000; // exempt spec-values-are-imported: a unit

async function stop(found: readonly Found[], json: boolean): Promise<number> {
  const results = await Promise.all(
    found.map(async (one) => ({ one, ended: await endDaemon(one) })),
  );
  const code = results.every(({ ended }) => ended) ? 0 : 1;
  if (json)
    printLines([
      JSON.stringify({
        daemons: results.map(({ one: { pid, root }, ended }) => ({
          pid,
          root: root === "" ? null : root,
          ended,
        })),
      }),
    ]);
  else
    printLines(
      results.length > 0
        ? results.map(({ one, ended }) =>
            say(ended ? wordings.DAEMON_STOPPED : wordings.DAEMON_STAYS, {
              root: rootTold(one),
              pid: one.pid,
            }),
          )
        : [wordings.DAEMON_NONE_RUNS],
    );
  return code;
}
