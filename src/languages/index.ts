/**
 * The registry of languages: by id, and by a file's path and first bytes. To add a
 * language: one entry, one fixture, one line here.
 */
import { bash } from "./bash.ts";
import { c } from "./c.ts";
import { cpp } from "./cpp.ts";
import { csharp } from "./csharp.ts";
import { go } from "./go.ts";
import { astro, svelte, vue } from "./hosts.ts";
import { java } from "./java.ts";
import { javascript } from "./javascript.ts";
import { kotlin } from "./kotlin.ts";
import { lua } from "./lua.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { scala } from "./scala.ts";
import { swift } from "./swift.ts";
import { tsx, typescript } from "./typescript.ts";
import type { Language } from "./language.ts";

export type { Language } from "./language.ts";

/** @spec language-fixtures */
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
  csharp,
  ruby,
  php,
  bash,
  kotlin,
  swift,
  scala,
  lua,
  vue,
  svelte,
  astro,
];

const byId: ReadonlyMap<string, Language> = new Map(
  languages.map((l) => [l.id, l]),
);
const byEnding: ReadonlyMap<string, Language> = new Map(
  languages.flatMap((l) => l.endings.map((e) => [e, l] as const)),
);
const byName: ReadonlyMap<string, Language> = new Map(
  languages.flatMap((l) => (l.names ?? []).map((n) => [n, l] as const)),
);
const byInterpreter: ReadonlyMap<string, Language> = new Map(
  languages.flatMap((l) => (l.interpreters ?? []).map((n) => [n, l] as const)),
);

export const languageById = (id: string): Language | undefined => byId.get(id);

/**
 * The language of a file; undefined for a text without one.
 * `head` is the beginning of its text: its first line decides for a file without an
 * ending, and all that is given for a `.h`, whose licence may be long.
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
  if (found === c && !path.endsWith(".c") && CPP_MARKS.test(head)) return cpp;
  if (found) return found;
  return ending === "" ? byInterpreter.get(interpreterOf(head)) : undefined;
}

/** Lines that a header of C++ has and one of C does not. */
const CPP_MARKS =
  /^[ \t]*(?:class\s+(?:[A-Z_]+\s+)?\w+\s*(?:final\s*)?(?:[:{]|$)|namespace\s*[\w:]*\s*(?:\{|$)|template\s*<|using\s+(?:namespace\s|\w+\s*=|[\w:]+;)|(?:public|private|protected)\s*:|#\s*include\s*<[a-z_]+>)/m;

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
