/**
 * What to do to the files of hosts, decided from what is in them, and doing it.
 */
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import { apply, missingFolders, readText } from "./files.ts";
import type {
  Edited,
  Host,
  HostFile,
  Places,
  Problem,
  Scope,
  Wanted,
} from "./host.ts";

export type Action = "install" | "uninstall";

export type Change =
  "added" | "changed" | "unchanged" | "removed" | "absent" | "left alone";

/** A file, as it is and as it is to be. */
export interface Step {
  readonly file: HostFile;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly folders: number;
  readonly change: Change;
  readonly problem: Problem | undefined;
  /** The step from the file as it is by now. */
  readonly again: () => Step;
}

/** What is wanted, but for what the files themselves tell. */
export type Wishes = Omit<Wanted, "server" | "announces">;

/**
 * The steps of a host, in the order in which they are taken. Where one file has to be
 * left alone, so are those after it.
 * @spec hosts-files hosts-left-alone
 */
export function plan(
  action: Action,
  host: Host,
  scope: Scope,
  places: Places,
  wishes: Wishes,
): Step[] {
  const files = host.files(scope, places);
  const ordered = action === "install" ? files : files.toReversed();
  const wanted: Wanted = { ...wishes, ...toldBy(files) };
  const steps: Step[] = [];
  for (const file of ordered) {
    const step = stepFor(action, file, wanted);
    steps.push(step);
    if (step.problem && action === "install") break;
  }
  return steps;
}

/** What is there: an entry keeps its name, and hooks their kind where nothing tells a better one. */
function toldBy(
  files: readonly HostFile[],
): Pick<Wanted, "server" | "announces"> {
  const ours = files.flatMap((file) => {
    const read = readText(file.path);
    return "text" in read ? [file.ours(read.text)] : [];
  });
  return {
    server: ours.flatMap(({ servers }) => servers)[0]?.name ?? SERVER,
    announces: ours.some(({ hooks }) =>
      hooks.some(({ kind }) => kind === "mcp_tool"),
    ),
  };
}

function stepFor(action: Action, file: HostFile, wanted: Wanted): Step {
  const again = () => stepFor(action, file, wanted);
  const read = readText(file.path);
  const edit: Edited =
    "problem" in read
      ? read
      : action === "install"
        ? file.install(read.text, wanted, missingFolders(file.path))
        : file.uninstall(read.text);
  const before = "problem" in read ? undefined : read.text;
  if ("problem" in edit)
    return {
      file,
      before,
      after: before,
      folders: 0,
      change: "left alone",
      problem: edit.problem,
      again,
    };
  const { text: after, folders = 0 } = edit;
  return {
    file,
    before,
    after,
    folders,
    change: changeOf(file, before, after),
    problem: undefined,
    again,
  };
}

function changeOf(
  file: HostFile,
  before: string | undefined,
  after: string | undefined,
): Change {
  const has = (text: string | undefined): boolean => {
    const { servers, hooks, plugin } = file.ours(text);
    return servers.length > 0 || hooks.length > 0 || plugin;
  };
  if (before === after) return has(after) ? "unchanged" : "absent";
  if (!has(after)) return "removed";
  return has(before) ? "changed" : "added";
}

/**
 * Takes a step. A file that somebody else has written meanwhile is edited again.
 * @spec hosts-written-whole
 */
function take(step: Step, { MAX_EDITS }: Bounds): Step {
  let now = step;
  for (let edits = 1; ; edits++) {
    if (now.before === now.after || now.problem) return now;
    const done = apply(now.file.path, now.before, {
      text: now.after,
      folders: now.folders,
    });
    if (done === "done") return now;
    const problem = done === "stale" ? CHANGING : done.problem;
    if (done !== "stale" || edits >= MAX_EDITS)
      return { ...now, change: "left alone", problem };
    now = now.again();
  }
}

type Bounds = Pick<Limits, "MAX_EDITS">;

const CHANGING: Problem = {
  line: undefined,
  what: wordings.HOST_CHANGING,
};

/**
 * Takes the steps of a host. Where one file has to be left alone, so are those after it
 * that would be added to; what is to go goes as far as it can.
 * @spec hosts-left-alone
 */
export function takeAll(
  action: Action,
  steps: readonly Step[],
  bounds: Bounds = fromSpec,
): Step[] {
  const done: Step[] = [];
  for (const step of steps) {
    const now = take(step, bounds);
    done.push(now);
    if (now.problem && action === "install") break;
  }
  return done;
}

/** The name of the entry that we write. */
const SERVER = "codegraph";
