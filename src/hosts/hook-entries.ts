/**
 * Our hooks in a file of the shape that Claude Code and Codex share: events, each with
 * groups of a matcher and handlers.
 */
import {
  edited,
  JsonText,
  newFile,
  type JsonObject,
  type Path,
} from "./edit-json.ts";
import { NOTHING, type Edited, type Ours, type WiredHook } from "./host.ts";
import { ANNOUNCE_TOOL } from "../serve/announce.ts";
import { TOOL } from "../serve/tool.ts";
import { askedOfCommand, isHook, shellWords } from "./words.ts";

/** One hook as it is to be. */
export interface HookEntry {
  readonly event: string;
  readonly matcher?: string;
  readonly handler: JsonObject;
}

/** The events of a call, and of a compaction that is done. */
export const CALL = "PreToolUse";
export const COMPACTION = "PostCompact";

/** The calls that count, whatever the server is named. */
export const CALLS = `mcp__.*__${TOOL}`;

/**
 * Hooks that stamp calls, and that tell of compactions. `line` writes the words after
 * the program's for the host's shell.
 * @spec hosts-claude-hooks hosts-codex-hooks
 */
export const stamping = (
  agent: string,
  line: (words: readonly string[]) => string,
): HookEntry[] => [
  {
    event: CALL,
    matcher: CALLS,
    handler: {
      type: "command",
      command: line(["hooks", "pre-tool-use", "--agent", agent]),
    },
  },
  { event: COMPACTION, handler: resetting(line) },
];

/** The hook that ends a context. */
export const resetting = (line: (words: readonly string[]) => string) => ({
  type: "command",
  command: line(["hooks", "post-compact"]),
});

interface Found {
  readonly event: string;
  readonly group: number;
  readonly at: number;
  readonly matcher: unknown;
  readonly handler: JsonObject;
  /** The group has no handler of anybody else. */
  readonly alone: boolean;
}

/** @spec hosts-own-entries hosts-surgical hosts-drift */
export const installHooks = (
  text: string | undefined,
  wanted: readonly HookEntry[],
  created: number,
): Edited =>
  edited(() => {
    if (text === undefined)
      return {
        text: newFile(
          {
            hooks: Object.fromEntries(
              wanted.map((entry) => [entry.event, [group(entry)]]),
            ),
          },
          created,
        ),
      };
    const file = new JsonText(text);
    const found = find(file);
    // What is out of its place goes first, the last one before those that it may move.
    const kept = new Map<string, Found>();
    for (const one of found) {
      const entry = wanted.find(({ event }) => event === one.event);
      if (entry && !kept.has(one.event) && fires(one, entry))
        kept.set(one.event, one);
    }
    for (const one of found.toReversed())
      if (kept.get(one.event) !== one) take(file, one);
    for (const entry of wanted) {
      const { event } = entry;
      if (!kept.has(event)) {
        file.append(["hooks", event], group(entry));
        continue;
      }
      // Its place may have moved.
      const there = find(file).find((one) => one.event === event)!;
      const at: Path = ["hooks", event, there.group];
      if (there.alone && there.matcher !== entry.matcher) {
        if (entry.matcher === undefined) file.remove([...at, "matcher"]);
        else file.set([...at, "matcher"], entry.matcher);
      }
      if (!isSame(there.handler, entry.handler))
        file.set([...at, "hooks", there.at], {
          ...entry.handler,
          ...others(there.handler),
        });
    }
    return { text: file.text };
  });

/** @spec hosts-surgical */
export const uninstallHooks = (text: string | undefined): Edited =>
  edited(() => {
    if (text === undefined) return { text };
    const file = new JsonText(text);
    // In the other order than they were added in.
    for (const one of find(file).toReversed())
      if (take(file, one)) return file.withoutRoot();
    return { text: file.text };
  });

export const oursOfHooks = (text: string | undefined): Ours => ({
  ...NOTHING,
  ...edited(() => ({ hooks: find(new JsonText(text ?? "")).map(wiredHook) })),
});

/** Ours, in the order of the file. Throws: Unfit where a part has another shape. */
function find(file: JsonText): Found[] {
  const found: Found[] = [];
  for (const event of Object.keys(file.object(["hooks"]) ?? {}))
    (file.array(["hooks", event]) ?? []).forEach((value, g) => {
      if (typeof value !== "object" || value === null) return;
      const { matcher, hooks } = value as JsonObject;
      if (!Array.isArray(hooks)) return;
      hooks.forEach((handler, at) => {
        if (isOurs(handler))
          found.push({
            event,
            group: g,
            at,
            matcher,
            handler,
            alone: hooks.every(isOurs),
          });
      });
    });
  return found;
}

function isOurs(handler: unknown): handler is JsonObject {
  if (typeof handler !== "object" || handler === null) return false;
  const { type, tool, command, args } = handler as JsonObject;
  return type === "mcp_tool"
    ? tool === ANNOUNCE_TOOL
    : isHook(askedOfCommand(command, args));
}

/** Takes one out, with its group where nothing else is in it; true where nothing is left. */
const take = (file: JsonText, { event, group: g, at }: Found): boolean => {
  const group: Path = ["hooks", event, g];
  return file.array([...group, "hooks"])!.length === 1
    ? file.remove(group).all
    : file.remove([...group, "hooks", at]).all;
};

/** Whether it can stay where it is: in a group of its own, or in one that always fires. */
const fires = ({ alone, matcher }: Found, entry: HookEntry): boolean =>
  alone ||
  matcher === entry.matcher ||
  matcher === undefined ||
  matcher === "" ||
  matcher === "*";

const group = ({ matcher, handler }: HookEntry): JsonObject => ({
  ...(matcher !== undefined && { matcher }),
  hooks: [handler],
});

const OWN = ["type", "command", "args", "server", "tool", "input"] as const;

/** What somebody has added to it, such as a timeout. */
const others = (handler: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(handler).filter(
      ([name]) => !(OWN as readonly string[]).includes(name),
    ),
  );

/** Whether two do the same, in whatever form the command is written. */
function isSame(a: JsonObject, b: JsonObject): boolean {
  if (a["type"] !== b["type"]) return false;
  if (a["type"] !== "mcp_tool")
    return JSON.stringify(wordsOf(a)) === JSON.stringify(wordsOf(b));
  return (
    a["server"] === b["server"] && sorted(a["input"]) === sorted(b["input"])
  );
}

const sorted = (value: unknown): string =>
  JSON.stringify(Object.entries(value ?? {}).sort());

const wordsOf = ({ command, args }: JsonObject): readonly unknown[] =>
  Array.isArray(args) && args.length > 0
    ? [command, ...(args as readonly unknown[])]
    : shellWords(String(command));

function wiredHook({ event, matcher, handler }: Found): WiredHook {
  const isTool = handler["type"] === "mcp_tool";
  const args = handler["args"];
  const isExec = !isTool && Array.isArray(args);
  return {
    event,
    kind: isTool ? "mcp_tool" : "command",
    matcher: typeof matcher === "string" ? matcher : undefined,
    argv: isExec
      ? [handler["command"], ...args].filter((w) => typeof w === "string")
      : undefined,
    shell:
      isTool || isExec || typeof handler["command"] !== "string"
        ? undefined
        : handler["command"],
    server:
      isTool && typeof handler["server"] === "string"
        ? handler["server"]
        : undefined,
  };
}
