/** `codegraph install` and `codegraph uninstall`. */
import { createTwoFilesPatch } from "diff";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Host, Places, Scope } from "../hosts/host.ts";
import {
  plan,
  takeAll,
  type Action,
  type Change,
  type Step,
} from "../hosts/install.ts";
import { commandFor, isDetected, versionOf } from "../hosts/machine.ts";
import { forPosixShell } from "../hosts/words.ts";
import { userFolderPath } from "../index/user-folder.ts";
import { say } from "../model/wording.ts";
import { daemons, endDaemon } from "../serve/daemon/registry.ts";
import { wordings } from "../spec.gen.ts";
import { hasData } from "../store/folder.ts";
import { UserError } from "../store/place.ts";
import { printLines, UsageError, warn, type Invocation } from "./main.ts";
import { plain } from "./plain.ts";
import { ownScript } from "./program.ts";
import { hostIds, hostsNamed, placesOf, shortened } from "./targets.ts";

interface Asked {
  readonly action: Action;
  readonly scope: Scope;
  readonly places: Places;
  readonly hosts: readonly Host[];
  readonly values: Invocation["values"];
}

/** What is to be done for a host, or was. */
interface Done {
  readonly host: Host;
  readonly steps: readonly Step[];
}

/** @spec install-asks install-report cli-json */
export async function install(invocation: Invocation): Promise<number> {
  const asked = understood("install", invocation);
  const { values, hosts, places, scope } = asked;
  if (hosts.length === 0)
    throw new UserError(
      say(wordings.INSTALL_NO_HOST, { names: hostIds().join(", ") }),
    );
  const own = commandFor(scope, ownScript(), places);
  const planned = await Promise.all(
    hosts.map(async (host) => ({
      host,
      steps: plan("install", host, scope, places, {
        ...own,
        version:
          host.asksVersion === true ? await versionOf(host, places) : undefined,
        hooks: values.hooks === true,
        platform: places.platform,
      }),
    })),
  );
  if (values.print === true) return shown(asked, planned);
  if (values.yes !== true && values.target === undefined && changes(planned)) {
    const lines = told(asked, planned, TO_DO);
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      for (const line of lines) warn(line);
      throw new UsageError(wordings.INSTALL_SAY_YES);
    }
    for (const line of lines) process.stderr.write(`${line}\n`);
    if (!(await agreed())) return printLines([wordings.INSTALL_NOT_DONE]);
  }
  const done = taken("install", planned);
  const notes = [
    ...(scope === "project" && !own.portable
      ? [wordings.INSTALL_NOT_PORTABLE]
      : []),
    ...nextSteps(asked, done),
  ];
  return reported(asked, done, notes, { next: notes });
}

/** @spec uninstall-leaves-nothing install-report cli-json */
export async function uninstall(invocation: Invocation): Promise<number> {
  const asked = understood("uninstall", invocation);
  const { values, hosts, places, scope } = asked;
  const planned = hosts
    .map((host) => ({
      host,
      steps: plan("uninstall", host, scope, places, {
        command: [],
        portable: false,
        version: undefined,
        hooks: false,
        platform: places.platform,
      }).filter(({ change }) => change !== "absent"),
    }))
    .filter(({ steps }) => steps.length > 0);
  if (values.print === true) return shown(asked, planned);
  const done = taken("uninstall", planned);
  // Hosts that keep their entry keep their daemon.
  const isAll = values.target === undefined || values.target === "all";
  const ended =
    scope === "user" && isAll ? await endDaemons() : { ended: [], stay: [] };
  for (const { root, pid } of ended.stay)
    warn(say(wordings.DAEMON_STAYS, { root: plain(root), pid }));
  const kept = keptData(
    places,
    [...ended.ended, ...ended.stay].map(({ root }) => root),
  );
  const notes = [
    ...(ended.ended.length > 0
      ? [say(wordings.UNINSTALL_DAEMONS, { count: ended.ended.length })]
      : []),
    ...kept.map(({ path, command }) =>
      say(wordings.UNINSTALL_KEPT, { path: plain(path), command }),
    ),
  ];
  const code = reported(
    asked,
    done,
    notes,
    { daemons: ended.ended.length, kept },
    ended.ended.length === 0,
  );
  return ended.stay.length > 0 ? 1 : code;
}

function understood(
  action: Action,
  { positionals, values }: Invocation,
): Asked {
  const misused = (problem: string) =>
    new UsageError(say(wordings.CLI_USAGE, { problem, command: action }));
  const { scope = "user", target } = values;
  if (scope !== "user" && scope !== "project")
    throw misused(say(wordings.INSTALL_SCOPE, { value: plain(String(scope)) }));
  const places = placesOf(positionals[0]);
  if (scope === "project" && isSameFolder(places.root, places.home))
    throw new UserError(wordings.INSTALL_HOME);
  const named = hostsNamed(action, target);
  const hosts =
    target !== undefined || action === "uninstall"
      ? named
      : named.filter((host) => isDetected(host, places));
  return { action, scope, places, hosts, values };
}

/** In whatever way its path is written. */
function isSameFolder(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return resolve(a) === resolve(b);
  }
}

const changes = (planned: readonly Done[]): boolean =>
  planned.some(({ steps }) =>
    steps.some(({ before, after }) => before !== after),
  );

/** An input that ends says no. @spec install-asks */
export async function agreed(
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  const asking = createInterface({ input, output });
  try {
    const said = await Promise.race([
      asking.question(`${wordings.INSTALL_QUESTION} `),
      new Promise<undefined>((done) =>
        asking.on("close", () => done(undefined)),
      ),
    ]);
    // What comes next begins on a line of its own.
    if (said === undefined) output.write("\n");
    return said !== undefined && /^(?:y|yes|)$/iu.test(said.trim());
  } finally {
    asking.close();
  }
}

