/**
 * Ignore files, with the very rules of git: which pattern of a `.gitignore` speaks
 * about a path. A deeper file outranks a shallower one, a later line an earlier one.
 *
 * Written out here because each path has to be asked about alone: a library that
 * tests a path's parents too cannot know that a deeper file has taken one of them
 * back in. Time is bounded by pattern length × path length, whatever the pattern.
 *
 * Units: paths with `/`, relative to the folder that holds the ignore file. Git
 *   compares bytes, so text beyond ASCII is compared as its UTF-8 bytes.
 */
import { Buffer } from "node:buffer";

/** Negative numbers stand for wildcards in a compiled component; others are bytes. */
const STAR = -1;
const ANY = -2;
type Item = number | ((byte: number) => boolean);
/** One component of a pattern; `**` is undefined. */
type Component = readonly Item[] | undefined;

export interface Pattern {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** Matched against the last component alone. */
  readonly anywhere: boolean;
  /** Set where the pattern is a plain name, which is by far the commonest. */
  readonly plain: string | undefined;
  /** Set where the pattern is `*` and a plain rest. */
  readonly ending: string | undefined;
  /** What a name has to begin and end with to be worth a closer look; empty where nothing is known. */
  readonly head: string;
  readonly tail: string;
  readonly components: readonly Component[];
}

/** An ignore file's patterns, in the order of its lines. */
export type Patterns = readonly Pattern[];

/** `undefined`: no pattern speaks about the path. */
export type Word = "out" | "in" | undefined;

/** The patterns of an ignore file's text. @spec ignore-patterns */
export function readPatterns(text: string, foldCase = false): Patterns {
  const patterns: Pattern[] = [];
  for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
    if (line.startsWith("#")) continue;
    const pattern = readPattern(
      withoutTrailingSpaces(line.endsWith("\r") ? line.slice(0, -1) : line),
      foldCase,
    );
    if (pattern) patterns.push(pattern);
  }
  return patterns;
}

/** One pattern as written in a line; undefined where it can match nothing. */
export function readPattern(
  line: string,
  foldCase = false,
): Pattern | undefined {
  let source = asBytes(line, foldCase);
  const negated = source.startsWith("!");
  if (negated) source = source.slice(1);
  const foldersOnly = source.endsWith("/");
  if (foldersOnly) source = source.slice(0, -1);
  if (source === "") return undefined;
  const anywhere = !source.includes("/");
  if (source.startsWith("/")) source = source.slice(1);
  const components = compile(source);
  if (!components) return undefined;
  const rest = source.slice(1);
  return {
    negated,
    foldersOnly,
    anywhere,
    plain: SPECIAL.test(source) ? undefined : source,
    ending:
      anywhere && source.startsWith("*") && !SPECIAL.test(rest)
        ? rest
        : undefined,
    head: anywhere ? PLAIN_HEAD.exec(source)![0] : "",
    // None ends in an escaped backslash.
    tail: anywhere ? (PLAIN_TAIL.exec(source)?.[0] ?? "") : "",
    components: anywhere ? [flat(components)] : components,
  };
}

/** What the last matching pattern says. `path` is relative to the patterns' folder. @spec ignore-patterns */
export function word(
  patterns: Patterns,
  path: string,
  isFolder: boolean,
  foldCase = false,
): Word {
  const bytes = asBytes(path, foldCase);
  const name = bytes.slice(bytes.lastIndexOf("/") + 1);
  for (let i = patterns.length - 1; i >= 0; i--) {
    const pattern = patterns[i]!;
    if (pattern.foldersOnly && !isFolder) continue;
    if (matches(pattern, bytes, name)) return pattern.negated ? "in" : "out";
  }
  return undefined;
}

function matches(pattern: Pattern, path: string, name: string): boolean {
  const text = pattern.anywhere ? name : path;
  if (pattern.plain !== undefined) return text === pattern.plain;
  if (pattern.ending !== undefined) return text.endsWith(pattern.ending);
  if (!name.startsWith(pattern.head) || !name.endsWith(pattern.tail))
    return false;
  return matchComponents(
    pattern.components,
    pattern.anywhere ? [name] : path.split("/"),
  );
}

const SPECIAL = /[*?[\\]/;
const PLAIN_HEAD = /^[^*?[\\]*/;
/** A letter after a backslash or in brackets is not plain. */
const PLAIN_TAIL = /(?<!\\)[^*?[\\\]]*$/;

/** Bytes of UTF-8, one per UTF-16 unit: what git compares. */
function asBytes(text: string, foldCase: boolean): string {
  const bytes = NON_ASCII.test(text)
    ? Buffer.from(text, "utf8").toString("latin1")
    : text;
  return foldCase
    ? bytes.replace(/[A-Z]+/g, (run) => run.toLowerCase())
    : bytes;
}
const NON_ASCII = /[^\0-\x7f]/;

/** Unescaped spaces at the end do not count; a backslash keeps one. */
function withoutTrailingSpaces(line: string): string {
  let end = -1;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === " ") {
      if (end === -1) end = i;
    } else {
      if (line[i] === "\\") i++;
      end = -1;
    }
  }
  return end === -1 ? line : line.slice(0, end);
}

