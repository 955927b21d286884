/** What indexing and status tell a person. Pure: data in, lines out. */
import type { WatchState } from "../serve/freshness.ts";
import { languageById } from "../languages/index.ts";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import type { BuildResult, Problem } from "../store/build.ts";
import type { SyncResult } from "../store/sync.ts";
import { counted, grouped, plain } from "./plain.ts";

/** Nothing where no file was indexed: a warning says so. @spec cli-index-report */
export function indexReport(
  result: BuildResult,
  seconds: number,
  first: boolean,
  limits: Pick<Limits, "PROBLEMS_SHOWN"> = fromSpec,
): string[] {
  if (result.files === 0) return [];
  const lines = [
    say(wordings.INDEXED, {
      files: counted(result.files, "file"),
      seconds: seconds.toFixed(1),
      symbols: counted(result.symbols, "symbol"),
      references: counted(result.references, "reference"),
    }),
    `  ${languagesLine(result.languages)}`,
  ];
  if (result.problems.length > 0)
    lines.push(
      `  ${say(wordings.INDEXED_PROBLEMS, { files: counted(result.problems.length, "file") })}`,
      ...result.problems
        .slice(0, limits.PROBLEMS_SHOWN)
        .map((problem) => `    ${problemLine(problem)}`),
    );
  if (result.leftOut > 0)
    lines.push(
      `  ${say(wordings.INDEXED_LEFT_OUT, { files: counted(result.leftOut, "file") })}`,
    );
  if (result.reused > 0)
    lines.push(
      `  ${say(wordings.INDEXED_REUSED, { files: counted(result.reused, "file") })}`,
    );
  if (first) lines.push("", wordings.INDEXED_NEXT);
  return lines;
}

/** @spec cli-sync */
export function syncReport(result: SyncResult, seconds: number): string[] {
  const { rebuilt } = result;
  if (rebuilt)
    return [
      say(wordings.SYNC_REBUILT, {
        reason: rebuilt.reason || wordings.SYNC_MOSTLY_NEW,
      }),
      ...indexReport(rebuilt.result, seconds, false),
    ];
  const told = (["added", "changed", "removed"] as const)
    .filter((what) => result[what] > 0)
    .map((what) => `${grouped(result[what])} ${what}`);
  return [
    told.length === 0
      ? wordings.SYNC_NOTHING
      : say(wordings.SYNC_DONE, {
          changes: told.join(", "),
          seconds: seconds.toFixed(2),
        }),
  ];
}

export const problemLine = ({ path, line, problem }: Problem): string =>
  `${plain(path)}${line > 0 ? `:${line}` : ""}: ${problem}`;

function languagesLine(languages: ReadonlyMap<string, number>): string {
  return [...languages]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(
      ([id, count]) =>
        `${id === "" ? "text" : (languageById(id)?.label ?? id)} ${grouped(count)}`,
    )
    .join(", ");
}

export interface Status {
  readonly root: string;
  readonly database: { readonly file: string; readonly bytes: number };
  readonly files: number;
  readonly symbols: number;
  readonly references: number;
  readonly languages: ReadonlyMap<string, number>;
  /** Full hashes; empty for none. */
  readonly commit: { readonly indexed: string; readonly checkedOut: string };
  /** Paths. */
  readonly pending: Readonly<
    Record<"added" | "changed" | "removed", readonly string[]>
  >;
  readonly problems: readonly Problem[];
  readonly leftOut: number;
  readonly watching: readonly Watching[];
}

/** A daemon that keeps the project fresh. */
export interface Watching extends Pick<
  WatchState,
  "folders" | "trouble" | "failure"
> {
  /** Its process. */
  readonly pid: number;
}

/** @spec cli-status watch-limit */
export function statusReport(
  status: Status,
  limits: Pick<Limits, "PENDING_SHOWN" | "COMMIT_CHARS"> = fromSpec,
): string[] {
  const short = (commit: string): string =>
    commit === "" ? "none" : commit.slice(0, limits.COMMIT_CHARS);
  const { indexed, checkedOut } = status.commit;
  const lines = [
    `Project   ${plain(status.root)}`,
    `Index     ${say(wordings.STATUS_INDEX, {
      files: counted(status.files, "file"),
      symbols: counted(status.symbols, "symbol"),
      references: counted(status.references, "reference"),
      megabytes: (status.database.bytes / 1e6).toFixed(1),
    })}`,
  ];
  if (status.files > 0)
    lines.push(`          ${languagesLine(status.languages)}`);
  if (indexed !== "" || checkedOut !== "")
    lines.push(
      `Commit    ${
        indexed === checkedOut
          ? short(indexed)
          : say(wordings.STATUS_COMMITS, {
              indexed: short(indexed),
              checkedOut: short(checkedOut),
            })
      }`,
    );
  const pending = [
    ["added", status.pending.added],
    ["changed", status.pending.changed],
    ["removed", status.pending.removed],
  ] as const;
  const told = pending.filter(([, paths]) => paths.length > 0);
  lines.push(
    `Pending   ${
      told.length === 0
        ? wordings.STATUS_FRESH
        : say(wordings.STATUS_PENDING, {
            changes: told
              .map(([what, paths]) => `${paths.length} ${what}`)
              .join(", "),
          })
    }`,
  );
  for (const [what, paths] of told) {
    for (const path of paths.slice(0, limits.PENDING_SHOWN))
      lines.push(`          ${what} ${plain(path)}`);
    const more = paths.length - limits.PENDING_SHOWN;
    if (more > 0)
      lines.push(`          ${say(wordings.STATUS_MORE, { count: more })}`);
  }
  for (const { pid, folders, trouble, failure } of status.watching) {
    if (trouble !== "")
      lines.push(
        `Watching  ${say(wordings.STATUS_NOT_WATCHED, { reason: trouble, pid })}`,
      );
    else if (folders > 0)
      lines.push(
        `Watching  ${say(wordings.STATUS_WATCHING, { folders: counted(folders, "folder"), pid })}`,
      );
    if (failure !== "")
      lines.push(
        `Failed    ${say(wordings.STATUS_FAILED, { message: plain(failure), pid })}`,
      );
  }
  if (status.problems.length > 0)
    lines.push(
      `Problems  ${say(wordings.INDEXED_PROBLEMS, { files: counted(status.problems.length, "file") })}`,
    );
  if (status.leftOut > 0)
    lines.push(
      `Left out  ${say(wordings.INDEXED_LEFT_OUT, { files: counted(status.leftOut, "file") })}`,
    );
  return lines;
}
