/** Installing for hosts of agents: what is decided, and real files, programs and hosts' commands. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { dirname, join, relative } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { applyPatch, parsePatch } from "diff";
import { createScanner, parse, type ParseError } from "jsonc-parser";
import fc from "fast-check";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { expect } from "vitest";
import { agreed } from "../src/cli/install-command.ts";
import { claudeHooks, runsToolHooks } from "../src/hosts/claude.ts";
import { apply, readText, there } from "../src/hosts/files.ts";
import type { Host, Places, Scope } from "../src/hosts/host.ts";
import { HOSTS } from "../src/hosts/index.ts";
import { plan, takeAll, type Step, type Wishes } from "../src/hosts/install.ts";
import {
  askedHow,
  commandFor,
  isDetected,
  versionOf,
} from "../src/hosts/machine.ts";
import { wired } from "../src/hosts/wired.ts";
import {
  askedOfCommand,
  forPosixShell,
  forSystemShell,
  isHook,
  isServer,
  shellWords,
} from "../src/hosts/words.ts";
import { say } from "../src/model/wording.ts";
import { limits as fromSpec, wordings } from "../src/spec.gen.ts";
import { differs } from "../tools/golden/golden.ts";
import { codegraph, ended, onTerminal, start } from "./binary.ts";
import { connect } from "./client.ts";
import { caches, gone, only } from "./daemons.ts";
import { folders, put, type Files } from "./folders.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { here } from "./here.ts";
import {
  BROKEN_JSON,
  hostNamed,
  JSON_ZOO,
  placesIn,
  SCOPES,
  textOf,
  TOML_ZOO,
  wanted,
  withoutOurs,
} from "./hosts.ts";
import { indexed } from "./scratch.ts";

const folder = folders();
const cache = caches();

/** A home and a project beside it. */
function machine(files: Files = {}, some: Partial<Places> = {}): Places {
  const root = folder();
  const home = join(dirname(root), "home");
  mkdirSync(home);
  put(home, files);
  return placesIn(home, root, { exists: there, ...some });
}

const program = (path: string, script = "exit 0") => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
};

const { server: _, announces: __, ...WISHES } = wanted({ hooks: false });
const run = (
  action: "install" | "uninstall",
  host: Host,
  scope: Scope,
  places: Places,
  wishes: Partial<Wishes> = {},
) =>
  takeAll(action, plan(action, host, scope, places, { ...WISHES, ...wishes }));

/** Every file and folder, links as such, by path. */
const tree = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => {
        const stat = lstatSync(path);
        return [
          relative(root, path),
          `${stat.mode.toString(8)} ${stat.isFile() ? readFileSync(path, "hex") : ""}`,
        ];
      }),
  );

examples(
  "hosts-detected",
  ["given host", "given folder", "given program"],
  ["then detected"],
  (row) => {
    const places = machine();
    if (row["given folder"] !== "–")
      mkdirSync(join(places.home, row["given folder"]), { recursive: true });
    const bin = join(places.home, "bin");
    if (row["given program"] !== "–") program(join(bin, row["given program"]));
    return {
      "then detected": isDetected(hostNamed(row["given host"]), {
        ...places,
        env: { PATH: bin },
      })
        ? "yes"
        : "no",
    };
  },
);

/** A file of whatever kind as a value. */
const valueIn = (path: string): unknown =>
  path.endsWith(".toml")
    ? getStaticTOMLValue(parseTOML(readFileSync(path, "utf8")))
    : parse(readFileSync(path, "utf8"));

examples(
  "hosts-files",
  ["given host", "given scope", "given file there"],
  ["then files", "then entry"],
  (row) => {
    const places = machine();
    const { home, root } = places;
    if (row["given file there"] !== "–")
      put(home, { [row["given file there"].slice(2)]: "{}\n" });
    const steps = run(
      "install",
      hostNamed(row["given host"]),
      row["given scope"] as Scope,
      places,
      { command: ["N", "S"] },
    );
    const changed = steps.filter(({ change }) => change !== "absent");
    const short = (path: string) =>
      path.startsWith(home)
        ? `~/${relative(home, path)}`
        : `./${relative(root, path)}`;
    return {
      "then files": changed.map(({ file }) => short(file.path)).join(" "),
      "then entry": JSON.stringify(valueIn(changed[0]!.file.path)),
    };
  },
);

ruleTest("hosts-files", "a host's variables move its files", () => {
  const env = {
    CLAUDE_CONFIG_DIR: "/c",
    CODEX_HOME: "/x",
    XDG_CONFIG_HOME: "/g",
    APPDATA: "/a",
  };
  const paths = (id: string, platform: NodeJS.Platform = "linux") =>
    hostNamed(id)
      .files("user", placesIn("/h", "/p", { env, platform }))
      .map(({ path }) => path);
  expect(paths("claude")).toEqual(["/c/.claude.json", "/c/settings.json"]);
  expect(paths("codex")).toEqual(["/x/config.toml", "/x/hooks.json"]);
  expect(paths("opencode")[0]).toBe("/g/opencode/opencode.json");
  expect(paths("vscode")).toEqual(["/g/Code/User/mcp.json"]);
  expect(paths("vscode", "win32")).toEqual(["/a/Code/User/mcp.json"]);
  expect(paths("vscode", "darwin")).toEqual([
    "/h/Library/Application Support/Code/User/mcp.json",
  ]);
});

