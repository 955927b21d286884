/**
 * Connects a proxy to the daemon of its address, and starts one where nobody listens.
 *
 * Errs: toward two daemons being started, of which one ends at once, rather than none.
 */
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { parse } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { say } from "../../model/wording.ts";
import { wordings } from "../../spec.gen.ts";
import { crashFile, startingFile } from "./address.ts";
import { isOwnSocket, type Address } from "./names.ts";
import { firstLine } from "./first-line.ts";
import { waits as fromSpec, type Waits } from "./waits.ts";

/** The program that a daemon is, before the root and the name of its address. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * A connection that the daemon has welcomed, or why there is none.
 * @spec daemon-is-reached
 */
export async function reach(
  address: Address,
  hello: string,
  program: Program,
  signal: AbortSignal,
  waits: Waits = fromSpec(),
  sleep: (ms: number) => Promise<unknown> = pause,
): Promise<Socket | string> {
  const start = performance.now();
  const left = () =>
    signal.aborted ? 0 : waits.reach - (performance.now() - start);
  const starter = new Starter(address, program, waits.starting);
  for (let wait = waits.retry; left() > 0; wait *= 2) {
    const found = await welcomed(address.socket, hello, left(), signal);
    if (found !== undefined) return found;
    const failed = await starter.look();
    if (failed !== undefined) return failed;
    await sleep(Math.max(0, Math.min(wait, left(), waits.retry * SLOWEST)));
  }
  return say(wordings.DAEMON_NO_ANSWER, { seconds: waits.reach / 1000 });
}

/** What the pause between two attempts grows to, in first pauses. */
const SLOWEST = 8;

/** A connection, a refusal's reason, or undefined where nobody answers. */
async function welcomed(
  path: string,
  hello: string,
  ms: number,
  signal: AbortSignal,
): Promise<Socket | string | undefined> {
  if (!isOwnSocket(path)) return undefined;
  const socket = connect({ path });
  socket.on("error", () => {});
  socket.write(hello);
  const give = () => socket.destroy();
  signal.addEventListener("abort", give);
  const line = await firstLine(socket, ms);
  signal.removeEventListener("abort", give);
  const answer = line === undefined ? {} : object(line);
  if (answer["codegraph_welcome"] === 1) return socket;
  socket.destroy();
  const { codegraph_refused: reason } = answer;
  return typeof reason === "string" ? reason : undefined;
}

export function object(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : {};
  } catch {
    return {};
  }
}

/** Starts the daemon of an address, unless another proxy is about to. */
class Starter {
  private readonly address: Address;
  private readonly program: Program;
  private readonly staleMs: number;
  /** A start of this proxy's is under way. */
  private running = false;
  private failed: string | undefined;

  constructor(address: Address, program: Program, staleMs: number) {
    this.address = address;
    this.program = program;
    this.staleMs = staleMs;
  }

  /** Starts one if that is due; gives the reason where it failed to start. */
  async look(): Promise<string | undefined> {
    if (!this.running && this.failed === undefined && this.takesTurn())
      await this.start();
    return this.failed;
  }

  /** Says in a file that it starts one. A note that grew old is its writer's no more. */
  private takesTurn(): boolean {
    const note = startingFile(this.address);
    try {
      mkdirSync(this.address.folder, { recursive: true, mode: 0o700 });
      const found = lstatSync(note, { throwIfNoEntry: false });
      if (found) {
        const age = Math.abs(Date.now() - found.mtimeMs);
        if (age < this.staleMs) return false;
        rmSync(note, { force: true });
      }
      closeSync(openSync(note, "wx", 0o600));
      return true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // Another took it, or a daemon that ends took the folder away.
      if (code !== "EEXIST" && code !== "ENOENT") this.failed = message;
      return false;
    }
  }

  private async start(): Promise<void> {
    const { spawn } = await import("node:child_process");
    const { root, name, folder } = this.address;
    const env = { ...process.env };
    // A client's settings come over its connection.
    delete env["CODEGRAPH_EXPLORE_DEDUP"];
    delete env["CODEGRAPH_EXPLORE_DEBUG"];
    this.running = true;
    const began = Date.now();
    const child = spawn(
      this.program.command,
      [...this.program.args, root, name],
      {
        // No project's folder is held by it.
        cwd: parse(folder).root,
        detached: true,
        env,
        stdio: "ignore",
        windowsHide: true,
      },
    );
    child.unref();
    const over = (code: number, problem = this.note(began)) => {
      this.running = false;
      rmSync(startingFile(this.address), { force: true });
      // One that found another at the address ends with 0.
      if (code !== 0)
        this.failed = say(wordings.DAEMON_NO_START, {
          problem: problem ?? say(wordings.DAEMON_EXIT, { code }),
        });
    };
    // One that was killed says nothing of the next.
    child.on("exit", (code) => over(code ?? 0));
    child.on("error", ({ message }) => over(1, message));
  }

  /** The first line of what a daemon noted of its end since then. */
  private note(since: number): string | undefined {
    const file = crashFile(this.address);
    try {
      const stat = lstatSync(file);
      // Some file systems know times to the second.
      const second = Math.floor(since / 1000) * 1000;
      if (!stat.isFile() || stat.mtimeMs < second) return undefined;
      return readFileSync(file, "utf8").split("\n")[0];
    } catch {
      return undefined;
    }
  }
}
