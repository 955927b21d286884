/** `codegraph explore`. */
import { say } from "../model/wording.ts";
import { printSpans } from "../model/span.ts";
import { explore as answer, type ExploreAnswer } from "../serve/explore.ts";
import { wordings } from "../spec.gen.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import { UsageError, type Invocation } from "./main.ts";
import { mended, openFresh } from "./fresh.ts";
import type { Project } from "./project.ts";

/** @spec cli-same-answer cli-json */
export async function explore({
  positionals,
  values,
}: Invocation): Promise<number> {
  const query = positionals.join(" ");
  if (positionals.length === 0)
    throw new UsageError(
      say(wordings.CLI_USAGE, {
        problem: wordings.CLI_NO_QUERY,
        command: "explore",
      }),
    );
  const maxFiles = wholeNumber(values, "max-files");
  const maxChars = wholeNumber(values, "max-chars");
  const project = await openFresh(
    typeof values.path === "string" ? values.path : ".",
  );
  const { root } = project;
  const ask = ({ index }: Project) => {
    try {
      return index.snapshot(() =>
        answer(root, index, {
          query,
          ...(maxFiles === undefined ? {} : { maxFiles }),
          ...(maxChars === undefined ? {} : { maxChars }),
        }),
      );
    } finally {
      index.close();
    }
  };
  let found: ExploreAnswer;
  try {
    found = ask(project);
  } catch (error) {
    if (!(error instanceof UnreadableIndex)) throw error;
    found = ask(await mended(root, error));
  }
  process.stdout.write(
    values.json === true
      ? `${JSON.stringify({
          root,
          chars: found.text.length,
          files: found.files.map((file) => ({
            ...file,
            spans: printSpans(file.spans),
          })),
          text: found.text,
        })}\n`
      : found.text,
  );
  return 0;
}

function wholeNumber(
  values: Invocation["values"],
  option: string,
): number | undefined {
  const value = values[option];
  if (typeof value !== "string") return undefined;
  if (!/^\d{1,9}$/.test(value))
    throw new UsageError(
      say(wordings.CLI_USAGE, {
        problem: say(wordings.CLI_NOT_A_NUMBER, { option, value }),
        command: "explore",
      }),
    );
  return Number(value);
}
