/** What may be read of a file, what is never shown of it, and what kind of file it is. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect } from "vitest";
import { attributes } from "../src/index/attributes.ts";
import {
  admit,
  classify,
  isGenerated,
  isMinified,
  refuseBytes,
} from "../src/index/classify.ts";
import { configKeyLines, configKeys } from "../src/index/config-keys.ts";
import { decode } from "../src/index/decode.ts";
import { roleOf } from "../src/index/role.ts";
import { fingerprint } from "../src/model/fingerprint.ts";
import { lineStarts, splitLines } from "../src/model/lines.ts";
import { wordings } from "../src/spec.gen.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";

/** A cell's text: `\n`, `\r`, `\t` and `\\` as in source, `3×\n` for three of them, `–` for none. */
function text(cell: string): string {
  if (cell === "–") return "";
  const plain: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
  return cell
    .replace(/(\d+)×\\n/g, (_, times: string) => "\n".repeat(Number(times)))
    .replace(/\\([nrt\\])/g, (_, ch: string) => plain[ch] ?? ch);
}

/** Hex digits by twos, `9×61` for nine of them. */
function bytes(cell: string): Uint8Array {
  const parts = cell === "–" ? [] : cell.split(" ");
  return Buffer.from(
    parts.flatMap((part) => {
      const [, times = "1", hex = ""] = /^(?:(\d+)×)?(..)$/.exec(part) ?? [];
      return Array.from({ length: Number(times) }, () => parseInt(hex, 16));
    }),
  );
}

const yes = (value: boolean): string => (value ? "yes" : "no");
const orNone = (value: string): string => value || "–";

examples(
  "line-endings",
  ["given text"],
  ["then lines", "then starts"],
  (row) => {
    const given = text(row["given text"]);
    return {
      "then lines": orNone(
        splitLines(given)
          .map((line) => JSON.stringify(line))
          .join(" "),
      ),
      "then starts": orNone(Array.from(lineStarts(given)).join(" ")),
    };
  },
);

law("line-endings", "every line begins where its start says", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r", "\r\n") }),
      (given) => {
        const lines = splitLines(given);
        const starts = lineStarts(given);
        expect(starts.length).toBe(lines.length);
        for (const [i, line] of lines.entries())
          expect(given.startsWith(line, starts[i]!)).toBe(true);
        if (given.includes("\n"))
          expect(lines.length).toBe(
            given.split("\n").length - (given.endsWith("\n") ? 1 : 0),
          );
      },
    ),
  );
});

examples(
  "decode-bytes",
  ["given bytes"],
  ["then text", "then encoding", "then exact", "then mark bytes"],
  (row) => {
    const decoded = decode(bytes(row["given bytes"]));
    return {
      "then text": orNone(decoded.text).replace(
        /[\u0080-\u00a0\ufffd]|í/g,
        escaped,
      ),
      "then encoding": decoded.encoding,
      "then exact": yes(decoded.exact),
      "then mark bytes": `${decoded.bomBytes}`,
    };
  },
);
const escaped = (ch: string): string =>
  `\\u${ch.charCodeAt(0).toString(16).padStart(4, "0")}`;

law(
  "decode-bytes",
  "an exact text gives its bytes back, and so does Latin-1",
  () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string({ unit: "grapheme" }).map((s) => Buffer.from(s)),
        ),
        (given) => {
          const { text, encoding, exact, bomBytes } = decode(given);
          const back = {
            "utf-8": "utf8",
            "latin-1": "latin1",
            "utf-16le": "utf16le",
            "utf-16be": undefined,
          } as const;
          const way = back[encoding];
          if (way && (exact || way === "latin1"))
            expect(
              Buffer.compare(Buffer.from(text, way), given.subarray(bomBytes)),
            ).toBe(0);
        },
      ),
    );
  },
);

examples("file-fingerprint", ["given text"], ["then fingerprint"], (row) => ({
  "then fingerprint": fingerprint(Buffer.from(text(row["given text"]))),
}));

examples(
  "admit-by-name-and-size",
  ["given path", "given size"],
  ["then take", "then reason"],
  (row, limits) => {
    const { take, reason } = admit(
      row["given path"],
      Number(row["given size"]),
      limits,
    );
    // The sentence names the limit in use; the row stands on the decision.
    return { "then take": take, "then reason": orNone(reason) };
  },
);

examples(
  "admit-by-content",
  ["given bytes"],
  ["then reason"],
  (row, limits) => ({
    "then reason": orNone(refuseBytes(bytes(row["given bytes"]), limits)),
  }),
);

examples(
  "config-keys-only",
  ["given path", "given text"],
  ["then keys"],
  (row, limits) => ({
    "then keys": orNone(
      configKeys(row["given path"], text(row["given text"]), limits).join(", "),
    ),
  }),
);

/** Values that look like everything a value must not be taken for. */
const MARK = "tok";
const PIECES = [
  MARK,
  "a",
  " ",
  ": ",
  "=",
  "# ",
  "\n",
  "\n  ",
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ", ",
  "|",
  ">",
  "- ",
  "\\",
  "<",
  "</",
  "-->",
  "]]>",
  '"""',
  "'''",
];
const value = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 12 })
  .map((parts) => MARK + parts.join(""));
