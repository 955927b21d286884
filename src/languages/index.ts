/**
 * The registry of languages: by id, and by a file's path and first bytes. To add a
 * language: one entry, one fixture, one line here.
 */
import { c } from "./c.ts";
import { cpp } from "./cpp.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { javascript } from "./javascript.ts";
import type { Language } from "./language.ts";
import { python } from "./python.ts";
import { rust } from "./rust.ts";
import { tsx, typescript } from "./typescript.ts";

export type { Language } from "./language.ts";

export const languages: readonly Language[] = [
  typescript,
  tsx,
  javascript,
  python,
  go,
  rust,
  java,
  c,
  cpp,
];

const byId = new Map(languages.map((l) => [l.id, l]));
const byEnding = new Map(
  languages.flatMap((l) => l.endings.map((e) => [e, l] as const)),
);
const byName = new Map(
  languages.flatMap((l) => (l.names ?? []).map((n) => [n, l] as const)),
);
const byInterpreter = new Map(
  languages.flatMap((l) => (l.interpreters ?? []).map((n) => [n, l] as const)),
);

export const languageById = (id: string): Language | undefined => byId.get(id);

/**
 * The language of a file; undefined for a text without one.
 * `head` is the beginning of its text (a few hundred characters are plenty); it
 * decides where the path does not.
 * @spec language-detection
 */
export function detectLanguage(
  path: string,
  head: string,
): Language | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const named = byName.get(name);
  if (named) return named;
  const dot = name.lastIndexOf(".");
  const ending = dot > 0 ? name.slice(dot) : "";
  const found = byEnding.get(ending);
  if (found === c && CPP_MARKS.test(head)) return cpp;
  if (found) return found;
  return ending === "" ? byInterpreter.get(interpreterOf(head)) : undefined;
}

/** What a `.h` or `.C` file of C++ says and C does not. */
const CPP_MARKS =
  /^\s*(?:class|namespace|template|using|public:|private:|protected:|extern\s+"C\+\+")(?![\w])|\b\w+::\w|\bconstexpr\b|#\s*include\s*<(?:[a-z_]+)>/m;

/** The program that a `#!` line names, without folder and version; empty without one. */
function interpreterOf(head: string): string {
  const line = /^#!\s*([^\r\n]*)/.exec(head)?.[1];
  if (line === undefined) return "";
  const parts = line.split(/\s+/);
  const program = /(?:^|\/)env$/.test(parts[0] ?? "")
    ? parts.slice(1).find((p) => !p.startsWith("-") && !p.includes("="))
    : parts[0];
  return (program ?? "")
    .replace(/^.*\//, "")
    .replace(/[\d.]+$/, "")
    .toLowerCase();
}
