/**
 * The words of a command: written for a shell, read back, and whether they call
 * codegraph.
 */
import { lists } from "../spec.gen.ts";

/**
 * A command for a POSIX shell, which is Git Bash on Windows: there a path is written
 * with slashes and in double quotes, so that other shells understand it too.
 * @spec hosts-quoting
 */
export const forPosixShell = (
  words: readonly string[],
  platform: string,
): string =>
  words
    .map((word) => {
      const path = platform === "win32" ? word.replaceAll("\\", "/") : word;
      if (/^[\w@%+=:,./-]+$/.test(path)) return path;
      return platform === "win32"
        ? `"${path.replace(/["$`]/gu, "\\$&")}"`
        : `'${path.replaceAll("'", "'\\''")}'`;
    })
    .join(" ");

/** A command for the system's own shell. @spec hosts-quoting */
export const forSystemShell = (
  words: readonly string[],
  platform: string,
): string =>
  platform === "win32"
    ? words
        .map((word) => (/^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word}"`))
        .join(" ")
    : forPosixShell(words, platform);

/** The words of a shell's command line, which may be written in any of its ways. */
export function shellWords(line: string, escape = "\\"): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quote === "" && /\s/u.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (c === escape && quote !== "'" && i + 1 < line.length) {
      const next = line[++i]!;
      word =
        (word ?? "") +
        (quote === '"' && !'"\\$`'.includes(next) ? escape : "") +
        next;
    } else if (quote === "" ? c === '"' || c === "'" : c === quote) {
      quote = quote === "" ? c : "";
      word ??= "";
    } else word = (word ?? "") + c;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * What a command asks of codegraph: the words after the program's; undefined where it
 * calls something else.
 * @spec hosts-own-entries
 */
export function askedOf(
  words: readonly string[],
): readonly string[] | undefined {
  const [first = "", second = "", third = ""] = words;
  if (isProgram(first)) return words.slice(1);
  if (named(lists.RUNNERS, first)) {
    const at = 1 + flagsAfter(words).length;
    return isProgram((words[at] ?? "").replace(/(?<=[\w-])@[\w.-]+$/u, ""))
      ? words.slice(at + 1)
      : undefined;
  }
  if (nameOf(first) === "env" || /^\w+=/u.test(first))
    return askedOf(words.slice(1));
  if (nameOf(first) === "cmd" && second.toLowerCase() === "/c" && third !== "")
    return askedOf(words.slice(2));
  return undefined;
}

const flagsAfter = ([, ...words]: readonly string[]): string[] => {
  const end = words.findIndex((word) => !word.startsWith("-"));
  return end < 0 ? words : words.slice(0, end);
};

/** A command through Node with the flags for Node that another one has. @spec hosts-drift */
export const withFlagsOf = (
  there: readonly string[],
  command: readonly string[],
): string[] => {
  const isNode = ([first = ""]: readonly string[]) =>
    nameOf(first).startsWith("node");
  const [first = "", ...rest] = command;
  return isNode(there) && isNode(command)
    ? [first, ...flagsAfter(there), ...rest]
    : [...command];
};

/** The words of an entry that has them as words; none of a line for a shell. */
export function wordsOfEntry(command: unknown, args: unknown): string[] {
  const texts = (list: readonly unknown[]): string[] =>
    list.filter((item) => typeof item === "string");
  if (Array.isArray(command)) return texts(command);
  return typeof command === "string" && Array.isArray(args) && args.length > 0
    ? [command, ...texts(args)]
    : [];
}

/** The same, of a command and its arguments, or of a line for a shell. */
export function askedOfCommand(
  command: unknown,
  args: unknown,
): readonly string[] | undefined {
  const words = wordsOfEntry(command, args);
  if (words.length > 0 || Array.isArray(command)) return askedOf(words);
  if (typeof command !== "string") return undefined;
  // A path on Windows has backslashes that escape nothing.
  return (
    askedOf(shellWords(command)) ??
    askedOf(shellWords(command, "")) ??
    undefined
  );
}

/** Whether it starts the server. */
export const isServer = (asked: readonly string[] | undefined): boolean =>
  asked?.[0] === "serve";

/** Whether it is one of the hooks. */
export const isHook = (asked: readonly string[] | undefined): boolean =>
  asked?.[0] === "hooks" && lists.HOOKS.includes(asked[1] ?? "");

const nameOf = (word: string): string =>
  (word.split(/[\\/]/u).at(-1) ?? "")
    .toLowerCase()
    .replace(/\.(?:c?js|mjs|ts|cmd|exe|ps1|bat)$/u, "");

const named = (names: readonly string[], word: string): boolean =>
  names.includes(nameOf(word));

const isProgram = (word: string): boolean => named(lists.PROGRAMS, word);