const key = fc.constantFrom("alpha", "beta_b", "gamma-g", "delta.d", "epsilon");
type Tree = string | Tree[] | { [key: string]: Tree };
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    value,
    fc.dictionary(key, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie("tree"), { maxLength: 3 }),
  ),
}));
const flat = fc.array(fc.tuple(key, value), { maxLength: 5 });
const object = fc.dictionary(key, tree, { minKeys: 1, noNullPrototype: true });

const indented = (given: string): string => given.replace(/^/gm, "  ");
const single = (given: string): string => `'${given.replaceAll("'", "''")}'`;

/** YAML in its several styles, chosen by `style`; what follows a key or a dash. */
function yaml(node: Tree, style: number): string {
  if (typeof node === "string") {
    const block = indented(node);
    const styles = [
      JSON.stringify(node),
      single(node.replaceAll("\n", " ")),
      single(node.replaceAll("\n", "\n  ")),
      `|2\n${block}`,
      `>2-\n${block}`,
    ];
    return ` ${styles[(style + node.length) % styles.length]}`;
  }
  const nested = (entries: string[]): string =>
    `\n${indented(entries.join("\n"))}`;
  if (Array.isArray(node))
    return node.length === 0
      ? " []"
      : nested(node.map((n) => `-${yaml(n, style + 1)}`));
  if (Object.keys(node).length === 0) return " {}";
  if (style % 5 === 4)
    return ` ${JSON.stringify(node, null, 2).replaceAll("\n", "\n  ")}`;
  return nested(
    Object.entries(node).map(([k, n]) => `${k}:${yaml(n, style + 1)}`),
  );
}
/** A whole document: the top level is not indented. */
const document = (node: { [key: string]: Tree }, style: number): string =>
  Object.entries(node)
    .map(([k, n]) => `${k}:${yaml(n, style)}`)
    .join("\n");

const toml = (entries: [string, string][]): string =>
  entries
    .map(([k, v], i) => {
      const basic = JSON.stringify(v);
      const styles = [
        basic,
        `[\n  ${basic}, # ${MARK} = 1\n  ${basic}\n]`,
        `"""\n${v.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"""`,
        `{ n = ${basic} }`,
      ];
      return `"${k}" = ${styles[i % styles.length]}`;
    })
    .join("\n");

const ini = (entries: [string, string][]): string =>
  entries.map(([k, v]) => `${k} = ${v.replaceAll("\n", "\n  ")}`).join("\n");

const environment = (entries: [string, string][]): string =>
  entries
    .map(
      ([k, v]) => `${k.replace(/\W/g, "_")}="${v.replace(/["\\]/g, "\\$&")}"`,
    )
    .join("\n");

const xml = (entries: [string, string][]): string =>
  `<root>${entries
    .map(([k, v], i) => {
      const safe = v
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll('"', "&quot;");
      const styles = [
        `<${k}>${safe}</${k}>`,
        `<${k} value="${safe}"/>`,
        `<${k}><![CDATA[${v.replaceAll("]]>", "")}]]></${k}>`,
        `<!-- ${v.replaceAll("-->", "")} --><${k}/>`,
      ];
      return styles[i % styles.length];
    })
    .join("\n")}</root>`;

const leaks = (path: string, given: string): string[] =>
  configKeys(path, given).filter((name) => name.includes(MARK));

