/** Control lines, from the side that asks. It loads little: a host's hooks wait for it. */
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { userFolder, userFolderPath } from "../../index/user-folder.ts";
import { addressNamed, isOwnSocket, NAME, type Address } from "./names.ts";
import { controlLine, firstLine } from "./first-line.ts";

type Answer = Readonly<Record<string, unknown>>;

/** A question makes no folder. */
export const existingRunFolder = (): string | undefined =>
  existsSync(join(userFolderPath(), "run")) ? userFolder("run") : undefined;

/** The names of daemons in a run folder, of all views of the machine. */
export const namesIn = (run: string): string[] =>
  readdirSync(run).filter((name) => NAME.test(name));

/** The answer to a control line; undefined where none comes in time or it is a refusal. @spec daemon-control */
export async function ask(
  { socket: path }: Address,
  op: string,
  ms: number,
  more: Answer = {},
): Promise<Answer | undefined> {
  if (!isOwnSocket(path)) return undefined;
  const socket = connect({ path });
  socket.on("error", () => {});
  socket.write(controlLine(op, more));
  const line = await firstLine(socket, ms);
  socket.destroy();
  try {
    const answer = JSON.parse(line ?? "") as Answer | null;
    return answer?.["codegraph_control"] === 1 ? answer : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Asks every daemon of this user at once; what another container's would answer is not
 * waited for longer than that of one that hangs. @spec hook-post-compact
 */
export async function askAll(
  op: string,
  ms: number,
  more: Answer,
  run: string | undefined = existingRunFolder(),
): Promise<Answer[]> {
  if (run === undefined) return [];
  const answers = await Promise.all(
    namesIn(run).map((name) => {
      const address = addressNamed("", name, run);
      return address && ask(address, op, ms, more);
    }),
  );
  return answers.filter((answer) => answer !== undefined);
}