/** A pattern without slash is matched against one name, where `**` means `*`. */
const flat = (components: readonly Component[]): readonly Item[] =>
  components[0] ?? [STAR];

/** Undefined for an open bracket or a dangling backslash: git matches nothing then. */
function compile(source: string): Component[] | undefined {
  const components: Component[] = [];
  let items: Item[] = [];
  const close = (): void => {
    // `**` alone in its component crosses folders; beside anything else it is `*`.
    components.push(
      stars >= 2 && items.length === 1 && items[0] === STAR ? undefined : items,
    );
    items = [];
    stars = 0;
  };
  let stars = 0;
  for (let i = 0; i < source.length; i++) {
    const ch = source[i]!;
    if (ch === "/") close();
    else if (ch === "*") {
      stars++;
      if (items.at(-1) !== STAR) items.push(STAR);
    } else if (ch === "?") items.push(ANY);
    else if (ch === "[") {
      const set = readSet(source, i);
      if (!set) return undefined;
      items.push(set.has);
      i = set.end;
    } else if (ch === "\\") {
      if (++i === source.length) return undefined;
      if (source[i] === "/") close();
      else items.push(source.charCodeAt(i));
    } else items.push(source.charCodeAt(i));
  }
  close();
  return components;
}

const NAMED: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** `[a-z]`, `[!x]`, `[[:digit:]]`: the bytes in it, and the index of its closing bracket. */
function readSet(
  source: string,
  open: number,
): { has: (byte: number) => boolean; end: number } | undefined {
  let i = open + 1;
  const negated = source[i] === "!" || source[i] === "^";
  if (negated) i++;
  const tests: ((byte: number) => boolean)[] = [];
  let previous = 0;
  for (let first = true; first || source[i] !== "]"; first = false, i++) {
    if (i >= source.length) return undefined;
    let ch = source.charCodeAt(i);
    const escaped = source[i] === "\\";
    if (escaped) {
      if (++i >= source.length) return undefined;
      ch = source.charCodeAt(i);
      const only = ch;
      tests.push((byte) => byte === only);
      previous = ch;
    } else if (
      source[i] === "-" &&
      previous !== 0 &&
      i + 1 < source.length &&
      source[i + 1] !== "]"
    ) {
      i++;
      if (source[i] === "\\" && ++i >= source.length) return undefined;
      const [low, high] = [previous, source.charCodeAt(i)];
      tests.push((byte) => byte >= low && byte <= high);
      previous = 0;
    } else if (source[i] === "[" && source[i + 1] === ":") {
      const end = source.indexOf("]", i + 2);
      if (end === -1) return undefined;
      if (end === i + 2 || source[end - 1] !== ":") {
        tests.push((byte) => byte === 0x5b);
        previous = 0x5b;
        continue;
      }
      const named = NAMED[source.slice(i + 2, end - 1)];
      if (!named) return undefined;
      tests.push((byte) => named.test(String.fromCharCode(byte)));
      i = end;
      previous = 0;
    } else {
      const only = ch;
      tests.push((byte) => byte === only);
      previous = ch;
    }
  }
  return {
    has: (byte) => tests.some((test) => test(byte)) !== negated,
    end: i,
  };
}

/**
 * Component by component. After a `**` only the last one has to be tried again at
 * another place, because an earlier one can give up nothing that a later one lacks.
 */
function matchComponents(
  pattern: readonly Component[],
  path: readonly string[],
): boolean {
  let p = 0;
  let t = 0;
  let retryPattern = -1;
  let retryText = 0;
  while (t < path.length) {
    const component = pattern[p];
    if (p < pattern.length && component === undefined) {
      retryPattern = ++p;
      retryText = t;
    } else if (component !== undefined && matchName(component, path[t]!)) {
      p++;
      t++;
    } else if (retryPattern !== -1) {
      p = retryPattern;
      t = ++retryText;
    } else return false;
  }
  return p === pattern.length;
}

/** One name against one component, with the same argument for `*`. */
function matchName(items: readonly Item[], name: string): boolean {
  let p = 0;
  let t = 0;
  let retryItem = -1;
  let retryText = 0;
  while (t < name.length) {
    const item = items[p];
    if (item === STAR) {
      retryItem = ++p;
      retryText = t;
    } else if (item !== undefined && fits(item, name.charCodeAt(t))) {
      p++;
      t++;
    } else if (retryItem !== -1) {
      p = retryItem;
      t = ++retryText;
    } else return false;
  }
  while (items[p] === STAR) p++;
  return p === items.length;
}

const fits = (item: Item, byte: number): boolean =>
  typeof item === "function" ? item(byte) : item === ANY || item === byte;