law("config-keys-only", "no value gets into a name", () => {
  const style = fc.nat(7);
  for (const [path, source] of [
    ["a.json", object.map((o) => JSON.stringify(o))],
    ["b.json", object.map((o) => JSON.stringify(o, null, 2))],
    ["a.yaml", fc.tuple(object, style).map(([o, n]) => document(o, n))],
    ["a.toml", flat.map(toml)],
    ["a.ini", flat.map(ini)],
    [".env.example", flat.map(environment)],
    ["a.xml", flat.map(xml)],
  ] as const)
    fc.assert(
      fc.property(
        source,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (given, part) => {
          expect(leaks(path, given)).toEqual([]);
          // A file that is cut off anywhere is broken there, and nothing leaks either.
          expect(
            leaks(path, given.slice(0, Math.floor(part * given.length))),
          ).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
});

law("config-keys-only", "the keys of whole files are found", () => {
  const keysOf = (node: Tree): string[] =>
    typeof node === "string"
      ? []
      : Array.isArray(node)
        ? node.flatMap(keysOf)
        : Object.entries(node).flatMap(([k, n]) => [k, ...keysOf(n)]);
  fc.assert(
    fc.property(object, flat, (o, entries) => {
      expect(new Set(configKeys("a.json", JSON.stringify(o, null, 1)))).toEqual(
        new Set(keysOf(o)),
      );
      expect(configKeys("a.yaml", document(o, 0))).toEqual(
        expect.arrayContaining(Object.keys(o)),
      );
      const names = new Set(entries.map(([k]) => k));
      expect(new Set(configKeys("a.toml", toml(entries)))).toEqual(names);
      expect(new Set(configKeys("a.xml", xml(entries)))).toEqual(
        expect.objectContaining({}),
      );
      for (const name of names)
        expect(configKeys("a.xml", xml(entries))).toContain(name);
    }),
  );
});

ruleTest("config-keys-only", "what files of several kinds give", () => {
  const files: Readonly<Record<string, string>> = {
    "app.yaml": "db:\n  password: pw-222-example\n",
    "creds.json": '{"client_secret": "cs-333-example"}\n',
    ".env.example":
      "API_TOKEN=tok-000-example\nKEY='-----BEGIN PRIVATE KEY-----\nMIIexample=\n-----END PRIVATE KEY-----'\nLAST=1\n",
    "web.xml": '<a>\n<b token="x-example">y-example</b></a>',
    ".npmrc": "//host/:_authToken=npm-example\nsave=1\n",
    "values.yaml":
      "cert: |\n  -----BEGIN CERTIFICATE-----\n  example: x\n  -----END CERTIFICATE-----\nport: 1\n",
  };
  const names = Object.entries(files).map(([path, given]) =>
    configKeys(path, given),
  );
  expect(names).toEqual([
    ["db", "password"],
    ["client_secret"],
    ["API_TOKEN", "KEY", "LAST"],
    ["a", "b", "token"],
    ["save"],
    ["cert", "port"],
  ]);
});

ruleTest(
  "config-keys-bounded",
  "names come with the line of their first place",
  () => {
    expect(configKeyLines("a.yaml", "a:\n  b: 1\n\nc:\n  b: 2\n")).toEqual([
      { name: "a", line: 1 },
      { name: "b", line: 2 },
      { name: "c", line: 4 },
    ]);
    expect(configKeyLines("a.json", '{\r\n"x": {\r\n"y": 1}}')).toEqual([
      { name: "x", line: 2 },
      { name: "y", line: 3 },
    ]);
  },
);

loadBearing("config-keys-bounded", "MAX_CONFIG_KEYS", (limits) => {
  const names = Array.from({ length: 1000 }, (_, i) => `k${i}`);
  const given: Readonly<Record<string, string>> = {
    "a.json": JSON.stringify(names.map((k) => ({ [k]: 1 }))),
    "a.yaml": names.map((k) => `${k}: 1`).join("\n"),
    "a.toml": names.map((k) => `${k} = 1`).join("\n"),
    "a.ini": names.map((k) => `${k}=1`).join("\n"),
    "a.xml": names.map((k) => `<${k}/>`).join("\n"),
  };
  return Object.entries(given).map(
    ([path, text]) => configKeys(path, text, limits).length,
  );
});

examples(
  "file-generated",
  ["given path", "given first lines"],
  ["then generated"],
  (row, limits) => ({
    "then generated": yes(
      isGenerated(row["given path"], text(row["given first lines"]), limits),
    ),
  }),
);

ruleTest(
  "file-generated",
  "an attribute of the repository decides, the deepest and last one",
  () => {
    const of = attributes(
      new Map([
        [
          "",
          "# x\ngen2/** linguist-generated=true\n*.ts linguist-generated\nlib/ linguist-generated\n*.md -linguist-documentation\n",
        ],
        [
          "src",
          "*.ts -linguist-generated\nx.ts linguist-generated=true linguist-vendored\n",
        ],
      ]),
    );
    expect(of("gen2/a/out.js")).toEqual({ generated: true });
    expect(of("a.ts")).toEqual({ generated: true });
    expect(of("src/a.ts")).toEqual({ generated: false });
    expect(of("src/x.ts")).toEqual({ generated: true, vendored: true });
    expect(of("lib/a.js")).toEqual({});
    const kind = (path: string, given = "x") =>
      classify(path, Buffer.from(given), given, of(path));
    expect(kind("gen2/out.js").generated).toBe(true);
    expect(kind("src/a.ts", "// @generated").generated).toBe(false);
    expect(kind("src/x.ts").role).toBe("vendored");
    expect(kind("notes.md").role).toBe("product");
  },
);

examples(
  "file-minified",
  ["given path", "given line lengths"],
  ["then minified"],
  (row, limits) => {
    const lines = row["given line lengths"]
      .split(", ")
      .map((length) => "x".repeat(Number(length)));
    return {
      "then minified": yes(
        isMinified(row["given path"], lines.join("\n"), limits),
      ),
    };
  },
);

examples(
  "file-role",
  ["given path", "given content"],
  ["then role"],
  (row) => ({
    "then role": roleOf(row["given path"], text(row["given content"])),
  }),
);

ruleTest(
  "admit-by-content",
  "one verdict holds all that is known of a file",
  () => {
    expect(
      classify("k", Buffer.from("-----BEGIN RSA PRIVATE KEY-----\nMII"), ""),
    ).toMatchObject({
      take: "nothing",
      reason: wordings.LEFT_SECRET,
    });
    expect(classify("a.json", Buffer.from("{}"), "{}")).toEqual({
      take: "keys",
      reason: "",
      role: "product",
      generated: false,
      minified: false,
    });
  },
);
