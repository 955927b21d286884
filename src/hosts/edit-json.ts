/**
 * Adds to a JSON file and takes out of it again, by splices: what is not ours keeps
 * every byte, comments and trailing commas included.
 *
 * Each addition can be told from all others by the text that it leaves, so that its
 * removal gives back the very bytes from before. An object or array that was made for
 * an entry has that entry on lines of its own; one that was there, empty, got a blank
 * line before it; a file that was made ends with a line end, one that was there and
 * blank begins with one.
 */
import {
  createScanner,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
  type SyntaxKind,
} from "jsonc-parser";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import type { Edited, Problem } from "./host.ts";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** Names of members and numbers of elements, from the root. */
export type Path = readonly (string | number)[];

/** What is wrong with a file, on its way to whoever asked for the edit. */
export class Unfit extends Error {
  readonly problem: Problem;
  constructor(text: string, offset: number, what: string) {
    super(what);
    this.problem = { line: text.slice(0, offset).split("\n").length, what };
  }
}

/**
 * Runs an edit; a file that is not fit for it is a problem, any other error is ours.
 * @spec hosts-read-bounded
 */
export function edited<T>(edit: () => T): T | { readonly problem: Problem } {
  try {
    return edit();
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.problem };
    // The parsers go as deep as the file does, and the stack has an end.
    if (error instanceof RangeError)
      return { problem: { line: undefined, what: wordings.HOST_TOO_DEEP } };
    throw error;
  }
}

const BOM = "\ufeff";

/** A JSON text that is edited step by step. */
export class JsonText {
  readonly #bom: string;
  #text: string;
  #root: Node | undefined;

  /** Throws: Unfit where the text is no JSON with comments, or its root no object. */
  constructor(text: string) {
    this.#bom = text.startsWith(BOM) ? BOM : "";
    this.#text = text.slice(this.#bom.length);
    this.#root = parsed(this.#text);
  }

  get text(): string {
    return this.#bom + this.#text;
  }

  /** The value there; none where there is nothing. */
  get(path: Path): Json | undefined {
    const node = this.#find(path);
    return node && valueOf(node);
  }

  /** Throws: Unfit where something else than an object is there. */
  object(path: Path): JsonObject | undefined {
    const node = this.#typed(path, "object");
    return node && (valueOf(node) as JsonObject);
  }

  /** Throws: Unfit where something else than an array is there. */
  array(path: Path): readonly Json[] | undefined {
    const node = this.#typed(path, "array");
    return node && (valueOf(node) as readonly Json[]);
  }

  /** A problem with what is there. */
  unfit(path: Path, what: string): Unfit {
    const node = this.#find(path);
    return new Unfit(this.#text, node?.offset ?? 0, what);
  }

  /**
   * Puts a value there: in the place of the one that is there, else as the last of
   * the object that is to hold it, which is made where it is missing.
   */
  set(path: Path, value: Json): void {
    const there = this.#find(path);
    if (there) {
      const style = this.#styleAt(there);
      this.#splice([there.offset, end(there), print(value, style)]);
      return;
    }
    const name = path.at(-1) as string;
    this.#add(
      path.slice(0, -1),
      "object",
      (style) => member(name, value, style),
      {
        [name]: value,
      },
    );
  }

  /** Adds an element at the end of the array there, which is made where it is missing. */
  append(path: Path, value: Json): void {
    this.#add(path, "array", (style) => print(value, style), [value]);
  }

  /**
   * Takes a member or element out, and what was made to hold it. Gives true where
   * nothing is left that was there before.
   */
  remove(path: Path): { readonly all: boolean } {
    const parent = this.#find(path.slice(0, -1))!;
    const items = parent.children!;
    const node = this.#find(path)!;
    const item = node.parent?.type === "property" ? node.parent : node;
    const at = items.indexOf(item);
    const text = this.#text;
    if (items.length === 1) {
      const inner = innerBefore(
        text.slice(parent.offset + 1, item.offset),
        text.slice(end(item), end(parent) - 1),
      );
      if (inner === undefined)
        return path.length > 1 ? this.remove(path.slice(0, -1)) : { all: true };
      this.#splice([parent.offset + 1, end(parent) - 1, inner]);
      return { all: false };
    }
    const after = commaIn(
      text,
      end(item),
      items[at + 1]?.offset ?? end(parent),
    );
    if (at === 0) {
      const next = after! + 1;
      this.#splice([item.offset, next + blanks(text.slice(next)), ""]);
      return { all: false };
    }
    const before = end(items[at - 1]!);
    const start = blankStart(text, item.offset);
    const stop = after === undefined ? end(item) : after + 1;
    const gap = closing(text.slice(before, start), text.slice(stop));
    if (after !== undefined) this.#splice([start, stop, gap]);
    else {
      const comma = commaIn(text, before, item.offset)!;
      // The comma may be the last thing before the blanks that go.
      this.#splice([start, stop, gap], [comma, comma + 1, ""]);
    }
    return { all: false };
  }

