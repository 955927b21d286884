/**
 * Which definition a reference means. References are kept by name; this decides,
 * when a question needs it, from imports, containers and nearness.
 *
 * Errs: toward "unresolved". A dependency that is not there misleads; one that is
 * not listed is still found by its name.
 */
import type { FileRow } from "../model/file.ts";
import type { Reference } from "../model/extraction.ts";
import { nameParts } from "../model/terms.ts";
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
  const leads = imported(reference, from.path, imports, target);
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
  from: string,
  imports: readonly Reference[],
  target: Target,
): boolean | undefined {
  const { path } = target.file;
  const { qualifier, name } = reference;
  if (reference.kind === "import") return leadsTo(qualifier, from, path);
  if (qualifier !== "" && !SELF.has(qualifier)) {
    const bound = imports.filter((i) => local(i) === qualifier);
    return bound.length === 0
      ? undefined
      : bound.some(
          (i) =>
            leadsTo(i.qualifier, from, path) ||
            leadsTo(inside(i), from, path) ||
            i.name === target.owner,
        );
  }
  const bound = imports.filter((i) => local(i) === name || i.name === name);
  return bound.length === 0 || target.owner !== ""
    ? undefined
    : bound.some((i) => leadsTo(i.qualifier, from, path));
}

function nearby(
  { name, qualifier }: Reference,
  from: FileRow,
  imports: readonly Reference[],
  target: Target,
  own: boolean,
): boolean {
  const onlyOne = target.unique && sameFamily(from, target);
  const isSelf = SELF.has(qualifier);
  if (qualifier !== "" && !isSelf) {
    // A variable is often called what its type is.
    if (qualifier.toLowerCase() === target.owner.toLowerCase()) return true;
    if (target.owner === "")
      return !own && onlyOne && GLOBAL.has(from.language);
  }
  if (own) return true;
  if (isSelf) return onlyOne;
  // Of whatever a method is called: one word is other things' name too.
  if (onlyOne && nameParts(name).length > 1 && target.owner !== "") return true;
  if (qualifier !== "") return false;
  if (
    PACKAGE.has(from.language) &&
    folder(from.path) === folder(target.file.path)
  )
    return true;
  return (
    imports.some(
      (i) =>
        i.name === "*" && leadsTo(i.qualifier, from.path, target.file.path),
    ) ||
    (onlyOne && GLOBAL.has(from.language))
  );
}

/** What is imported, as a module of its own: `pkg.mod`, `./lib/mod`. */
function inside({ qualifier, name }: Reference): string {
  if (/^\.+$/.test(qualifier)) return `${qualifier}${name}`;
  const between = qualifier.includes("::")
    ? "::"
    : qualifier.includes("/")
      ? "/"
      : ".";
  return `${qualifier}${between}${name}`;
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
 * Whether a module, as an import in `from` names it, can be that file, or its folder:
 * exactly where the name is relative, else by its last two parts.
 */
export function leadsTo(module: string, from: string, path: string): boolean {
  const bare = path.replace(/\.[^./]+$/, "").split("/");
  const dir = bare.slice(0, -1);
  const own = [FOLDER_FILES.test(path) ? dir : bare, dir];
  const wanted = partsOf(module);
  if (module.startsWith(".")) {
    const base = relativeTo(module, from);
    if (!base) return false;
    const whole = [...base, ...wanted].join("/");
    return own.some((parts) => parts.join("/") === whole);
  }
  return wanted.length > 0 && own.some((parts) => endsAlike(parts, wanted));
}

/** Files that stand for their folder. */
const FOLDER_FILES = /(?:^|\/)(?:index\.[cm]?[jt]sx?|__init__\.pyi?|mod\.rs)$/;

/** Dots part a module's name where no slash does. */
function partsOf(module: string): string[] {
  const name = module.replace(
    /(?<=[\w)])\.(?:[cm]?[jt]sx?|vue|svelte|astro|h|hh|hpp|php|rb|lua|sh)$/,
    "",
  );
  return name
    .split(/[/\\]/.test(name) ? /[/\\]/ : /::|\./)
    .filter((part) => !/^(?:\.*|crate|self|super|@|~)$/.test(part));
}

/** The folder, in parts, from which a relative module counts: `./a`, `../a`, `.a`, `..a`; undefined outside of the project. */
function relativeTo(module: string, from: string): string[] | undefined {
  const steps = /^(?:\.\/)?((?:\.\.\/)*)(?:\.\.$)?/.exec(module)!;
  const dots = /^(\.+)(?![./])/.exec(module)?.[1];
  const ups = dots
    ? dots.length - 1
    : steps[1]!.length / 3 + (steps[0].endsWith("..") ? 1 : 0);
  const folder = from.split("/").slice(0, -1);
  return ups > folder.length ? undefined : folder.slice(0, folder.length - ups);
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
