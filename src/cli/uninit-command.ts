/** `codegraph uninit`. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { say } from "../model/wording.ts";
import { endDaemonsOf } from "../serve/daemon/registry.ts";
import { wordings } from "../spec.gen.ts";
import { exclusively } from "../store/exclusive.ts";
import { hasData, removeData } from "../store/folder.ts";
import { dataFolder, nearestProject } from "../store/place.ts";
import { printLines, warn, type Invocation } from "./main.ts";
import { plain } from "./plain.ts";

/** @spec folder-only-ours cli-json */
export async function uninit({
  positionals,
  values,
}: Invocation): Promise<number> {
  const root = resolve(
    positionals[0] ?? nearestProject(process.cwd(), homedir()) ?? ".",
  );
  if (hasData(root))
    for (const { pid } of await endDaemonsOf(root))
      warn(say(wordings.DAEMON_STAYS, { root: plain(root), pid }));
  const remove = () => Promise.resolve(removeData(root));
  const { removed, kept } = hasData(root)
    ? await exclusively(
        root,
        (pid) => warn(say(wordings.CLI_WAITING, { pid })),
        remove,
      )
    : await remove();
  if (values.json === true)
    return printLines([JSON.stringify({ root, removed, kept })]);
  if (kept.length > 0)
    warn(
      say(wordings.CLI_UNINIT_KEPT, {
        path: plain(dataFolder(root)),
        names: kept.map(plain).join(", "),
      }),
    );
  return printLines([
    say(removed ? wordings.CLI_UNINIT_DONE : wordings.CLI_UNINIT_NOTHING, {
      path: plain(root),
    }),
  ]);
}
