/**
 * What may be read of a file, and what kind of file it is. Three questions, in the
 * order in which the answers become known: `admit` before the file is opened,
 * `refuseBytes` with its bytes, `describe` with its text.
 *
 * Errs: toward reading less. What may hold a secret is never opened.
 */
import type { Role } from "../model/file.ts";
import { say } from "../model/wording.ts";
import {
  limits as fromSpec,
  lists,
  wordings,
  type Limits,
} from "../spec.gen.ts";
import type { Attributes } from "./attributes.ts";
import { readPatterns, word, type Patterns } from "./ignore.ts";
import { roleOf } from "./role.ts";

export type Take = "source" | "keys" | "nothing";

export interface Admission {
  /** All of the file, its key names alone, or nothing. */
  readonly take: Take;
  /** Why nothing is taken; empty otherwise. */
  readonly reason: string;
}

const patterns = (items: readonly string[]): Patterns =>
  readPatterns(items.join("\n"), true);
const SECRET: Patterns = patterns(lists.SECRET_FILES);
const BINARY: Patterns = patterns(lists.BINARY_FILES);
const DERIVED: Patterns = patterns(lists.DERIVED_FILES);
const KEYS_ONLY: Patterns = patterns(lists.KEYS_ONLY_FILES);
const GENERATED: Patterns = patterns(lists.GENERATED_FILES);
const MINIFIED: Patterns = patterns(lists.MINIFIED_FILES);

const is = (list: Patterns, path: string): boolean =>
  word(list, path, false, true) === "out";

/** What a file's name and size allow. @spec admit-by-name-and-size */
export function admit(
  path: string,
  size: number,
  limits: Pick<Limits, "MAX_FILE_BYTES"> = fromSpec,
): Admission {
  const nothing = (reason: string): Admission => ({ take: "nothing", reason });
  if (is(SECRET, path)) return nothing(wordings.LEFT_SECRET);
  if (is(BINARY, path)) return nothing(wordings.LEFT_BINARY);
  if (is(DERIVED, path)) return nothing(wordings.LEFT_DERIVED);
  if (size > limits.MAX_FILE_BYTES)
    return nothing(
      say(wordings.LEFT_TOO_LARGE, { bytes: limits.MAX_FILE_BYTES }),
    );
  return { take: is(KEYS_ONLY, path) ? "keys" : "source", reason: "" };
}

/** Why a file's bytes may not be taken, after all; empty where they may. @spec admit-by-content */
export function refuseBytes(
  bytes: Uint8Array,
  limits: Pick<
    Limits,
    "BINARY_SAMPLE_BYTES" | "BINARY_CONTROL_PERCENT"
  > = fromSpec,
): string {
  if (
    (bytes[0] === 0xff && bytes[1] === 0xfe) ||
    (bytes[0] === 0xfe && bytes[1] === 0xff)
  )
    return "";
  const end = Math.min(bytes.length, limits.BINARY_SAMPLE_BYTES);
  let control = 0;
  for (let i = 0; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x20 ? byte === 0x7f : byte < 0x08 || byte > 0x0d) {
      if (byte === 0) return wordings.LEFT_BINARY;
      control++;
    }
  }
  if (control * 100 > end * limits.BINARY_CONTROL_PERCENT)
    return wordings.LEFT_BINARY;
  return startsAsPrivateKey(bytes) ? wordings.LEFT_SECRET : "";
}

/** The first line of a key as every tool writes it, with or without the kind of key. */
function startsAsPrivateKey(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x2d || bytes[1] !== 0x2d) return false;
  const end = bytes.indexOf(0x0a);
  const line = new TextDecoder().decode(
    bytes.subarray(0, end === -1 ? bytes.length : end),
  );
  return /^-+ ?BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(line);
}

export interface Description {
  readonly role: Role;
  readonly generated: boolean;
  readonly minified: boolean;
}

