/** Hosts in a test: their places, what is wanted of them, real-shaped files of people. */
import { parse } from "jsonc-parser";
import { HOSTS } from "../src/hosts/index.ts";
import type {
  Edited,
  Host,
  HostFile,
  HostId,
  Places,
  Scope,
  Wanted,
} from "../src/hosts/host.ts";

export const SCOPES = ["user", "project"] as const satisfies readonly Scope[];

export const hostNamed = (id: string): Host =>
  HOSTS.find((host) => host.id === (id as HostId))!;

export const placesIn = (
  home: string,
  root: string,
  some: Partial<Places> = {},
): Places => ({
  home,
  root,
  env: {},
  platform: "linux",
  exists: () => false,
  ...some,
});

export const wanted = (some: Partial<Wanted> = {}): Wanted => ({
  command: ["/opt/node/bin/node", "/opt/codegraph/dist/codegraph.js"],
  version: undefined,
  announces: false,
  hooks: true,
  server: "codegraph",
  portable: false,
  platform: "linux",
  ...some,
});

/** Every file of every host, that of hooks once as it announces and once as it stamps. */
export const allFiles: readonly {
  readonly name: string;
  readonly file: HostFile;
  readonly wanted: Wanted;
}[] = HOSTS.flatMap((host) =>
  SCOPES.flatMap((scope) =>
    host.files(scope, placesIn("/home", "/project")).flatMap((file) =>
      [wanted(), wanted({ version: "9.0.0" })]
        .slice(0, file.holds === "hooks" ? 2 : 1)
        .map((wish) => ({
          name: `${host.id} ${scope} ${file.path} ${wish.version ?? ""}`,
          file,
          wanted: wish,
        })),
    ),
  ),
);

export const isJson = ({ path }: HostFile): boolean => /\.jsonc?$/.test(path);
export const isToml = ({ path }: HostFile): boolean => path.endsWith(".toml");

export const textOf = (edit: Edited): string | undefined => {
  if ("problem" in edit) throw new Error(edit.problem.what);
  return edit.text;
};

/** A value without what is ours, by another way than the product's: from what it is. */
export function withoutOurs(text: string, before: string): unknown {
  return pruned(parse(text), parse(before === "" ? "{}" : before));
}

function pruned(value: unknown, before: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isOld = (key: string | number): boolean =>
    typeof before === "object" && before !== null && Object.hasOwn(before, key);
  const old = (key: string | number): unknown =>
    isOld(key) ? (before as Record<string | number, unknown>)[key] : undefined;
  if (Array.isArray(value))
    return value
      .filter((item, i) => isOld(i) || !callsUs(item))
      .map((item, i) => pruned(item, old(i)));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, item]) => isOld(name) || !callsUs(item))
      .map(([name, item]) => [name, pruned(item, old(name))] as const)
      // What was made to hold ours.
      .filter(
        ([name, item]) =>
          isOld(name) ||
          typeof item !== "object" ||
          item === null ||
          Object.keys(item).length > 0,
      ),
  );
}

/** A whole entry, or a group that has nothing but one. */
const callsUs = (item: unknown): boolean => {
  if (typeof item !== "object" || item === null) return false;
  const { command, hooks, tool } = item as Record<string, unknown>;
  return (
    tool === "codegraph_context" ||
    (command !== undefined &&
      JSON.stringify(item).includes("/opt/codegraph/dist/codegraph.js")) ||
    (Array.isArray(hooks) && hooks.length > 0 && hooks.every(callsUs))
  );
};

