/** Which definition a reference means. */
import { expect } from "vitest";
import type { Reference } from "../src/model/extraction.ts";
import type { FileRow } from "../src/model/file.ts";
import { leadsTo, meaning } from "../src/rank/resolve.ts";
import { detectLanguage } from "../src/languages/index.ts";
import { roleOf } from "../src/index/role.ts";
import { examples, ruleTest } from "./from-spec.ts";
import { indexedFile } from "./rows.ts";

const ids: ReadonlyMap<string, number> = new Map();
const file = (path: string, same: Map<string, number>): FileRow => {
  if (!same.has(path)) same.set(path, same.size + 1);
  return indexedFile(same.get(path)!, {
    path,
    language: detectLanguage(path, "")?.id ?? "",
    role: roleOf(path),
  });
};

/** `Cache.get`, `t of ./h.test` as a table writes them. */
const reference = (
  kind: Reference["kind"],
  name: string,
  qualifier: string,
): Reference => ({ kind, name, qualifier, alias: "", line: 1, within: -1 });

examples(
  "resolve-imports-first",
  ["given reference", "given from", "given imports", "given target"],
  ["then means"],
  (row) => {
    const known = new Map(ids);
    const from = file(row["given from"], known);
    const parts = row["given reference"].split(".");
    const imported = /^(\S+) of (\S+)$/.exec(row["given imports"]);
    const target =
      /^(?<name>\S+) (?:in (?<owner>\S+) )?(?<path>[^\s,]+)(?<sole>, the only one)?$/.exec(
        row["given target"],
      )!.groups!;
    expect(target.name).toBe(parts.at(-1));
    return {
      "then means": meaning(
        reference("call", parts.at(-1)!, parts.at(-2) ?? ""),
        from,
        imported ? [reference("import", imported[1]!, imported[2]!)] : [],
        {
          file: file(target.path!, known),
          owner: target.owner ?? "",
          unique: target.sole !== undefined,
        },
      ),
    };
  },
);

ruleTest("resolve-imports-first", "where a module's name leads", () => {
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ["./rate.js", "src/x.js", "src/rate.js", true],
    ["./rate.js", "src/x.js", "src/rate.ts", true],
    ["./rate", "src/x.js", "web/rate.ts", false],
    ["../lib/rate", "app/web/x.ts", "app/lib/rate.ts", true],
    ["../lib/rate", "app/web/x.ts", "other/lib/rate.ts", false],
    ["..", "app/web/x.ts", "app/index.ts", true],
    ["./h.test", "a/x.test.js", "a/h.test.js", true],
    ["./lib", "a/x.ts", "a/lib/index.ts", true],
    ["../../../x", "a/x.ts", "x.ts", false],
    ["pkg.mod", "x.py", "pkg/mod.py", true],
    ["pkg.mod", "x.py", "pkg/mod/__init__.py", true],
    ["pkg.mod", "x.py", "src/pkg/mod.py", true],
    ["pkg.mod", "x.py", "other/mod.py", false],
    [".mod", "pkg/x.py", "pkg/mod.py", true],
    ["..mod", "pkg/sub/x.py", "pkg/mod.py", true],
    [".mod", "pkg/x.py", "other/mod.py", false],
    [".", "pkg/x.py", "pkg/mod.py", true],
    ["crate::a::b", "src/x.rs", "src/a/b.rs", true],
    ["crate::a::b", "src/x.rs", "src/a/b/mod.rs", true],
    ["example.org/x/repo", "svc/s.go", "repo/r.go", true],
    ["example.org/x/repo", "svc/s.go", "y/repo/r.go", false],
    ["some-lib", "a.ts", "src/some.ts", false],
    ["", "a.ts", "src/a.ts", false],
  ];
  for (const [module, from, path, leads] of cases)
    expect([module, from, path, leadsTo(module, from, path)]).toEqual([
      module,
      from,
      path,
      leads,
    ]);
});