  /** The text without its root; see the head of this file. */
  withoutRoot(): Edited {
    const root = this.#root!;
    const before = this.#text.slice(0, root.offset);
    const after = this.#text.slice(end(root));
    const made = before === "" ? lineEnds(after) : 0;
    if (made > 0) return { text: undefined, folders: made - 1 };
    const blank = /^([^]*?)(?:\r\n\r\n|\n\n)$/u.exec(before);
    if (after === "" && (before === "\n" || blank))
      return { text: this.#bom + (blank?.[1] ?? "") };
    // Somebody else has formatted it since.
    return (before + after).trim() === ""
      ? { text: undefined }
      : { text: this.#bom + before + after };
  }

  #find(path: Path): Node | undefined {
    let node = this.#root;
    for (const step of path) {
      if (typeof step === "number")
        node = node?.type === "array" ? node.children?.[step] : undefined;
      else
        node =
          node?.type === "object"
            ? // Of two members of a name the later one counts.
              node.children?.findLast((m) => m.children?.[0]?.value === step)
                ?.children?.[1]
            : undefined;
      if (!node) return undefined;
    }
    return node;
  }

  #typed(path: Path, type: "object" | "array"): Node | undefined {
    const node = this.#find(path);
    if (node && node.type !== type) {
      const name = path.findLast((step) => typeof step === "string") ?? "";
      throw new Unfit(
        this.#text,
        node.offset,
        say(
          type === "object" ? wordings.HOST_NO_OBJECT : wordings.HOST_NO_ARRAY,
          { name },
        ),
      );
    }
    return node;
  }

  #add(
    path: Path,
    type: "object" | "array",
    item: (style: Style) => string,
    whole: Json,
  ): void {
    if (!this.#root) {
      const text = this.#text;
      const style = { ...styleOf(text, undefined), indent: "" };
      let value = whole;
      for (const step of path.toReversed()) value = { [step]: value };
      this.#replace(
        text === ""
          ? style.eol + print(value, style)
          : text + style.eol + style.eol + print(value, style),
      );
      return;
    }
    const node = this.#typed(path, type);
    if (!node) {
      const name = path.at(-1) as string;
      this.#add(
        path.slice(0, -1),
        "object",
        (style) => member(name, whole, style),
        { [name]: whole },
      );
      return;
    }
    const text = this.#text;
    const items = node.children!;
    const last = items.at(-1);
    const style = this.#styleAt(node);
    if (!last) {
      const close = end(node) - 1;
      const deeper = { ...style, indent: style.indent + style.unit };
      this.#splice([
        close,
        close,
        style.flat
          ? ` ${item(style)} `
          : style.eol +
            style.eol +
            deeper.indent +
            item(deeper) +
            style.eol +
            style.indent,
      ]);
      return;
    }
    const comma = commaIn(text, end(last), end(node) - 1);
    const from = comma === undefined ? end(last) : comma + 1;
    const place = endOfLineComments(text, from);
    const ownLine = indentBefore(text, last.offset);
    const inner: Style =
      ownLine === undefined
        ? { ...style, flat: true }
        : { ...style, indent: ownLine };
    const gap =
      ownLine !== undefined
        ? style.eol + ownLine
        : isLineComment(text, from, place)
          ? style.eol
          : style.tight
            ? ""
            : " ";
    this.#splice(
      [place, place, gap + item(inner) + (comma === undefined ? "" : ",")],
      ...(comma === undefined ? ([[end(last), end(last), ","]] as const) : []),
    );
  }

  #styleAt(node: Node): Style {
    const style = styleOf(this.#text, this.#root);
    const line = this.#text.lastIndexOf("\n", node.offset - 1) + 1;
    const indent = this.#text.slice(
      line,
      line + blanks(this.#text.slice(line)),
    );
    return { ...style, indent: indent.replace(/[\r\n].*/su, "") };
  }

  /** Splices from the last place to the first. */
  #splice(...edits: readonly (readonly [number, number, string])[]): void {
    let text = this.#text;
    for (const [from, to, by] of edits)
      text = text.slice(0, from) + by + text.slice(to);
    this.#replace(text);
  }

  #replace(text: string): void {
    this.#text = text;
    this.#root = parsed(text);
  }
}

/** A new file that holds a value; its line ends tell how many folders were made for it. */
export const newFile = (value: Json, folders: number): string =>
  print(value, NEW) + "\n".repeat(1 + folders);

interface Style {
  readonly eol: string;
  /** Of one level. */
  readonly unit: string;
  /** Of the line that the value begins on. */
  readonly indent: string;
  /** On one line. */
  readonly flat: boolean;
  /** On one line, and without blanks. */
  readonly tight: boolean;
}

const NEW: Style = Object.freeze({
  eol: "\n",
  unit: "  ",
  indent: "",
  flat: false,
  tight: false,
});

/** As the file is written; stays the same when something is added at an end. */
function styleOf(text: string, root: Node | undefined): Style {
  const first = root?.children?.[0];
  const unit = first && indentBefore(text, first.offset);
  const flat =
    first !== undefined && !text.slice(root!.offset, end(root!)).includes("\n");
  return {
    eol: /\r?\n/u.exec(text)?.[0] ?? NEW.eol,
    unit: unit || NEW.unit,
    indent: "",
    flat,
    tight: flat,
  };
}

