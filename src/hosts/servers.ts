/** The entry of our server in a JSON file: an object of servers, by their names. */
import {
  edited,
  JsonText,
  newFile,
  type Json,
  type JsonObject,
  type Path,
} from "./edit-json.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import {
  NOTHING,
  type Edited,
  type Ours,
  type Wanted,
  type WiredServer,
} from "./host.ts";
import {
  askedOfCommand,
  isServer,
  withFlagsOf,
  wordsOfEntry,
} from "./words.ts";

/** How a host writes an entry. */
export interface Shape {
  /** Where the servers are, from the root. */
  readonly at: Path;
  readonly entry: (words: readonly string[]) => JsonObject;
  /** What the host replaces in texts, by the value of a variable say. */
  readonly replaces: RegExp;
}

/** `${NAME}`, as most hosts have it. */
export const VARIABLE = /\$\{/u;

/** `command` and `args`, as most hosts have it, after what else the host wants. */
export const commandAndArgs =
  (more: JsonObject = {}) =>
  ([command = "", ...args]: readonly string[]): JsonObject => ({
    ...more,
    command,
    args,
  });

export const SERVE = ["serve", "--mcp"] as const;

/** @spec hosts-own-entries hosts-surgical hosts-drift */
export const installServer = (
  text: string | undefined,
  { at, entry, replaces }: Shape,
  wanted: Wanted,
  created: number,
): Edited =>
  edited(() => {
    const words = [...wanted.command, ...SERVE];
    const word = words.find((one) => replaces.test(one));
    if (word !== undefined)
      return {
        problem: {
          line: undefined,
          what: say(wordings.HOST_REPLACES, { word }),
        },
      };
    if (text === undefined) {
      let whole: Json = { [wanted.server]: entry(words) };
      for (const name of at.toReversed()) whole = { [name]: whole };
      return { text: newFile(whole, created) };
    }
    const file = new JsonText(text);
    for (let i = 1; i < at.length; i++) file.object(at.slice(0, i));
    const servers = file.object(at) ?? {};
    const [first, ...copies] = Object.entries(servers).filter(([, value]) =>
      isServer(asked(value)),
    );
    for (const [name] of copies) file.remove([...at, name]);
    if (first) {
      const [name, value] = first;
      const there = value as JsonObject;
      const whole = entry(wordsWith(wanted.command, there));
      for (const [k, v] of Object.entries(whole)) {
        // Whether it is switched on is its user's to say.
        const isTheirs = k === "enabled" && typeof there[k] === "boolean";
        if (!isTheirs && JSON.stringify(there[k]) !== JSON.stringify(v))
          file.set([...at, name, k], v);
      }
      return { text: file.text };
    }
    if (Object.hasOwn(servers, wanted.server))
      throw file.unfit(
        [...at, wanted.server],
        say(wordings.HOST_TAKEN, { name: wanted.server }),
      );
    file.set([...at, wanted.server], entry(words));
    return { text: file.text };
  });

/** @spec hosts-surgical */
export const uninstallServer = (
  text: string | undefined,
  { at }: Shape,
): Edited =>
  edited(() => {
    if (text === undefined) return { text };
    const file = new JsonText(text);
    const names = Object.entries(file.object(at) ?? {})
      .filter(([, value]) => isServer(asked(value)))
      .map(([name]) => name);
    for (const name of names.reverse())
      if (file.remove([...at, name]).all) return file.withoutRoot();
    return { text: file.text };
  });

export const oursOfServers = (
  text: string | undefined,
  { at }: Shape,
): Ours => ({
  ...NOTHING,
  ...edited(() => {
    const file = new JsonText(text ?? "");
    const servers = Object.entries(file.object(at) ?? {}).flatMap(
      ([name, value]) =>
        isServer(asked(value)) ? [wiredServer(name, value as JsonObject)] : [],
    );
    return { servers };
  }),
});

const asked = (value: unknown): readonly string[] | undefined =>
  typeof value === "object" && value !== null
    ? askedOfCommand(
        (value as JsonObject)["command"],
        (value as JsonObject)["args"],
      )
    : undefined;

/** The words that start our server, with those that a person has added to an entry. */
export function wordsWith(
  command: readonly string[],
  entry: JsonObject,
): string[] {
  const [, ...after] = asked(entry) ?? [];
  return [
    ...withFlagsOf(wordsOfEntry(entry["command"], entry["args"]), command),
    ...SERVE,
    ...after.filter((word) => word !== SERVE[1]),
  ];
}

/** An entry as a program reads it, in whatever way it is written. */
export function wiredServer(
  name: string,
  entry: { readonly [name: string]: unknown },
): WiredServer {
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((v) => typeof v === "string") : [];
  const { command } = entry;
  const [program = "", ...args] = Array.isArray(command)
    ? texts(command)
    : [String(command), ...texts(entry["args"])];
  const env = entry["env"] ?? entry["environment"];
  return {
    name,
    command: program,
    args,
    env:
      typeof env === "object" && env !== null
        ? Object.fromEntries(
            Object.entries(env).filter(([, v]) => typeof v === "string"),
          )
        : {},
    enabled: entry["enabled"] !== false && entry["disabled"] !== true,
  };
}