ruleTest("hosts-files", "no entry grants itself an approval", () => {
  for (const host of HOSTS)
    for (const scope of SCOPES) {
      const places = machine();
      for (const { after } of run("install", host, scope, places))
        expect(after ?? "").not.toMatch(
          /approv|trust|autoApprove|alwaysAllow|permission/i,
        );
    }
});

examples(
  "hosts-command",
  ["given scope", "given codegraph on PATH"],
  ["then command"],
  (row) => {
    const { home } = machine();
    const script = join(home, "dist", "codegraph.js");
    program(script);
    const bin = join(home, "bin");
    mkdirSync(bin);
    if (row["given codegraph on PATH"] === "this program")
      symlinkSync(script, join(bin, "codegraph"));
    if (row["given codegraph on PATH"] === "another program")
      program(join(bin, "codegraph"));
    const own = { node: join(home, "node"), script };
    const { command, portable } = commandFor(row["given scope"] as Scope, own, {
      env: { PATH: bin },
      platform: "linux",
    });
    expect(portable).toBe(command.length === 1);
    return {
      "then command":
        command.join(" ") === `${own.node} ${script}`
          ? "paths"
          : command.join(" "),
    };
  },
);

ruleTest("hosts-command", "npm's launcher on Windows is known", () => {
  const { home } = machine();
  const bin = join(home, "npm");
  const script = join(bin, "node_modules/codegraph-explore/dist/codegraph.js");
  program(script);
  program(join(bin, "codegraph.CMD"));
  const at = { env: { PATH: bin, PATHEXT: ".EXE;.CMD" } };
  expect(
    commandFor("project", { node: "n", script }, { ...at, platform: "win32" }),
  ).toEqual({ command: ["codegraph"], portable: true });
});

examples(
  "hosts-quoting",
  ["given shell", "given platform", "given words"],
  ["then line"],
  (row) => {
    const words = JSON.parse(row["given words"]) as string[];
    const write =
      row["given shell"] === "posix" ? forPosixShell : forSystemShell;
    return { "then line": write(words, row["given platform"]) };
  },
);