function print(value: Json, style: Style): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const inner: Style = style.flat
    ? style
    : { ...style, indent: style.indent + style.unit };
  const items = isArray
    ? (value as readonly Json[]).map((item) => print(item, inner))
    : Object.entries(value).map(([name, item]) => member(name, item, inner));
  const [open, close] = isArray ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  if (style.tight) return open + items.join(",") + close;
  // Words of a command are read together.
  if (isArray && (value as readonly Json[]).every((i) => typeof i !== "object"))
    return open + items.join(", ") + close;
  if (style.flat) return open + items.join(", ") + close;
  const line = style.eol + inner.indent;
  return (
    open + line + items.join(`,${line}`) + style.eol + style.indent + close
  );
}

const member = (name: string, value: Json, style: Style): string =>
  `${JSON.stringify(name)}:${style.tight ? "" : " "}${print(value, style)}`;

/**
 * What an object or array held before its only item was added: nothing but blanks and
 * comments; undefined where it was made for the item.
 */
function innerBefore(before: string, after: string): string | undefined {
  if (/^\r?\n[ \t]*$/u.test(after)) {
    const there = /^([^]*?)(?:\r\n\r\n|\n\n)[ \t]*$/u.exec(before);
    if (there) return there[1]! + closing(there[1]!, "");
  }
  if (after === " " && before.endsWith(" ")) return before.slice(0, -1);
  const comma = commaIn(after, 0, after.length) ?? after.length;
  const tail = after.slice(0, comma) + after.slice(comma + 1);
  const rest = before + closing(before, tail) + tail;
  return rest.trim() === "" ? undefined : rest;
}

/** What has to stand between two texts, so that a comment to the line's end does not take in the second. */
const closing = (before: string, after: string): string =>
  isLineComment(before, 0, before.length) && !/^[ \t]*\r?\n/u.test(after)
    ? (/\r?\n/u.exec(before + after)?.[0] ?? NEW.eol)
    : "";

function parsed(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  const [error] = errors;
  if (error)
    throw new Unfit(
      text,
      error.offset,
      say(wordings.HOST_SYNTAX, {
        error: printParseErrorCode(error.error)
          .replace(/\B[A-Z]/gu, (c) => ` ${c}`)
          .toLowerCase(),
      }),
    );
  if (root && root.type !== "object")
    throw new Unfit(text, root.offset, wordings.HOST_NO_ROOT);
  return root;
}

function valueOf(node: Node): Json {
  if (node.type === "array") return node.children!.map(valueOf);
  if (node.type !== "object") return node.value as Json;
  return Object.fromEntries(
    node.children!.map(({ children }) => [
      children![0]!.value as string,
      valueOf(children![1]!),
    ]),
  );
}

const end = (node: Node): number => node.offset + node.length;

// Kinds of the scanner's tokens, which its package gives as types alone.
const COMMA = 5 satisfies SyntaxKind.CommaToken;
const LINE_COMMENT = 12 satisfies SyntaxKind.LineCommentTrivia; // exempt spec-values-are-imported: a code
const BLOCK_COMMENT = 13 satisfies SyntaxKind.BlockCommentTrivia; // exempt spec-values-are-imported: a code
const BLANKS = 15 satisfies SyntaxKind.Trivia; // exempt spec-values-are-imported: a code

/** Where the comma stands between two places; a comma in a comment is none. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text);
  scanner.setPosition(from);
  while (scanner.getPosition() < to)
    if (scanner.scan() === COMMA) return scanner.getTokenOffset();
  return undefined;
}

/** The end of the comments that follow on the same line; where none do, the place itself. */
function endOfLineComments(text: string, from: number): number {
  const scanner = createScanner(text);
  scanner.setPosition(from);
  let place = from;
  for (;;) {
    const kind = scanner.scan() as number;
    if (kind === LINE_COMMENT) return scanner.getPosition();
    if (kind === BLOCK_COMMENT) {
      if (scanner.getTokenValue().includes("\n")) return place;
      place = scanner.getPosition();
    } else if (kind !== BLANKS) return place;
  }
}

function isLineComment(text: string, from: number, to: number): boolean {
  const scanner = createScanner(text);
  scanner.setPosition(from);
  let kind: number = BLANKS;
  while (scanner.getPosition() < to) kind = scanner.scan();
  return kind === LINE_COMMENT;
}

/** The blanks before a place, where it is the first of its line. */
const indentBefore = (text: string, offset: number): string | undefined =>
  /\n([ \t]*)$/u.exec(text.slice(blankStart(text, offset), offset))?.[1];

function blankStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && " \t\r\n".includes(text[start - 1]!)) start--;
  return start;
}

const blanks = (text: string): number => /^[ \t\r\n]*/u.exec(text)![0].length;

/** How many line ends a text is; 0 where it is anything else. */
const lineEnds = (text: string): number =>
  /^(?:\r?\n)+$/u.test(text) ? text.split("\n").length - 1 : 0;
