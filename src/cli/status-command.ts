/** `codegraph status`. */
import { statSync } from "node:fs";
import { daemons } from "../serve/daemon/registry.ts";
import { changes } from "../index/changes.ts";
import { headCommit } from "../index/commit.ts";
import { scan } from "../index/scan.ts";
import { printLines, type Invocation } from "./main.ts";
import { plain } from "./plain.ts";
import { openProject } from "./project.ts";
import { problemLine, statusReport, type Watching } from "./report.ts";

/** What the daemons say that keep a project fresh. */
const watching = async (root: string): Promise<Watching[]> =>
  (await daemons()).flatMap(({ pid, status }) =>
    (status?.projects ?? [])
      .filter((project) => project.root === root)
      .map(({ folders, trouble, failure }) => ({
        pid,
        folders,
        trouble,
        failure,
      })),
  );

/** @spec cli-status cli-json */
export async function status({
  positionals,
  values,
}: Invocation): Promise<number> {
  const { root, index, file } = openProject(positionals[0] ?? ".");
  const files = index.files();
  const leftOut = index.leftOut();
  const counts = index.counts();
  const { commit, source } = index.meta;
  index.close();
  const problems = files
    .filter((f) => f.problem !== "")
    .map((f) => ({ path: f.path, line: f.problemLine, problem: f.problem }));
  if (values.json !== true) {
    const lists = [
      ...(values.problems === true ? problems.map(problemLine) : []),
      ...(values["left-out"] === true
        ? leftOut.map((f) => `${plain(f.path)}: ${f.reason}`)
        : []),
    ];
    if (values.problems === true || values["left-out"] === true)
      return printLines(lists);
  }
  const { size } = statSync(file);
  const scanned = await scan(root, { force: true });
  const news = changes(scanned, files, leftOut);
  const pending = {
    added: news.added.map(({ path }) => path),
    changed: news.changed.map(({ path }) => path),
    removed: news.removed.map(({ path }) => path),
  };
  const languages = new Map<string, number>();
  for (const f of files)
    languages.set(f.language, (languages.get(f.language) ?? 0) + 1);
  const told = {
    root,
    watching: await watching(root),
    database: { file, bytes: size },
    ...counts,
    languages,
    source,
    commit: { indexed: commit, checkedOut: await headCommit(root) },
    pending,
    problems,
  };
  return printLines(
    values.json === true
      ? [
          JSON.stringify({
            ...told,
            languages: Object.fromEntries(languages),
            leftOut,
          }),
        ]
      : statusReport({ ...told, leftOut: leftOut.length }),
  );
}
