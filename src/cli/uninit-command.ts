/** `codegraph uninit`. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { dataFolder, nearestProject, removeData } from "../store/folder.ts";
import type { Invocation } from "./main.ts";

/** @spec folder-only-ours cli-json */
export async function uninit({
  positionals,
  values,
}: Invocation): Promise<number> {
  const named = positionals[0];
  const root = resolve(
    named ?? nearestProject(process.cwd(), homedir()) ?? ".",
  );
  const { removed, kept } = removeData(root);
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify({ root, removed, kept })}\n`);
    return 0;
  }
  process.stdout.write(
    `${say(removed ? wordings.CLI_UNINIT_DONE : wordings.CLI_UNINIT_NOTHING, { path: root })}\n`,
  );
  if (kept.length > 0)
    process.stderr.write(
      `codegraph: ${say(wordings.CLI_UNINIT_KEPT, { path: dataFolder(root), names: kept.join(", ") })}\n`,
    );
  return 0;
}