law("hosts-quoting", "a shell reads the words as they were", () => {
  const word = fc
    .string({ unit: "binary", minLength: 1, maxLength: 12 })
    .map((text) => text.replaceAll("\0", "0").toWellFormed());
  const odd = fc
    .array(
      fc.constantFrom("'", '"', "\\", "$", "`", " ", "!", "~", "a", "\n", "é"),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    .map((parts) => parts.join(""));
  const lists = fc.sample(
    fc.array(fc.oneof(word, odd), { minLength: 1, maxLength: 4 }),
    200,
  );
  const script = lists
    .map((words) => `printf '%s\\0' ${forPosixShell(words, "linux")}`)
    .join("\n");
  const said = execFileSync("sh", ["-s"], { input: script }).toString("utf8");
  expect(said.split("\0").slice(0, -1)).toEqual(lists.flat());
  // And so do we.
  for (const words of lists)
    expect(shellWords(forPosixShell(words, "linux"))).toEqual(words);
});

const unquoted = (cell: string): string =>
  cell === "–" ? "" : cell.replace(/^`|`$/g, "");

examples(
  "hosts-own-entries",
  ["given command", "given args"],
  ["then calls"],
  (row) => {
    const command = unquoted(row["given command"]);
    const args = unquoted(row["given args"]);
    const asked = askedOfCommand(
      command.startsWith("[") ? JSON.parse(command) : command,
      args === "" ? undefined : JSON.parse(args),
    );
    return {
      "then calls": isServer(asked) ? "server" : isHook(asked) ? "hook" : "–",
    };
  },
);

examples("hosts-claude-hooks", ["given version"], ["then hooks"], (row) => ({
  "then hooks": runsToolHooks(
    row["given version"] === "–" ? undefined : row["given version"],
  )
    ? "announce"
    : "stamp",
}));

const lines = (text: string): number => text.split("\n").length;
examples(
  "hosts-surgical",
  ["golden", "given file"],
  ["then lines added"],
  (row) => {
    const id = row.golden.replace(/^install\/([a-z]+).*/, "$1");
    const files = hostNamed(id).files("user", placesIn("/home", "/project"));
    const file = id === "codex" ? files[0]! : files[1]!;
    const text = { ...JSON_ZOO, ...TOML_ZOO }[row["given file"]]!;
    const after = textOf(
      file.install(
        text,
        wanted({
          version: row.golden.endsWith("announce") ? "2.1.332" : undefined,
        }),
        0,
      ),
    )!;
    const patch = differs(row.golden, after);
    if (patch) expect.fail(patch);
    return { "then lines added": String(lines(after) - lines(text)) };
  },
);

law(
  "hosts-surgical",
  "whoever writes comments between ours is no obstacle",
  () => {
    const breaks = fc.constantFrom(
      "// a, b\n",
      "/* c, d */",
      "// e\r\n",
      "// f\n\n",
    );
    const text = fc.constantFrom(
      "{}",
      '{"mcpServers":{"b":{"command":"x"}},"hooks":{"PostCompact":[]}}',
      '{\n  "mcpServers": {"b": {"command": "x"}},\n  "hooks": {"PostCompact": [{"x": 1}]}\n}\n',
      '{"mcpServers": {\n}, "hooks": {\n"PreToolUse": [\n]}}',
    );
    // Where a value or a name may follow, or one has ended.
    const places = fc.array(fc.tuple(fc.noBias(fc.nat(9_999)), breaks), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(text, places, (given, noise) => {
        for (const file of claude.files("user", placesIn("/h", "/p"))) {
          let now = textOf(file.install(given, wanted(), 0))!;
          for (const [where, what] of noise) {
            const ends = tokenEnds(now);
            const at = ends[where % ends.length]!;
            now = now.slice(0, at) + what + now.slice(at);
          }
          for (const from of [now, textOf(file.install(now, wanted(), 0))!]) {
            const left = textOf(file.uninstall(from)) ?? "{}";
            const errors: ParseError[] = [];
            parse(left, errors, { allowTrailingComma: true });
            expect(errors).toEqual([]);
            expect(left).not.toContain("codegraph");
            expect(withoutOurs(left, "")).toEqual(withoutOurs(given, ""));
          }
        }
      }),
      { numRuns: 300 },
    );
  },
);

/** The ends of all tokens but comments. */
function tokenEnds(text: string): number[] {
  const scanner = createScanner(text, true);
  const ends: number[] = [];
  for (;;) {
    scanner.scan();
    if (scanner.getTokenLength() === 0) return ends;
    ends.push(scanner.getPosition());
  }
}

ruleTest("hosts-surgical", "real files, every host and scope", () => {
  for (const host of HOSTS)
    for (const scope of SCOPES)
      for (const version of [undefined, "2.1.332"])
        for (const folders of [[], host.folders(placesIn(".", "."))]) {
          const places = machine();
          for (const name of folders)
            mkdirSync(join(places.home, name), { recursive: true });
          const outer = dirname(places.home);
          const before = tree(outer);
          const steps = run("install", host, scope, places, { version });
          const wrote = steps.filter(({ change }) => change === "added");
          expect(wrote.length).toBeGreaterThan(0);
          const after = tree(outer);
          const again = run("install", host, scope, places, { version });
          expect(tree(outer)).toEqual(after);
          expect(new Set(again.map(({ change }) => change))).not.toContain(
            "changed",
          );
          expect(
            wired(host, scope, places).files.filter(
              ({ servers, hooks, plugin }) =>
                servers.length > 0 || hooks.length > 0 || plugin,
            ),
          ).toHaveLength(wrote.length);
          run("uninstall", host, scope, places);
          expect(tree(outer)).toEqual(before);
        }
});

const claude = hostNamed("claude");
const settings = (places: Places) => join(places.home, ".claude/settings.json");
const hooksIn = (path: string) =>
  wired(claude, "user", placesIn(dirname(dirname(path)), "/p")).files[1]!.hooks;

ruleTest(
  "hosts-drift",
  "copies go, and the one that stays keeps its place",
  () => {
    const places = machine();
    run("install", claude, "user", places);
    const path = settings(places);
    const once_ = readFileSync(path, "utf8");
    const value = JSON.parse(once_) as {
      hooks: Record<string, Record<string, unknown>[]>;
    };
    for (const groups of Object.values(value.hooks))
      groups.push(groups[0]!, groups[0]!);
    writeFileSync(path, JSON.stringify(value, null, 2));
    expect(hooksIn(path)).toHaveLength(9);
    run("install", claude, "user", places);
    expect(hooksIn(path)).toHaveLength(3);
    run("uninstall", claude, "user", places);
    // Written by another, the file no longer told that its folder was made for it.
    expect(Object.keys(tree(places.home))).toEqual([".claude"]);
  },
);

ruleTest(
  "hosts-drift",
  "what a host took apart, moved or wrote otherwise is known again",
  () => {
    const odd = ["/opt/it's no/node", "/opt/c g/dist/codegraph.js"];
    const places = machine();
    run("install", claude, "user", places, { command: odd });
    const path = settings(places);
    const value = JSON.parse(readFileSync(path, "utf8")) as {
      hooks: Record<
        string,
        { hooks: { command: string; args?: string[]; timeout?: number }[] }[]
      >;
    };
    for (const [{ hooks } = { hooks: [] }] of Object.values(value.hooks)) {
      const [command, ...args] = shellWords(hooks[0]!.command);
      Object.assign(hooks[0]!, { command, args, timeout: 7 });
      // A hook of somebody else joins the group, before ours.
      hooks.unshift({ command: "x" });
    }
    writeFileSync(path, JSON.stringify(value, null, 4));
    const taken = readFileSync(path, "utf8");
    run("install", claude, "user", places, { command: odd });
    expect(readFileSync(path, "utf8")).toBe(taken);
    // Another path: rewritten where it is, with what was added to it.
    run("install", claude, "user", places);
    const moved = JSON.parse(readFileSync(path, "utf8")) as typeof value;
    expect(moved.hooks.PostCompact).toEqual([
      {
        hooks: [
          { command: "x" },
          {
            type: "command",
            command: forPosixShell(
              [...WISHES.command, "hooks", "post-compact"],
              "linux",
            ),
            timeout: 7,
          },
        ],
      },
    ]);
    run("uninstall", claude, "user", places);
    for (const groups of Object.values(
      (JSON.parse(readFileSync(path, "utf8")) as typeof value).hooks,
    ))
      expect(groups.map(({ hooks }) => hooks)).toEqual([[{ command: "x" }]]);
  },
);

ruleTest("hosts-drift", "what was switched off stays off", () => {
  const off = { command: ["codegraph", "serve"], enabled: false };
  const places = machine({
    ".config/opencode/opencode.json": JSON.stringify({ mcp: { cg: off } }),
    ".codex/config.toml":
      '[mcp_servers.cg]\ncommand = "codegraph"\nargs = ["serve"]\nenabled = false\n',
    ".claude.json": JSON.stringify({
      mcpServers: { cg: { ...off, args: [], disabled: true } },
    }),
  });
  for (const id of ["opencode", "codex", "claude"]) {
    run("install", hostNamed(id), "user", places);
    const [file] = wired(hostNamed(id), "user", places).files;
    expect(file!.servers).toMatchObject([{ name: "cg", enabled: false }]);
    expect(file!.servers[0]!.command).toBe(WISHES.command[0]);
  }
});

ruleTest("hosts-drift", "flags for Node, and not those of another", () => {
  for (const [words, flags] of [
    [["node", "--max-old-space-size=99", "/old/codegraph.js"], 1],
    [["npx", "-y", "codegraph-explore@0.1.0"], 0],
  ] as const) {
    const [command, ...args] = words;
    const places = machine({
      ".cursor/mcp.json": JSON.stringify({
        mcpServers: { codegraph: { command, args: [...args, "serve"] } },
      }),
    });
    const cursor = hostNamed("cursor");
    run("install", cursor, "user", places);
    const [file] = wired(cursor, "user", places).files;
    const [node, script] = WISHES.command;
    expect(file!.servers).toMatchObject([
      {
        command: node,
        args: [...args.slice(0, flags), script, "serve", "--mcp"],
      },
    ]);
  }
});

ruleTest("hosts-drift", "a group that would not let it fire is left", () => {
  const mine = claudeHooks(wanted())[1]!;
  const places = machine({
    ".claude/settings.json": JSON.stringify({
      hooks: {
        PostCompact: [
          { matcher: "auto", hooks: [{ command: "x" }, mine.handler] },
        ],
        // Where ours has no business.
        Stop: [{ hooks: [mine.handler] }],
      },
    }),
  });
  run("install", claude, "user", places);
  expect(parse(readFileSync(settings(places), "utf8"))).toMatchObject({
    hooks: {
      PostCompact: [
        { matcher: "auto", hooks: [{ command: "x" }] },
        { hooks: [mine.handler] },
      ],
    },
  });
  expect(readFileSync(settings(places), "utf8")).not.toContain("Stop");
});

ruleTest(
  "hosts-drift",
  "a server keeps its name, and hooks call it by that",
  () => {
    const places = machine({
      ".claude.json": JSON.stringify({
        mcpServers: {
          explorer: {
            command: "/old/codegraph",
            args: ["serve", "--mcp", "--auto-init"],
            env: { CODEGRAPH_EXPLORE_DEBUG: "1" },
          },
        },
      }),
    });
    run("install", claude, "user", places, { version: "2.1.332" });
    const { files } = wired(claude, "user", places);
    expect(files[0]!.servers).toEqual([
      {
        name: "explorer",
        command: WISHES.command[0],
        args: [...WISHES.command.slice(1), "serve", "--mcp", "--auto-init"],
        env: { CODEGRAPH_EXPLORE_DEBUG: "1" },
        enabled: true,
      },
    ]);
    expect(files[1]!.hooks.map(({ server }) => server)).toEqual([
      "explorer",
      "explorer",
      "explorer",
    ]);
  },
);

ruleTest(
  "hosts-drift",
  "a table of Codex, in whatever way it is written",
  () => {
    const codex = hostNamed("codex");
    for (const [text, after] of [
      [
        '[mcp_servers]\ncg = { command = "codegraph", args = ["serve"] } # c\nx = { command = "y" }\n',
        '[mcp_servers]\nx = { command = "y" }\n',
      ],
      [
        'mcp_servers.cg.command = "codegraph"\nmcp_servers.cg.args = ["serve"]\nmodel = "x"\n',
        'model = "x"\n',
      ],
      [
        'a = 1\n\n[mcp_servers.cg]\ncommand = "codegraph"\nargs = ["serve"]\n\n[mcp_servers.cg.env]\nA = "b"\n\n[z]\n',
        "a = 1\n\n[z]\n",
      ],
      [
        'mcp_servers = { x = { command = "y" }, cg = { command = "codegraph", args = ["serve"] } }\n',
        'mcp_servers = { x = { command = "y" } }\n',
      ],
    ] as const) {
      const places = machine({ ".codex/config.toml": text });
      run("install", codex, "user", places);
      const [file] = wired(codex, "user", places).files;
      expect(file!.servers).toMatchObject([
        {
          name: "cg",
          command: WISHES.command[0],
          args: [WISHES.command[1], "serve", "--mcp"],
        },
      ]);
      run("uninstall", codex, "user", places);
      expect(readFileSync(file!.path, "utf8")).toBe(after);
    }
  },
);

ruleTest(
  "hosts-codex-hooks",
  "only where they are asked for, and never trusted",
  () => {
    const codex = hostNamed("codex");
    const places = machine({ ".codex/config.toml": 'model = "x"\n' });
    const before = tree(places.home);
    run("install", codex, "user", places);
    expect(existsSync(join(places.home, ".codex/hooks.json"))).toBe(false);
    run("install", codex, "user", places, { hooks: true });
    const { files } = wired(codex, "user", places);
    expect(files[1]!.hooks.map(({ event, shell }) => [event, shell])).toEqual([
      [
        "PreToolUse",
        `${WISHES.command.join(" ")} hooks pre-tool-use --agent codex`,
      ],
      ["PostCompact", `${WISHES.command.join(" ")} hooks post-compact`],
    ]);
    expect(readFileSync(files[0]!.path, "utf8")).not.toContain("hooks");
    // Asked for once is asked for.
    run("install", codex, "user", places, { command: ["/new/codegraph"] });
    expect(wired(codex, "user", places).files[1]!.hooks[1]!.shell).toBe(
      "/new/codegraph hooks post-compact",
    );
    run("uninstall", codex, "user", places);
    expect(tree(places.home)).toEqual(before);
  },
);

ruleTest(
  "hosts-claude-hooks",
  "a project's hooks go where they are understood",
  () => {
    const places = machine();
    const file = (name: string) => join(places.root, ".claude", name);
    const has = () =>
      ["settings.json", "settings.local.json"].map((name) =>
        existsSync(file(name)),
      );
    run("install", claude, "project", places);
    expect(has()).toEqual([false, true]);
    // Once the program tells its version no path is needed.
    run("install", claude, "project", places, { version: "2.1.332" });
    expect(has()).toEqual([true, false]);
    run("install", claude, "project", places, {
      command: ["codegraph"],
      portable: true,
      version: "2.0.0",
    });
    expect(has()).toEqual([true, false]);
    expect(readFileSync(file("settings.json"), "utf8")).toContain(
      '"command": "codegraph hooks post-compact"',
    );
  },
);

ruleTest("hosts-claude-hooks", "those that announce stay", () => {
  for (const scope of SCOPES) {
    const places = machine();
    run("install", claude, scope, places, { version: "2.1.332" });
    const before = tree(dirname(places.home));
    run("install", claude, scope, places);
    expect(tree(dirname(places.home))).toEqual(before);
    run("install", claude, scope, places, { version: "2.0.0" });
    expect(tree(dirname(places.home))).not.toEqual(before);
  }
});

ruleTest(
  "hosts-version-asked",
  "what the program says, if it says it in time",
  async () => {
    const places = machine();
    const bin = join(places.home, "bin");
    const at = { ...places, env: { PATH: bin } };
    const claudeAt = join(bin, "claude");
    expect(await versionOf(claude, at)).toBeUndefined();
    program(claudeAt, "echo '2.1.332 (Claude Code)'");
    expect(await versionOf(claude, at)).toBe("2.1.332");
    program(claudeAt, "echo 2.1.332; exit 1");
    expect(await versionOf(claude, at)).toBeUndefined();
    program(claudeAt, "exec sleep 60");
    const started = performance.now();
    expect(
      await versionOf(claude, at, askedHow({ VERSION_WAIT_MS: 100 })),
    ).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(10_000);
  },
);
loadBearing("hosts-version-asked", "VERSION_WAIT_MS", (moved) =>
  askedHow(moved),
);

ruleTest("hosts-left-alone", "the file, and those that would follow", () => {
  const cases: readonly (readonly [string, number | undefined, string])[] = [
    ...Object.values(BROKEN_JSON).map(
      ([text, line]) => [text, line, ""] as const,
    ),
    [
      '{\n  "mcpServers": "x"\n}',
      2,
      say(wordings.HOST_NO_OBJECT, { name: "mcpServers" }),
    ],
    [
      '{\n  "mcpServers": {\n    "codegraph": {"command": "docker"}\n  }\n}',
      3,
      say(wordings.HOST_TAKEN, { name: "codegraph" }),
    ],
  ];
  for (const [text, line, what] of cases) {
    const places = machine({ ".claude.json": text });
    const before = tree(places.home);
    const steps = run("install", claude, "user", places);
    expect(steps).toMatchObject([
      {
        change: "left alone",
        problem: { line, ...(what !== "" && { what }) },
      },
    ]);
    expect(tree(places.home)).toEqual(before);
  }
  const wrong = machine({
    ".claude/settings.json": '{"hooks":\n{"PreToolUse": {}}}',
  });
  const before = tree(wrong.home);
  expect(run("install", claude, "user", wrong)).toMatchObject([
    { change: "added" },
    {
      change: "left alone",
      problem: {
        line: 2,
        what: say(wordings.HOST_NO_ARRAY, { name: "PreToolUse" }),
      },
    },
  ]);
  // What can be taken out is.
  expect(run("uninstall", claude, "user", wrong)).toMatchObject([
    { change: "left alone" },
    { change: "removed" },
  ]);
  expect(tree(wrong.home)).toEqual(before);
});

ruleTest("hosts-left-alone", "a path that the host would change", () => {
  for (const [id, script] of [
    ["gemini", "/a$b/codegraph.js"],
    ["claude", "/a${b}/codegraph.js"],
    ["cursor", "/a${b}/codegraph.js"],
    ["vscode", "/a${b}/codegraph.js"],
    ["opencode", "/a{env:b}/codegraph.js"],
  ] as const) {
    const places = machine();
    expect(
      run("install", hostNamed(id), "user", places, {
        command: ["/bin/node", script],
      }),
    ).toMatchObject([
      { problem: { what: say(wordings.HOST_REPLACES, { word: script }) } },
    ]);
    expect(tree(places.home)).toEqual({});
  }
});

ruleTest("hosts-left-alone", "locked, unreadable and other bytes", () => {
  const places = machine({
    ".cursor/mcp.json": "{}",
    ".gemini/settings.json": new Uint8Array([0x7b, 0xff, 0x7d]),
    ".config/Code/User/mcp.json/folder": "",
    ".config/opencode/plugins/codegraph.js": "// mine\n",
  });
  chmodSync(join(places.home, ".cursor/mcp.json"), 0o444);
  const before = tree(places.home);
  const what = (id: string) =>
    run("install", hostNamed(id), "user", places).at(-1)!.problem?.what;
  expect(what("cursor")).toBe(wordings.HOST_READ_ONLY);
  expect(what("gemini")).toBe(wordings.HOST_NOT_UTF8);
  expect(what("vscode")).toBe(wordings.HOST_NO_FILE);
  expect(tree(places.home)).toEqual(before);
  expect(what("opencode")).toBe(wordings.HOST_PLUGIN_TAKEN);
});

ruleTest(
  "hosts-read-bounded",
  "pipes, devices, and what is nested without an end",
  () => {
    const deep = 30_000;
    const places = machine({
      ".cursor/x": "",
      ".gemini/settings.json": `{"a":${"[".repeat(deep)}${"]".repeat(deep)}}`,
      ".codex/config.toml": `a = ${"[".repeat(deep)}${"]".repeat(deep)}\n`,
      ".config/Code/User/x": "",
    });
    execFileSync("mkfifo", [join(places.home, ".cursor/mcp.json")]);
    symlinkSync("/dev/zero", join(places.home, ".config/Code/User/mcp.json"));
    for (const action of ["install", "uninstall"] as const) {
      const what = (id: string) =>
        run(action, hostNamed(id), "user", places).at(-1)!.problem?.what;
      expect(what("cursor")).toBe(wordings.HOST_NO_FILE);
      expect(what("vscode")).toBe(wordings.HOST_NO_FILE);
      expect(what("gemini")).toBe(wordings.HOST_TOO_DEEP);
      expect(what("codex")).toBe(wordings.HOST_TOO_DEEP);
    }
  },
);

loadBearing("hosts-read-bounded", "MAX_HOST_FILE_MB", (moved) => {
  const file = join(machine({ x: "" }).home, "x");
  return [0, 1].map((over) => {
    truncateSync(file, fromSpec.MAX_HOST_FILE_MB * 1_000_000 + over);
    return "problem" in readText(file, moved);
  });
});

ruleTest("hosts-surgical", "a link into folders that are not there", () => {
  const places = machine({ ".codex/x": "" });
  const { home } = places;
  symlinkSync("../dot/files/c.toml", join(home, ".codex/config.toml"));
  const before = tree(home);
  run("install", hostNamed("codex"), "user", places);
  expect(readFileSync(join(home, "dot/files/c.toml"), "utf8")).toContain(
    "codegraph",
  );
  run("uninstall", hostNamed("codex"), "user", places);
  expect(tree(home)).toEqual(before);
  expect(existsSync(join(home, "dot"))).toBe(false);
});

ruleTest("hosts-written-whole", "no link that was put in its way", () => {
  const { home } = machine({ "mcp.json": "{}", precious: "precious" });
  const beside = join(home, `.mcp.json.codegraph-${process.pid}`);
  symlinkSync("precious", beside);
  expect(apply(join(home, "mcp.json"), "{}", { text: "[]" })).toBe("done");
  expect(readFileSync(join(home, "mcp.json"), "utf8")).toBe("[]");
  expect(readFileSync(join(home, "precious"), "utf8")).toBe("precious");
});

ruleTest(
  "hosts-written-whole",
  "links, modes, and what a killed run left",
  () => {
    const places = machine({
      "dotfiles/claude.json": '{"theme": "dark"}\n',
      ".claude.json.x": "",
    });
    const { home } = places;
    const real = join(home, "dotfiles/claude.json");
    chmodSync(real, 0o640);
    symlinkSync("dotfiles/claude.json", join(home, ".claude.json"));
    symlinkSync("nowhere.json", join(home, "dangling"));
    symlinkSync("loop", join(home, "loop"));
    writeFileSync(join(home, "dotfiles/.claude.json.codegraph-999999999"), "x");
    const before = tree(home);
    run("install", claude, "user", places);
    expect(lstatSync(join(home, ".claude.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("codegraph");
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(home, "dotfiles"))).toEqual(["claude.json"]);
    run("uninstall", claude, "user", places);
    delete before["dotfiles/.claude.json.codegraph-999999999"];
    expect(tree(home)).toEqual(before);
    expect(apply(join(home, "dangling"), undefined, { text: "x" })).toBe(
      "done",
    );
    expect(readText(join(home, "nowhere.json"))).toEqual({ text: "x" });
    expect(apply(join(home, "loop"), undefined, { text: "x" })).toMatchObject({
      problem: { what: expect.stringContaining("ELOOP") },
    });
  },
);

ruleTest(
  "hosts-written-whole",
  "what another program has written is edited",
  () => {
    const places = machine({ ".cursor/mcp.json": '{"a":1}' });
    const path = join(places.home, ".cursor/mcp.json");
    const steps = plan("install", hostNamed("cursor"), "user", places, WISHES);
    writeFileSync(path, '{"b":2}');
    expect(apply(path, '{"a":1}', { text: "lost" })).toBe("stale");
    takeAll("install", steps);
    expect(parse(readFileSync(path, "utf8"))).toMatchObject({
      b: 2,
      mcpServers: { codegraph: {} },
    });
    expect(readdirSync(dirname(path))).toEqual(["mcp.json"]);
  },
);

ruleTest(
  "hosts-written-whole",
  "a run that is killed leaves the old or the new file",
  async () => {
    const old = JSON.stringify({ x: "y".repeat(3_000_000) });
    const places = machine({ ".cursor/mcp.json": old });
    const path = join(places.home, ".cursor/mcp.json");
    const args = ["install", "--target", "cursor"];
    const at = { cwd: places.root, home: places.home };
    for (let i = 0; i < 6; i++) {
      const child = start(args, at);
      setTimeout(() => child.kill("SIGKILL"), 60 + 25 * i);
      await ended(child);
      const text = readFileSync(path, "utf8");
      if (text !== old)
        expect(parse(text)).toMatchObject({ mcpServers: { codegraph: {} } });
      writeFileSync(path, old);
    }
    expect(codegraph(args, at)).toMatchObject({ status: 0 });
    expect(readdirSync(dirname(path))).toEqual(["mcp.json"]);
  },
);

loadBearing("hosts-written-whole", "MAX_EDITS", (moved) => {
  const { home, root } = machine({ ".cursor/mcp.json": "{}" });
  const [step] = plan(
    "install",
    hostNamed("cursor"),
    "user",
    placesIn(home, root),
    WISHES,
  );
  let edits = 0;
  const stale = (): Step => ({
    ...step!,
    before: `${(edits += 1)}`,
    again: stale,
  });
  const [done] = takeAll("install", [stale()], moved);
  return [edits, done!.problem?.what];
});

const agents = { ".claude/x": "", ".codex/config.toml": 'model = "x"\n' };

ruleTest("install-asks", "without a terminal nothing is written", async () => {
  const places = machine(agents);
  const at = { cwd: places.root, home: places.home };
  const before = tree(places.home);
  const { status, stdout, stderr } = codegraph(["install"], at);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("~/.codex/config.toml");
  expect(stderr).not.toContain("cursor");
  expect(stderr).toContain(wordings.INSTALL_SAY_YES);
  expect(tree(places.home)).toEqual(before);
  for (const [args, said] of [
    [["--target", "emacs"], "emacs"],
    [["--scope", "team"], "team"],
  ] as const)
    expect(await here(["install", ...args], at)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(said),
    });
  expect(stderr).toContain("  to add      ~/.codex/config.toml");
  const none = machine();
  expect(
    await here(["install"], {
      cwd: none.root,
      home: none.home,
      env: { PATH: "/nowhere" },
    }),
  ).toMatchObject({ status: 1, stderr: expect.stringContaining("--target") });
  symlinkSync(none.home, join(none.root, "home"));
  for (const home of [none.home, join(none.root, "home")])
    expect(
      await here(["install", "--scope", "project", "--yes", none.home], {
        cwd: none.root,
        home,
      }),
    ).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(wordings.INSTALL_HOME),
    });
});

