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

const SELF: ReadonlySet<string> = new Set(lists.SELF_WORDS);
const PACKAGE: ReadonlySet<string> = new Set(lists.PACKAGE_SCOPED_LANGUAGES);
const GLOBAL: ReadonlySet<string> = new Set(lists.GLOBAL_SCOPED_LANGUAGES);

export interface Target {
  readonly file: FileRow;
  /** The name of its container or owner; empty at top level. */
  readonly owner: string;
  /** It is the only definition of that name in the index. */
  readonly unique: boolean;
}

/** `elsewhere`: it certainly means something else. */
export type Meaning = "this" | "elsewhere" | "unknown";

/**
 * Whether a reference in `from`, whose imports are `imports`, means `target`. The
 * names are equal already, aliases undone.
 * @spec resolve-imports-first
 */
export function meaning(
  reference: Reference,
  from: FileRow,
  imports: readonly Reference[],
  target: Target,
): Meaning {
  const leads = imported(reference, imports, target);
  if (leads !== undefined) return leads ? "this" : "elsewhere";
  const own = from.id === target.file.id;
  // What runs in production is not defined in a test.
  if (!own && target.file.role === "test" && from.role !== "test")
    return "elsewhere";
  return nearby(reference, from, imports, target, own) ? "this" : "unknown";
}

/** Where an import binds what the reference names: whether it leads to the target. Undefined without one. */
function imported(
  reference: Reference,
  imports: readonly Reference[],
  target: Target,
): boolean | undefined {
  const { path } = target.file;
  const { qualifier, name } = reference;
  if (reference.kind === "import") return matchesModule(qualifier, path);
  if (qualifier !== "" && !SELF.has(qualifier)) {
    const bound = imports.filter((i) => local(i) === qualifier);
    return bound.length === 0
      ? undefined
      : bound.some(
          (i) =>
            matchesModule(i.qualifier, path) ||
            matchesModule(`${i.qualifier}/${i.name}`, path) ||
            i.name === target.owner,
        );
  }
  const bound = imports.filter((i) => local(i) === name || i.name === name);
  return bound.length === 0 || target.owner !== ""
    ? undefined
    : bound.some((i) => matchesModule(i.qualifier, path));
}

function nearby(
  { qualifier }: Reference,
  from: FileRow,
  imports: readonly Reference[],
  target: Target,
  own: boolean,
): boolean {
  const onlyOne = target.unique && sameFamily(from, target);
  if (qualifier !== "" && !SELF.has(qualifier)) {
    if (qualifier === target.owner) return true;
    if (target.owner === "")
      return !own && onlyOne && GLOBAL.has(from.language);
    return own || onlyOne;
  }
  if (own) return true;
  if (SELF.has(qualifier)) return onlyOne;
  if (
    PACKAGE.has(from.language) &&
    folder(from.path) === folder(target.file.path)
  )
    return true;
  return (
    imports.some(
      (i) => i.name === "*" && matchesModule(i.qualifier, target.file.path),
    ) ||
    (onlyOne && GLOBAL.has(from.language))
  );
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