/** Texts as people and hosts write them, which an entry can be added to. */
export const JSON_ZOO: Readonly<Record<string, string>> = {
  empty: "",
  "a line end alone": "\n",
  "blanks alone": "  \r\n\t\n",
  "a comment alone": "// nothing yet",
  "a comment and a line end": "/* nothing */ // yet\n",
  "a byte order mark alone": "\ufeff",
  "an empty object": "{}",
  "an empty object and a line end": "{}\n",
  "an odd empty object": "{ \t}",
  "an open empty object": "{\n}\n",
  "an empty object with a comment": "{ // mine\n}\n",
  "an empty object with comments": "{\n  // mine\n  /* too */ }",
  "one line": '{"a":1}',
  "one line with blanks": '{ "a": [1, 2], "mcpServers": { } }\n',
  "one line, empty servers":
    '{"mcpServers":{},"servers":{},"mcp":{},"hooks":{}}',
  "two spaces": '{\n  "a": 1,\n  "b": {\n    "c": []\n  }\n}\n',
  "four spaces": '{\n    "a": {\n        "b": 1\n    }\n}\n',
  tabs: '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
  "no indentation": '{\n"a": 1,\n"b": {}\n}',
  "windows line ends": '{\r\n  "a": 1,\r\n  "mcpServers": {}\r\n}\r\n',
  "mixed line ends": '{\r\n  "a": 1,\n  "b": 2\r\n}\n',
  "a byte order mark": '\ufeff{\n  "a": 1\n}\n',
  comments:
    '// first\n{\n  // mine\n  "theme": "dark", /* keep */\n  "list": [1, 2] // last\n  // end\n}\n// after\n',
  "trailing commas": '{\n  "a": 1,\n  "list": [1, 2,],\n}\n',
  "a comment after a trailing comma": '{\n  "a": 1, // one, two\n}\n',
  "a comment before a trailing comma": '{\n  "a": 1 /* x, */ , \n}\n',
  "two members a line": '{\n  "a": 1, "b": 2 // both\n}\n',
  "a block comment over lines": '{\n  "a": 1 /* one\n two */\n}\n',
  "a leading comma": '{\n    "a": 1\n  , "b": 2\n}\n',
  servers:
    '{\n  "mcpServers": {\n    "other": {\n      "command": "npx",\n      "args": ["-y", "other"]\n    }\n  },\n  "servers": {"x": {"command": "y"}},\n  "mcp": {\n    "z": {"type": "remote", "url": "u"},\n  }\n}\n',
  "empty servers":
    '{\n  "mcpServers": {},\n  "servers": {\n  },\n  "mcp": {\n    // none\n  },\n  "hooks": {}\n}\n',
  hooks:
    '{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [\n          { "type": "command", "command": "my-codegraph hooks pre-tool-use" }\n        ]\n      }\n    ],\n    "SessionStart": [],\n    "PostCompact": [ ]\n  },\n  "model": "x"\n}\n',
  "hooks on a line":
    '{\n  "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}], "Stop": []}\n}',
  settings:
    '{\n  "permissions": { "allow": ["Bash(ls:*)"] },\n  // mine\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [{ "type": "command", "command": "~/check.sh" }]\n      }\n    ]\n  }\n}\n',
  "old numbers":
    '{\n  "numStartups": 12,\n  "big": 12345678901234567890,\n  "e": 1.0e+10,\n  "s": "\\u00e9\\/",\n  "projects": {"/x": {"mcpServers": {}}}\n}',
};

/** Texts that have to be left alone, with the line at fault. */
export const BROKEN_JSON: Readonly<Record<string, readonly [string, number]>> =
  {
    "no end": ['{\n  "a": 1,\n', 3],
    "no comma": ['{\n  "a": 1\n  "b": 2\n}\n', 3],
    "two roots": ["{}\n{}\n", 2],
    "an array": ["[1]\n", 1],
    "a text": ['"x"', 1],
    "no value": ['{\n  "a":\n}\n', 3],
    garbage: ["model = 1\n", 1],
  };

export const TOML_ZOO: Readonly<Record<string, string>> = {
  empty: "",
  "a line end alone": "\n",
  "blanks alone": "  \n",
  "a comment alone": "# nothing yet",
  "a byte order mark": '\ufeffmodel = "x"\n',
  "one key": 'model = "x"\n',
  "no final line end": 'model = "x"',
  "many line ends": 'model = "x"\n\n\n',
  "windows line ends": 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
  "mixed line ends": 'model = "x"\r\n\n[a]\nb = 1\n',
  tables:
    '# mine\nmodel = "x" # keep\n\n[mcp_servers.other]\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "other",\n]\n\n[mcp_servers.other.env]\nKEY = "v"\n\n[[history]]\na.b = 1\n\n[[history]]\nc = { d = 2 }\n',
  "dotted keys":
    'mcp_servers.other.command = "x"\ntext = """\n[mcp_servers.codegraph]\n"""\n',
  "a table of servers": "[mcp_servers]\nother = { command = 'x' }\n",
  "an empty table of servers": "[mcp_servers]\n",
  "a date": "when = 1979-05-27T07:32:00Z\nn = 0xff\n  indented = true\n",
  "hook records":
    '[hooks.state."/h/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:0"\n',
};

export const BROKEN_TOML: Readonly<Record<string, readonly [string, number]>> =
  {
    "no value": ["a =\n", 2],
    "a key twice": ["a = 1\nb = 2\na = 3\n", 3],
    "an open list": ["a = [1\nb = 2\n", 2],
    "servers on one line": [
      "x = 1\nmcp_servers = { a = { command = 'x' } }\n",
      2,
    ],
    "servers that are no table": ["x = 1\nmcp_servers = 3\n", 2],
    json: ['{"a": 1}\n', 1],
  };