/** What kind of file a text is. */
export function describe(
  path: string,
  text: string,
  attributes: Attributes = {},
  limits: Pick<
    Limits,
    "BANNER_LINES" | "LONG_LINE_CHARS" | "MINIFIED_PERCENT"
  > = fromSpec,
): Description {
  return {
    role: roleOf(path, text, attributes),
    generated: attributes.generated ?? isGenerated(path, text, limits),
    minified: isMinified(path, text, limits),
  };
}

export interface Verdict extends Admission, Description {}

/** All three answers for a file that has been read; `text` is that of `bytes`. */
export function classify(
  path: string,
  bytes: Uint8Array,
  text: string,
  attributes: Attributes = {},
): Verdict {
  const admission = admit(path, bytes.length);
  const reason = admission.reason || refuseBytes(bytes);
  return {
    take: reason ? "nothing" : admission.take,
    reason,
    ...describe(path, text, attributes),
  };
}

/** How a line begins that is a comment in one language or another. */
const COMMENT =
  /^\s*(?:\/\/|\/\*|\*|#|--|;|<!--|"""|'''|%|\(\*|\{-|@?rem\b)[\s/*#;!-]*/i;
/** Comments that go on over lines: how they open and how they close. */
const BLOCKS = [
  ["/*", "*/"],
  ["<!--", "-->"],
  ['"""', '"""'],
  ["'''", "'''"],
  ["(*", "*)"],
  ["{-", "-}"],
] as const;
/** What may stand above a banner and is no comment. */
const PROLOGUE = /^\s*(?:<\?|package\b|['"]use \w+['"]|$)/;

/** @spec file-generated */
export function isGenerated(
  path: string,
  text: string,
  limits: Pick<Limits, "BANNER_LINES" | "LONG_LINE_CHARS"> = fromSpec,
): boolean {
  if (is(GENERATED, path)) return true;
  let before = "";
  let start = 0;
  /** What ends the comment that the line stands in; empty outside of one. */
  let closing = "";
  for (let n = 0; n < limits.BANNER_LINES && start < text.length; n++) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    // A banner stands in a line of ordinary length; the rest of a longer one is data.
    const line = text.slice(
      start,
      Math.min(end, start + limits.LONG_LINE_CHARS),
    );
    start = end + 1;
    const marker = COMMENT.exec(line)?.[0] ?? (closing === "" ? undefined : "");
    if (closing !== "" && line.includes(closing)) closing = "";
    else if (closing === "") closing = opened(line.trimStart());
    if (marker === undefined) {
      // A banner speaks for the file, so it stands above the code.
      if (!PROLOGUE.test(line)) return false;
      before = "";
      continue;
    }
    const words = line.slice(marker.length).trim().toLowerCase();
    if (words === "") continue;
    if (isBanner(before, words)) return true;
    before = words;
  }
  return false;
}

/** What will close the comment that a line opens and leaves open; empty for none. */
function opened(line: string): string {
  for (const [open, close] of BLOCKS)
    if (line.startsWith(open))
      return line.includes(close, open.length) ? "" : close;
  return "";
}

/** Whether a comment line, with the one before it, says that a tool wrote the file. */
function isBanner(before: string, words: string): boolean {
  const both = `${before} ${words}`;
  if (!both.includes("generated")) return false;
  return (
    /^@generated(?:$|[\s.:])/.test(words) ||
    lists.GENERATED_BANNERS.some((banner) => words.includes(banner)) ||
    (/\b(?:auto)?generated\b/.test(both) &&
      lists.HANDS_OFF.some((phrase) => both.includes(phrase)))
  );
}

/** @spec file-minified */
export function isMinified(
  path: string,
  text: string,
  limits: Pick<Limits, "LONG_LINE_CHARS" | "MINIFIED_PERCENT"> = fromSpec,
): boolean {
  if (is(MINIFIED, path)) return true;
  if (text.length <= limits.LONG_LINE_CHARS) return false;
  let all = 0;
  let long = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const length = (newline === -1 ? text.length : newline) - start;
    all += length;
    if (length > limits.LONG_LINE_CHARS) long += length;
    start += length + 1;
  }
  return long > 0 && long * 100 >= all * limits.MINIFIED_PERCENT;
}