ruleTest("hosts-places", "a place that is none", async () => {
  for (const [name, value] of [
    ["HOME", ""],
    ["HOME", "here"],
    ["CODEX_HOME", "~/.codex"],
    ["CLAUDE_CONFIG_DIR", "../x"],
    ["XDG_CONFIG_HOME", "."],
  ] as const) {
    const { home, root } = machine(agents);
    const before = [tree(home), tree(root)];
    for (const args of [["install", "--yes"], ["uninstall"], ["doctor"]])
      expect(
        await here(args, { cwd: root, home, env: { [name]: value } }),
      ).toMatchObject({
        status: 1,
        stdout: "",
        stderr: expect.stringContaining(
          say(wordings.INSTALL_NO_PLACE, { name, value }),
        ),
      });
    expect([tree(home), tree(root)]).toEqual(before);
  }
  const { home, root } = machine(agents);
  expect(
    await here(["install", "--yes"], {
      cwd: root,
      home,
      env: { CODEX_HOME: "", XDG_CONFIG_HOME: "" },
    }),
  ).toMatchObject({ status: 0 });
});

ruleTest("install-asks", "one question", async () => {
  for (const [said, yes] of [
    ["y\n", true],
    ["\n", true],
    ["Yes\n", true],
    ["n\n", false],
    ["what\n", false],
    ["", false],
  ] as const) {
    const input = new PassThrough();
    const output = new PassThrough();
    const answer = agreed(input, output);
    input.end(said);
    expect(await answer).toBe(yes);
    output.end();
    const told = await text(output);
    expect(told).toContain(wordings.INSTALL_QUESTION);
    expect(told.endsWith("\n")).toBe(said === "");
  }
});