const taken = (action: Action, planned: readonly Done[]): Done[] =>
  planned.map(({ host, steps }) => ({ host, steps: takeAll(action, steps) }));

/** @spec install-print */
function shown(asked: Asked, planned: readonly Done[]): number {
  const patches = planned.map(({ steps }) =>
    steps
      .filter(({ before, after }) => before !== after)
      .map((step) => patch(step)),
  );
  if (asked.values.json === true)
    printLines([
      JSON.stringify({
        ...asJson(asked, planned),
        hosts: planned.map((one, i) => ({
          ...hostAsJson(one),
          patches: patches[i],
        })),
      }),
    ]);
  else {
    process.stdout.write(patches.flat().join(""));
    warnProblems(asked, planned);
    if (patches.flat().length === 0) warn(wordings.INSTALL_NOTHING);
  }
  return hasProblems(planned) ? 1 : 0;
}

const patch = ({ file: { path }, before, after }: Step): string =>
  createTwoFilesPatch(
    before === undefined ? "/dev/null" : path,
    after === undefined ? "/dev/null" : path,
    before ?? "",
    after ?? "",
    "",
    "",
    {
      headerOptions: {
        includeIndex: false,
        includeUnderline: false,
        includeFileHeaders: true,
      },
    },
  );

function reported(
  asked: Asked,
  done: readonly Done[],
  notes: readonly string[],
  more: object,
  isQuiet = true,
): number {
  if (asked.values.json === true)
    printLines([JSON.stringify({ ...asJson(asked, done), ...more })]);
  else {
    const lines = told(asked, done);
    printLines([
      ...(lines.length > 0 || !isQuiet ? lines : [wordings.INSTALL_NOTHING]),
      ...notes,
    ]);
    warnProblems(asked, done);
  }
  return hasProblems(done) ? 1 : 0;
}

const hasProblems = (done: readonly Done[]): boolean =>
  done.some(({ steps }) => steps.some(({ problem }) => problem));

/** A host a line, and a line for each of its files. @spec install-report */
function told(
  { places }: Asked,
  done: readonly Done[],
  words: Readonly<Record<Change, string>> = DONE,
): string[] {
  return done.flatMap(({ host, steps }) => [
    host.title,
    ...steps
      .filter(({ change }) => change !== "absent")
      .map(
        ({ change, file: { path, holds } }) =>
          `  ${words[change].padEnd(WIDTH)}  ${shortened(path, places)} (${HOLDS[holds]})`,
      ),
  ]);
}

function warnProblems({ places }: Asked, done: readonly Done[]): void {
  for (const { steps } of done)
    for (const { problem, file } of steps)
      if (problem)
        warn(
          say(wordings.INSTALL_LEFT_ALONE, {
            file:
              shortened(file.path, places) +
              (problem.line === undefined ? "" : `:${problem.line}`),
            what: plain(problem.what),
          }),
        );
}

/** @spec install-report */
function nextSteps(
  { values, places, scope }: Asked,
  done: readonly Done[],
): string[] {
  return [
    ...done
      .filter(({ steps }) =>
        steps.some(({ change }) => change === "added" || change === "changed"),
      )
      .flatMap(({ host }) => [
        host.next,
        ...(scope === "project" ? [host.nextInProject] : []),
        ...(values.hooks === true ? [host.nextWithHooks] : []),
      ])
      .filter((line) => line !== undefined),
    ...(hasData(places.root) ? [] : [wordings.INSTALL_INIT]),
  ];
}

const asJson = ({ action, scope, values }: Asked, done: readonly Done[]) => ({
  action,
  scope,
  written: values.print !== true,
  hosts: done.map(hostAsJson),
});

const hostAsJson = ({ host, steps }: Done) => ({
  host: host.id,
  files: steps.map(({ file: { path, holds }, change, problem }) => ({
    path,
    holds,
    change,
    ...(problem && { problem }),
  })),
});

const HOLDS = {
  server: "MCP server",
  hooks: "hooks",
  plugin: "plugin",
} as const;
const DONE = {
  added: "added",
  changed: "changed",
  unchanged: "unchanged",
  removed: "removed",
  absent: "absent",
  "left alone": "left alone",
} as const;
const TO_DO = {
  ...DONE,
  added: "to add",
  changed: "to change",
  removed: "to remove",
} as const;
const WIDTH = DONE["left alone"].length;

/** @spec uninstall-leaves-nothing */
async function endDaemons() {
  const results = await Promise.all(
    (await daemons()).map(async (one) => ({
      one,
      ended: await endDaemon(one),
    })),
  );
  return {
    ended: results.filter(({ ended }) => ended).map(({ one }) => one),
    stay: results.filter(({ ended }) => !ended).map(({ one }) => one),
  };
}

/** What is left of ours, and what removes it. @spec uninstall-leaves-nothing */
function keptData(
  { root, exists, platform }: Places,
  roots: readonly string[],
): { path: string; command: string }[] {
  const quoted = (path: string) =>
    platform === "win32"
      ? `"${plain(path)}"`
      : plain(forPosixShell([path], platform));
  const cache = userFolderPath();
  return [
    ...[...new Set([root, ...roots])].filter(hasData).map((path) => ({
      path,
      command: `codegraph uninit ${quoted(path)}`,
    })),
    ...(exists(cache)
      ? [
          {
            path: cache,
            command:
              platform === "win32"
                ? `rmdir /s /q ${quoted(cache)}`
                : `rm -r ${quoted(cache)}`,
          },
        ]
      : []),
  ];
}
