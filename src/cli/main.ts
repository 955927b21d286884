/**
 * The command line: finds the command, reads its options, runs it. Each command
 * is loaded when it is called, so that a question does not wait for the rest.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { commandHelp, COMMANDS, overview, type CommandName } from "./help.ts";

/** What a command is called with. */
export interface Invocation {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

/** A command line that is not understood. */
export class UsageError extends Error {}

/** @spec cli-exit-codes */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that stops early, such as `head`, is no failure.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    void failed(error).then((code) => (process.exitCode = code));
  });
  const code = await outcome(argv);
  process.exitCode ??= code;
}

/** Runs a command line and gives its exit code; what it says stands on both outputs. @spec cli-exit-codes */
export const outcome = (argv: readonly string[]): Promise<number> =>
  run(argv).catch(failed);

async function failed(error: unknown): Promise<number> {
  const { explain } = await import("./errors.ts");
  warn(explain(error));
  return error instanceof UsageError ? 2 : 1;
}

/** Tells a person something beside the answer. */
export function warn(line: string): void {
  process.stderr.write(`codegraph: ${line}\n`);
}

/** The answer, on standard output, and the exit code that goes with one. */
export function printLines(lines: readonly string[]): 0 {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return 0;
}

async function run([first, ...rest]: readonly string[]): Promise<number> {
  if (first === undefined || first === "--help" || first === "-h")
    return print(overview());
  if (first === "--version" || first === "-V" || first === "version")
    return print(`${await version()}\n`);
  if (first === "help")
    return print(
      rest[0] === undefined || rest[0] === "help"
        ? overview()
        : commandHelp(named(rest[0])),
    );
  const command = named(first);
  const end = rest.indexOf("--");
  const before = end < 0 ? rest : rest.slice(0, end);
  if (before.includes("--help") || before.includes("-h"))
    return print(commandHelp(command));
  return (await COMMANDS[command].load())(invocation(command, rest));
}

function named(command: string): CommandName {
  if (!Object.hasOwn(COMMANDS, command))
    throw new UsageError(say(wordings.CLI_UNKNOWN, { command }));
  return command as CommandName;
}

function invocation(command: CommandName, args: readonly string[]): Invocation {
  const { options, most } = COMMANDS[command];
  const misused = (problem: string) =>
    new UsageError(say(wordings.CLI_USAGE, { problem, command }));
  let parsed: Invocation;
  try {
    parsed = parseArgs({
      args: [...args],
      options: options as NonNullable<ParseArgsConfig["options"]>,
      allowPositionals: true,
      strict: true,
    }) as Invocation;
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    throw misused(
      line.replace(/\. To specify.*$/, ".").replace(/([^.])$/, "$1."),
    );
  }
  const argument = parsed.positionals[most];
  if (argument !== undefined)
    throw misused(say(wordings.CLI_TOO_MANY, { command, argument }));
  return parsed;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

async function version(): Promise<string> {
  const { VERSION } = await import("./version.ts");
  return VERSION;
}
