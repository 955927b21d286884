/** The commands: what they are for, how they are called, where they live. */
import type { ParseArgsConfig } from "node:util";
import type { Invocation } from "./main.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly details: string;
  readonly options: Options;
  /** How many arguments it takes besides options. */
  readonly most: number;
  /** The line of each option in the help. */
  readonly optionHelp: readonly (readonly [option: string, help: string])[];
  readonly load: () => Promise<(invocation: Invocation) => Promise<number>>;
}

const INDEX_OPTIONS = {
  force: { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  json: { type: "boolean" },
} as const;
const INDEX_OPTION_HELP = [
  ["--force", "index even a home or system folder"],
  ["-q, --quiet", "print nothing but errors"],
  ["--json", "print the result as one JSON value"],
] as const;

const SHARED =
  "Files whose bytes were parsed before, in whatever project of yours, are not parsed\n" +
  "again. CODEGRAPH_EXTRACTION_CACHE=0 switches that off.";

const INSTALL_OPTIONS = {
  target: { type: "string" },
  scope: { type: "string" },
  print: { type: "boolean" },
  json: { type: "boolean" },
} as const;
const SCOPE_HELP = [
  "--scope SCOPE",
  "user (by default), or project: the files of the project at PATH",
] as const;

export const COMMANDS = {
  init: {
    usage: "codegraph init [PATH] [--force] [--quiet] [--json]",
    summary: "set a project up and index it",
    details:
      "Indexes the project at PATH (this folder by default) into PATH/.codegraph/, which git\n" +
      "ignores. What git would track is indexed; a .codegraphignore file leaves out more.\n" +
      SHARED,
    options: INDEX_OPTIONS,
    most: 1,
    optionHelp: INDEX_OPTION_HELP,
    load: async () => (await import("./index-command.ts")).init,
  },
  index: {
    usage: "codegraph index [PATH] [--force] [--quiet] [--json]",
    summary: "index a project again, as a whole",
    details:
      "Builds the index of PATH (by default the project around this folder) anew. Until the\n" +
      "new one is whole, questions are answered from the old one.\n" +
      SHARED,
    options: INDEX_OPTIONS,
    most: 1,
    optionHelp: INDEX_OPTION_HELP,
    load: async () => (await import("./index-command.ts")).index,
  },
  sync: {
    usage: "codegraph sync [PATH] [--quiet] [--json]",
    summary: "take in what has changed since",
    details:
      "Brings the index of the project around PATH (this folder by default) up to its files as\n" +
      "they are now. Only what has changed is read.",
    options: {
      quiet: { type: "boolean", short: "q" },
      json: { type: "boolean" },
    },
    most: 1,
    optionHelp: [
      ["-q, --quiet", "print nothing but errors"],
      ["--json", "print the result as one JSON value"],
    ],
    load: async () => (await import("./sync-command.ts")).sync,
  },
  explore: {
    usage:
      'codegraph explore "QUESTION OR NAMES" [--path PATH] [--max-files N] [--max-chars N] [--json]',
    summary: "answer a question with the source that matters",
    details:
      "Prints the verbatim, line-numbered source that answers the question, within a budget\n" +
      "that grows with the project. Names of symbols and files are looked up; everything\n" +
      "else is found by its words.",
    most: Infinity,
    options: {
      path: { type: "string", short: "p" },
      "max-files": { type: "string" },
      "max-chars": { type: "string" },
      json: { type: "boolean" },
    },
    optionHelp: [
      [
        "-p, --path PATH",
        "a folder in the project to ask about (this one by default)",
      ],
      ["--max-files N", "show source of at most N files"],
      ["--max-chars N", "keep the answer within N characters"],
      ["--json", "print the answer and what it serves as one JSON value"],
    ],
    load: async () => (await import("./explore-command.ts")).explore,
  },
  status: {
    usage: "codegraph status [PATH] [--problems] [--left-out] [--json]",
    summary: "say what is indexed, and what has changed since",
    details: "Tells about the project around PATH (this folder by default).",
    most: 1,
    options: {
      problems: { type: "boolean" },
      "left-out": { type: "boolean" },
      json: { type: "boolean" },
    },
    optionHelp: [
      [
        "--problems",
        "list the files that could not be indexed in full, and why",
      ],
      ["--left-out", "list the files that were left out, and why"],
      ["--json", "print everything as one JSON value"],
    ],
    load: async () => (await import("./status-command.ts")).status,
  },
  uninit: {
    usage: "codegraph uninit [PATH] [--json]",
    summary: "remove a project's index",
    details:
      "Deletes what codegraph wrote into PATH/.codegraph/, and nothing else.",
    most: 1,
    options: { json: { type: "boolean" } },
    optionHelp: [["--json", "print the result as one JSON value"]],
    load: async () => (await import("./uninit-command.ts")).uninit,
  },
  serve: {
    usage: "codegraph serve --mcp [--path PATH] [--auto-init]",
    summary: "answer a coding agent over MCP, on standard input and output",
    details:
      "Speaks the Model Context Protocol until its input ends. An agent's host starts it. It\n" +
      "remembers for each conversation what it has sent, and points at that instead of sending\n" +
      "it again; not where it cannot tell the conversations of a host apart.\n" +
      "CODEGRAPH_EXPLORE_DEDUP=1 switches that on for every host, 0 off.\n" +
      "CODEGRAPH_MCP_EXPLORE_SESSION_PARAM=1 names sessionId, the caller's context, in the\n" +
      "tool's schema; it is taken either way.",
    most: 0,
    options: {
      mcp: { type: "boolean" },
      path: { type: "string", short: "p" },
      "auto-init": { type: "boolean" },
    },
    optionHelp: [
      ["--mcp", "speak MCP; required"],
      ["-p, --path PATH", "the project, where the client does not name one"],
      [
        "--auto-init",
        "index a project that is not indexed when it is asked about",
      ],
    ],
    load: async () => (await import("./serve-command.ts")).serve,
  },
  daemon: {
    usage: "codegraph daemon status|stop [--path PATH] [--json]",
    summary: "list or end the processes that answer coding agents",
    details:
      "`codegraph serve` starts one daemon for each project, which answers all its agents and\n" +
      "ends by itself when none has been there for a while. CODEGRAPH_DAEMON=0 makes every\n" +
      "server answer by itself. CODEGRAPH_DAEMON_IDLE_SECONDS says how long a while is.",
    most: 1,
    options: {
      path: { type: "string", short: "p" },
      json: { type: "boolean" },
    },
    optionHelp: [
      ["-p, --path PATH", "only the daemons of the project around PATH"],
      ["--json", "print the result as one JSON value"],
    ],
    load: async () => (await import("./daemon-command.ts")).daemon,
  },
  install: {
    usage:
      "codegraph install [PATH] [--target NAMES] [--scope SCOPE] [--hooks] [--print] [-y] [--json]",
    summary: "connect Claude Code, Codex and other agents to codegraph",
    details:
      "Adds the server, and what tells a host's conversations apart, to the files of Claude\n" +
      "Code (claude), Codex (codex), Cursor (cursor), opencode (opencode), Gemini CLI (gemini)\n" +
      "and VS Code (vscode). All else in those files stays as it is.",
    most: 1,
    options: {
      ...INSTALL_OPTIONS,
      hooks: { type: "boolean" },
      yes: { type: "boolean", short: "y" },
    },
    optionHelp: [
      [
        "--target NAMES",
        "the hosts, with commas between, or all (those that are there by default)",
      ],
      SCOPE_HELP,
      ["--hooks", "hooks for Codex too, which needs none"],
      ["--print", "show the changes as a diff and write nothing"],
      ["-y, --yes", "do not ask"],
      ["--json", "print the result as one JSON value"],
    ],
    load: async () => (await import("./install-command.ts")).install,
  },
  uninstall: {
    usage:
      "codegraph uninstall [PATH] [--target NAMES] [--scope SCOPE] [--print] [--json]",
    summary: "disconnect those agents again",
    details:
      "Takes out what `codegraph install` has put into the files of hosts, and nothing else.\n" +
      "For a user it also ends the daemons, and says what data is left.",
    most: 1,
    options: { ...INSTALL_OPTIONS, yes: { type: "boolean", short: "y" } },
    optionHelp: [
      ["--target NAMES", "the hosts, with commas between (all by default)"],
      SCOPE_HELP,
      ["--print", "show the changes as a diff and write nothing"],
      ["-y, --yes", "accepted; it never asks"],
      ["--json", "print the result as one JSON value"],
    ],
    load: async () => (await import("./install-command.ts")).uninstall,
  },
  doctor: {
    usage: "codegraph doctor [PATH] [--target NAMES] [--json]",
    summary: "check that agents reach codegraph, and say what to mend",
    details:
      "Starts what the files of each host tell it to start, as the host would, and says what\n" +
      "is wrong and how to mend it. No file of a host is changed.",
    most: 1,
    options: { target: { type: "string" }, json: { type: "boolean" } },
    optionHelp: [
      ["--target NAMES", "the hosts, with commas between (all by default)"],
      ["--json", "print the result as one JSON value"],
    ],
    load: async () => (await import("./doctor-command.ts")).doctor,
  },
  replay: {
    usage: "codegraph replay --queries FILE [--path PATH] [--runs N] [--json]",
    summary: "measure what the memory of a conversation wins",
    details:
      "Asks the questions in FILE, one a line, without and with the memory of what was sent,\n" +
      "and compares what the answers hold: source sent before or not, pointers, time.",
    most: 0,
    options: {
      queries: { type: "string" },
      path: { type: "string", short: "p" },
      runs: { type: "string" },
      json: { type: "boolean" },
    },
    optionHelp: [
      ["--queries FILE", "the questions, one a line; required"],
      [
        "-p, --path PATH",
        "a folder in the project to ask about (this one by default)",
      ],
      ["--runs N", "repeat N times and give the median time (3 by default)"],
      ["--json", "print the result as one JSON value"],
    ],
    load: async () => (await import("./replay-command.ts")).replay,
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof COMMANDS;

/** @spec cli-help */
export function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    "codegraph indexes a repository and answers questions about it with the source that",
    "matters: verbatim, numbered, within a budget. Nothing leaves this machine.",
    "",
    "Usage: codegraph COMMAND [OPTIONS]",
    "",
    ...Object.entries(COMMANDS).map(
      ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
    ),
    `  ${"help".padEnd(width)}  show how a command is called: codegraph help COMMAND`,
    "",
    "  --version, --help",
    "",
    "To begin, in a project's folder:",
    "",
    "  codegraph init",
    '  codegraph explore "how does a request reach its handler?"',
    "",
  ].join("\n");
}

/** @spec cli-help */
export function commandHelp(name: CommandName): string {
  const { usage, summary, details, optionHelp } = COMMANDS[name];
  const width = Math.max(...optionHelp.map(([option]) => option.length));
  return [
    `Usage: ${usage}`,
    "",
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    "",
    details,
    "",
    ...optionHelp.map(([option, help]) => `  ${option.padEnd(width)}  ${help}`),
    "",
  ].join("\n");
}
