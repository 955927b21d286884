/** Entries in the files of hosts: added, found again, taken out; texts alone. */
import { getNodeValue, parseTree } from "jsonc-parser";
import fc from "fast-check";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { describe, expect, test } from "vitest";
import {
  allFiles,
  BROKEN_JSON,
  BROKEN_TOML,
  isJson,
  isToml,
  JSON_ZOO,
  textOf,
  TOML_ZOO,
  withoutOurs,
} from "./hosts.ts";
import { law } from "./from-spec.ts";

const RUNS = 400;

/** What holds for each text that an entry can be added to. */
function roundTrip(
  { file, wanted }: (typeof allFiles)[number],
  text: string,
  sameBut: (installed: string) => void,
): void {
  const installed = textOf(file.install(text, wanted, 0))!;
  if (installed !== text) sameBut(installed);
  expect(textOf(file.install(installed, wanted, 0))).toBe(installed);
  expect(textOf(file.uninstall(installed))).toBe(text);
  expect(textOf(file.uninstall(text))).toBe(text);
}

const sameJson = (text: string) => (installed: string) =>
  expect(withoutOurs(installed, text)).toEqual(
    getNodeValue(parseTree(text.replace(/^\ufeff/, "")) ?? parseTree("{}")!),
  );

const sameToml = (text: string) => (installed: string) => {
  const { mcp_servers: servers, ...rest } = read(installed) as {
    mcp_servers: Record<string, unknown>;
  };
  delete servers.codegraph;
  const before = read(text);
  expect({
    ...rest,
    ...((Object.keys(servers).length > 0 || "mcp_servers" in before) && {
      mcp_servers: servers,
    }),
  }).toEqual(before);
};
const read = (text: string): Record<string, unknown> =>
  getStaticTOMLValue(parseTOML(text.replace(/^\ufeff/, ""))) as never;

describe("every file of every host, with each text of the zoo", () => {
  for (const one of allFiles) {
    const zoo = isJson(one.file) ? JSON_ZOO : isToml(one.file) ? TOML_ZOO : {};
    for (const [name, text] of Object.entries(zoo))
      test(`${one.name}: ${name}`, () =>
        roundTrip(
          one,
          text,
          isJson(one.file) ? sameJson(text) : sameToml(text),
        ));
    const broken = isJson(one.file)
      ? BROKEN_JSON
      : isToml(one.file)
        ? BROKEN_TOML
        : {};
    for (const [name, [text, line]] of Object.entries(broken))
      test(`${one.name}: broken, ${name}`, () => {
        expect(one.file.install(text, one.wanted, 0)).toMatchObject({
          problem: { line },
        });
      });
    for (const folders of [0, 1, 3])
      test(`${one.name}: made, with ${folders} folders`, () => {
        const made = textOf(one.file.install(undefined, one.wanted, folders));
        if (made === undefined) return;
        expect(textOf(one.file.install(made, one.wanted, 0))).toBe(made);
        expect(one.file.uninstall(made)).toEqual({ text: undefined, folders });
      });
  }
});

const EOL = fc.constantFrom("\n", "\r\n");
const GAP = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("", " ", "\n", "\n  ", "\n\t", "\r\n    "),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      " // a, b\n",
      "/* c, { */",
      " /* d\n */ ",
      "\n\n",
      "\r",
    ),
  },
);
const NAME = fc.constantFrom(
  "a",
  "mcpServers",
  "servers",
  "mcp",
  "hooks",
  "PreToolUse",
  "SessionStart",
  "other",
  "",
  "__proto__x",
  "é\\n",
);
const documents = fc.letrec<{ value: string; object: string; array: string }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("1", "null", "true", '"x"', '"// no, comment"', "-1.5e3"),
      tie("object"),
      tie("array"),
    ),
    object: fc
      .tuple(
        fc.uniqueArray(fc.tuple(NAME, GAP, GAP, GAP, GAP, tie("value")), {
          maxLength: 4,
          selector: ([name]) => name,
        }),
        GAP,
        fc.boolean(),
      )
      .map(
        ([members, gap, trailing]) =>
          `{${members.map(([name, a, b, c, d, v]) => `${a}${JSON.stringify(name)}${b}:${c}${v}${d}`).join(",")}${trailing && members.length > 0 ? "," : ""}${gap}}`,
      ),
    array: fc
      .tuple(
        fc.array(fc.tuple(GAP, tie("value"), GAP), { maxLength: 3 }),
        GAP,
        fc.boolean(),
      )
      .map(
        ([items, gap, trailing]) =>
          `[${items.map(([a, v, b]) => a + v + b).join(",")}${trailing && items.length > 0 ? "," : ""}${gap}]`,
      ),
  }),
);
const jsonText = fc
  .tuple(fc.constantFrom("", "\ufeff"), GAP, documents.object, GAP)
  .map((parts) => parts.join(""));

law("hosts-surgical", "any JSON file", () => {
  const files = new Map(
    allFiles.filter(({ file }) => isJson(file)).map((one) => [one.name, one]),
  );
  let added = 0;
  fc.assert(
    fc.property(jsonText, fc.constantFrom(...files.keys()), (text, name) => {
      const one = files.get(name)!;
      const edit = one.file.install(text, one.wanted, 0);
      if ("problem" in edit) return;
      added += 1;
      roundTrip(one, text, sameJson(text));
    }),
    { numRuns: RUNS },
  );
  expect(added).toBeGreaterThan(RUNS / 2);
});

const tomlPart = fc.constantFrom(
  "# a comment",
  "",
  "  ",
  "\t# indented",
  "[a]",
  "[a.b]",
  "[[list]]",
  "[mcp_servers]",
  "[mcp_servers.other]",
  '[mcp_servers."x y"]',
  'command = "x" # c',
  "args = [\n 'a', # [b]\n]",
  "inline = { a = 1 }",
  'text = """\n[mcp_servers.codegraph]\n"""',
  "mcp_servers.dotted.command = 'y'",
  "mcp_servers = {}",
  "when = 1979-05-27",
);
const tomlText = fc
  .tuple(fc.array(fc.tuple(tomlPart, EOL), { maxLength: 8 }), fc.boolean())
  .map(([parts, ends]) => {
    const text = parts.map(([part, eol]) => part + eol).join("");
    return ends ? text : text.replace(/\r?\n$/, "");
  })
  .filter((text) => {
    try {
      parseTOML(text);
      return true;
    } catch {
      return false;
    }
  });

law("hosts-surgical", "any TOML file", () => {
  const files = new Map(
    allFiles.filter(({ file }) => isToml(file)).map((one) => [one.name, one]),
  );
  let added = 0;
  fc.assert(
    fc.property(tomlText, fc.constantFrom(...files.keys()), (text, name) => {
      const one = files.get(name)!;
      const edit = one.file.install(text, one.wanted, 0);
      if ("problem" in edit) return;
      added += 1;
      roundTrip(one, text, sameToml(text));
    }),
    { numRuns: RUNS },
  );
  expect(added).toBeGreaterThan(RUNS / 2);
});
