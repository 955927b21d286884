/** `codegraph status`. */
import { statSync } from "node:fs";
import { changes } from "../index/changes.ts";
import { headCommit } from "../index/commit.ts";
import { scan } from "../index/scan.ts";
import { languageById } from "../languages/index.ts";
import type { Invocation } from "./main.ts";
import { openProject } from "./project.ts";

/** @spec cli-status cli-json */
export async function status({
  positionals,
  values,
}: Invocation): Promise<number> {
  const { root, index, file } = openProject(positionals[0] ?? ".");
  const files = index.files();
  const leftOut = index.leftOut();
  const counts = index.counts();
  const { size: bytes, mtimeMs } = statSync(file);
  const scanned = await scan(root, { force: true });
  const pending = changes(scanned, files, leftOut, mtimeMs);
  const problems = files.filter((f) => f.problem !== "");
  const head = await headCommit(root);
  const languages = new Map<string, number>();
  for (const f of files)
    languages.set(f.language, (languages.get(f.language) ?? 0) + 1);
  const { commit, source } = index.meta;
  index.close();

  if (values.json === true) {
    process.stdout.write(
      `${JSON.stringify({
        root,
        database: { file, bytes },
        ...counts,
        languages: Object.fromEntries(languages),
        source,
        commit: { indexed: commit, checkedOut: head },
        pending,
        problems: problems.map((f) => ({
          path: f.path,
          line: f.problemLine,
          problem: f.problem,
        })),
        leftOut,
      })}\n`,
    );
    return 0;
  }
  if (values.problems === true)
    return print(
      problems.map(
        (f) =>
          `${f.path}${f.problemLine > 0 ? `:${f.problemLine}` : ""}: ${f.problem}`,
      ),
    );
  if (values["left-out"] === true)
    return print(leftOut.map((f) => `${f.path}: ${f.reason}`));

  const number = (n: number) => n.toLocaleString("en-US");
  const lines = [
    `Project   ${root}`,
    `Index     ${number(counts.files)} files, ${number(counts.symbols)} symbols, ${number(counts.references)} references (${(bytes / 1e6).toFixed(1)} MB)`,
    `          ${[...languages]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .map(
        ([id, count]) =>
          `${id === "" ? "text" : (languageById(id)?.label ?? id)} ${number(count)}`,
      )
      .join(", ")}`,
  ];
  if (commit !== "" || head !== "")
    lines.push(
      commit === head
        ? `Commit    ${short(head)}`
        : `Commit    ${short(commit)} when indexed, ${short(head)} checked out`,
    );
  const all = [
    ["added", pending.added],
    ["changed", pending.changed],
    ["removed", pending.removed],
  ] as const;
  const told = all.filter(([, paths]) => paths.length > 0);
  lines.push(
    told.length === 0
      ? "Pending   nothing: the index is up to date"
      : `Pending   ${told.map(([what, paths]) => `${number(paths.length)} ${what}`).join(", ")}: \`codegraph index\` takes them in`,
  );
  for (const [what, paths] of told)
    for (const path of paths.slice(0, 10))
      lines.push(`          ${what} ${path}`);
  if (problems.length > 0)
    lines.push(
      `Problems  ${number(problems.length)} files not in full: \`codegraph status --problems\` lists them`,
    );
  if (leftOut.length > 0)
    lines.push(
      `Left out  ${number(leftOut.length)} files: \`codegraph status --left-out\` lists them`,
    );
  return print(lines);
}

const short = (commit: string): string =>
  commit === "" ? "none" : commit.slice(0, 12);

function print(lines: readonly string[]): number {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return 0;
}
