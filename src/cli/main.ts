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
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = await run(argv).catch(async (error: unknown) => {
    const { explain } = await import("./errors.ts");
    process.stderr.write(`codegraph: ${explain(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  });
}

async function run([first, ...rest]: readonly string[]): Promise<number> {
  if (first === undefined || first === "--help" || first === "-h")
    return print(overview());
  if (first === "--version" || first === "-V" || first === "version")
    return print(`${await version()}\n`);
  if (first === "help")
    return print(
      rest[0] === undefined ? overview() : commandHelp(named(rest[0])),
    );
  const command = named(first);
  if (rest.includes("--help") || rest.includes("-h"))
    return print(commandHelp(command));
  const { load, options } = COMMANDS[command];
  return (await load())(invocation(command, options, rest));
}

function named(command: string): CommandName {
  if (!Object.hasOwn(COMMANDS, command))
    throw new UsageError(say(wordings.CLI_UNKNOWN, { command }));
  return command as CommandName;
}

function invocation(
  command: string,
  options: NonNullable<ParseArgsConfig["options"]>,
  args: readonly string[],
): Invocation {
  try {
    return parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    }) as Invocation;
  } catch (error) {
    const problem = (error as Error).message
      .replace(/\. To specify.*$/s, ".")
      .replace(/([^.])$/, "$1.");
    throw new UsageError(say(wordings.CLI_USAGE, { problem, command }));
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

async function version(): Promise<string> {
  const { VERSION } = await import("./version.ts");
  return VERSION;
}
