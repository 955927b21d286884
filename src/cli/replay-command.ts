/** `codegraph replay`. */
import { readFileSync } from "node:fs";
import { replay as measure } from "../bench/replay.ts";
import { replayText } from "../bench/report.ts";
import { say } from "../model/wording.ts";
import { ToolHandler } from "../serve/handler.ts";
import { wordings } from "../spec.gen.ts";
import { UserError } from "../store/place.ts";
import { UsageError, type Invocation } from "./main.ts";
import { openProject } from "./project.ts";

/** @spec replay-two-arms replay-report cli-json */
export async function replay({ values }: Invocation): Promise<number> {
  const usage = (problem: string) =>
    new UsageError(say(wordings.CLI_USAGE, { problem, command: "replay" }));
  if (typeof values.queries !== "string")
    throw usage(wordings.REPLAY_NO_QUERIES);
  const runs = typeof values.runs === "string" ? values.runs : "3";
  if (!/^[1-9]\d{0,2}$/.test(runs))
    throw usage(
      say(wordings.CLI_NOT_A_NUMBER, { option: "runs", value: runs }),
    );
  const queries = readQueries(values.queries);
  const { root, index } = openProject(
    typeof values.path === "string" ? values.path : ".",
  );
  index.close();
  const handler = new ToolHandler();
  const result = await measure(handler, root, queries, Number(runs));
  handler.close();
  process.stdout.write(
    values.json === true ? `${JSON.stringify(result)}\n` : replayText(result),
  );
  return 0;
}

/** A query a line; blank lines and those that begin with `#` are passed over. */
function readQueries(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UserError(say(wordings.REPLAY_UNREADABLE, { path }));
  }
  const queries = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (queries.length === 0)
    throw new UserError(say(wordings.REPLAY_EMPTY, { path }));
  return queries;
}
