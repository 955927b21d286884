/**
 * Which definition a reference means. References are kept by name; this decides,
 * when a question needs it, from imports, containers and nearness.
 *
 * Errs: toward "unresolved". A dependency that is not there misleads; one that is
 * not listed is still found by its name.
 */
import type { FileRow } from "../model/file.ts";
import type { Reference } from "../model/extraction.ts";
import { lists } from "../spec.gen.ts";
import type { SymbolRow } from "../store/store.ts";

const SELF = new Set([
  "this",
  "self",
  "super",
  "cls",
  "Self",
  "base",
  "static",
  "parent",
  "@",
]);
const PACKAGE = new Set(lists.PACKAGE_SCOPED_LANGUAGES);
const GLOBAL = new Set(lists.GLOBAL_SCOPED_LANGUAGES);

export interface Target {
  readonly symbol: SymbolRow;
  readonly file: FileRow;
  /** The name of its container or owner; empty at top level. */
  readonly owner: string;
  /** It is the only definition of that name in the index. */
  readonly unique: boolean;
}

/**
 * Whether a reference in `from`, whose imports are `imports`, means `target`. The
 * names are equal already, aliases undone.
 * @spec resolve-imports-first
 */
export function means(
  reference: Reference,
  from: FileRow,
  imports: readonly Reference[],
  target: Target,
): boolean {
  const { qualifier } = reference;
  if (reference.kind === "import")
    return matchesModule(reference.qualifier, target.file.path);
  if (qualifier !== "" && !SELF.has(qualifier)) {
    const bound = imports.filter((i) => local(i) === qualifier);
    if (bound.length > 0)
      return bound.some(
        (i) =>
          matchesModule(i.qualifier, target.file.path) ||
          matchesModule(`${i.qualifier}/${i.name}`, target.file.path) ||
          i.name === target.owner,
      );
    if (qualifier === target.owner) return true;
    if (target.owner === "")
      return from.id === target.file.id
        ? false
        : sameFamily(from, target) &&
            target.unique &&
            GLOBAL.has(from.language);
    if (from.id === target.file.id) return true;
    return target.unique && sameFamily(from, target);
  }
  const bound = imports.filter(
    (i) => local(i) === reference.name || i.name === reference.name,
  );
  if (bound.length > 0 && target.owner === "")
    return bound.some((i) => matchesModule(i.qualifier, target.file.path));
  if (from.id === target.file.id) return true;
  if (SELF.has(qualifier)) return target.unique && sameFamily(from, target);
  if (
    PACKAGE.has(from.language) &&
    folder(from.path) === folder(target.file.path)
  )
    return true;
  if (
    imports.some(
      (i) => i.name === "*" && matchesModule(i.qualifier, target.file.path),
    )
  )
    return true;
  return GLOBAL.has(from.language) && target.unique && sameFamily(from, target);
}

function local(i: Reference): string {
  return i.alias !== "" ? i.alias : i.name;
}

function sameFamily(from: FileRow, target: Target): boolean {
  return family(from.language) === family(target.file.language);
}

function family(language: string): string {
  return (
    lists.LANGUAGE_FAMILIES.find((f) => f.split("+").includes(language)) ??
    language
  );
}

function folder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/**
 * Whether a module, as an import names it, can be that file: its last parts are
 * those of the file without its ending, or of the file's folder.
 */
export function matchesModule(module: string, path: string): boolean {
  const parts = module
    .replace(/\.(?:[cm]?[jt]sx?|vue|svelte|astro|h|hpp|hh|php|rb|lua|sh)$/, "")
    .split(/[/\\]|::|\.(?!\.)|(?<=\.)\.(?=\w)/)
    .filter(
      (part) => part !== "" && !/^\.+$|^(crate|self|super|@|~)$/.test(part),
    );
  if (parts.length === 0) return false;
  const bare = path.replace(/\.[^./]+$/, "").split("/");
  const dir = bare.slice(0, -1);
  const whole =
    bare.at(-1) === "index" ||
    bare.at(-1) === "__init__" ||
    bare.at(-1) === "mod"
      ? dir
      : bare;
  return [whole, dir].some((own) => endsAlike(own, parts));
}

/** The last two parts agree, or the only one. */
function endsAlike(own: readonly string[], wanted: readonly string[]): boolean {
  const n = Math.min(2, wanted.length, own.length);
  if (n === 0) return false;
  for (let i = 1; i <= n; i++)
    if (own.at(-i)!.toLowerCase() !== wanted.at(-i)!.toLowerCase())
      return false;
  return true;
}