ruleTest("install-asks", "on a terminal", () => {
  const places = machine(agents);
  const before = tree(places.home);
  const env = { PATH: "/usr/bin:/bin", TERM: "dumb" };
  const install = (typed: string) =>
    onTerminal(["install"], places.root, env, { home: places.home, typed });
  const refused = install("n\n");
  expect(refused).toContain(wordings.INSTALL_QUESTION);
  expect(refused).toContain(wordings.INSTALL_NOT_DONE);
  expect(tree(places.home)).toEqual(before);
  expect(install("y\n")).toContain(wordings.NEXT_CLAUDE);
  expect(tree(places.home)).not.toEqual(before);
  // Nothing to ask about.
  expect(install("")).not.toContain(wordings.INSTALL_QUESTION);
});

examples(
  "install-report",
  ["golden", "given targets"],
  ["then files"],
  async (row) => {
    const places = machine();
    const { status, stdout, stderr } = await here(
      ["install", "--target", row["given targets"]],
      { cwd: places.root, home: places.home, env: { PATH: "/usr/bin:/bin" } },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const patch = differs(row.golden, stdout);
    if (patch) expect.fail(patch);
    return { "then files": String(stdout.match(/^ {2}added/gm)?.length) };
  },
);

ruleTest(
  "install-print",
  "a diff that gives what is written, and no file",
  async () => {
    const places = machine(agents);
    const at = { cwd: places.root, home: places.home };
    const before = tree(places.home);
    const { status, stdout } = await here(["install", "--print"], at);
    expect(status).toBe(0);
    expect(tree(places.home)).toEqual(before);
    expect(stdout).toMatch(/^\+\[mcp_servers\.codegraph\]$/m);
    expect(stdout).toMatch(/^ model = "x"$/m);
    const { hosts, written } = JSON.parse(
      (await here(["install", "--print", "--json"], at)).stdout,
    ) as { hosts: { host: string; patches: string[] }[]; written: boolean };
    expect(written).toBe(false);
    const patches = hosts.flatMap((one) => one.patches);
    expect(patches.join("")).toBe(stdout);
    expect((await here(["install", "--yes"], at)).status).toBe(0);
    expect(patches.length).toBeGreaterThan(0);
    for (const patch of patches) {
      const { oldFileName = "", newFileName = "" } = parsePatch(patch)[0]!;
      const old = oldFileName === "/dev/null" ? "" : 'model = "x"\n';
      expect(applyPatch(old, patch)).toBe(readFileSync(newFileName, "utf8"));
    }
  },
);

ruleTest(
  "hosts-command",
  "each command that was written starts where PATH is bare",
  async () => {
    const places = machine({}, {});
    const at = { cwd: places.root, home: places.home };
    const args = ["install", "--target", "all", "--hooks"];
    expect(codegraph(args, at).status).toBe(0);
    const env = {
      HOME: places.home,
      PATH: "/usr/bin:/bin",
      CODEGRAPH_DAEMON: "0",
    };
    const commands = new Set<string>();
    for (const host of HOSTS)
      for (const { servers, hooks } of wired(host, "user", places).files) {
        for (const { command, args } of servers)
          commands.add(JSON.stringify([command, ...args]));
        for (const { shell } of hooks) {
          const { status, stderr, stdout } = spawnSync("sh", ["-c", shell!], {
            env,
            input: "{}",
            encoding: "utf8",
          });
          expect({ status, stderr, stdout }).toEqual({
            status: 0,
            stderr: "",
            stdout: "",
          });
        }
      }
    expect(commands.size).toBe(1);
    const [command, ...rest] = JSON.parse([...commands][0]!) as string[];
    const child = spawn(command!, rest, { env, cwd: places.root });
    child.stdin.write(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n',
    );
    const [answer] = (await once(child.stdout, "data")) as [Buffer];
    expect(JSON.parse(String(answer))).toMatchObject({
      id: 1,
      result: { serverInfo: { name: "codegraph" } },
    });
    child.stdin.end();
    await once(child, "close");
  },
);

ruleTest(
  "uninstall-leaves-nothing",
  "the daemons end, the home is as before, and data is named",
  async () => {
    const places = machine(agents);
    const kept = cache();
    const env = { CODEGRAPH_CACHE_DIR: kept };
    const at = { cwd: places.root, home: places.home, env };
    const before = tree(places.home);
    indexed(places.root, { "a.py": "def f():\n    return 1\n" });
    expect(codegraph(["install", "--yes"], at).status).toBe(0);
    const one = await connect({
      cwd: places.root,
      home: places.home,
      daemon: kept,
    });
    const { pid } = await only(kept);
    const { status, stdout } = codegraph(["uninstall"], at);
    expect(status).toBe(0);
    await gone(pid);
    await one.client.close();
    expect(tree(places.home)).toEqual(before);
    for (const said of [
      "~/.codex/config.toml",
      `codegraph uninit ${places.root}`,
      `rm -r ${kept}`,
    ])
      expect(stdout).toContain(said);
    const again = await here(["uninstall", "--json"], at);
    expect(again).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(again.stdout)).toMatchObject({ hosts: [], daemons: 0 });
    // A daemon is something to do.
    const two = await connect({
      cwd: places.root,
      home: places.home,
      daemon: kept,
    });
    const last = codegraph(["uninstall"], at);
    await two.client.close();
    expect(last.stdout).toContain(
      say(wordings.UNINSTALL_DAEMONS, { count: 1 }),
    );
    expect(last.stdout).not.toContain(wordings.INSTALL_NOTHING);
    rmSync(join(places.root, ".codegraph"), { recursive: true });
  },
);
