/**
 * Adds a table to a TOML file and takes it out again, by splices: what is not ours
 * keeps every byte.
 *
 * The table goes to the end. After a file that ends with a line end it follows a blank
 * line and ends with one too; after any other it does not: so its removal gives back
 * the very bytes from before.
 */
import { getStaticTOMLValue, parseTOML, ParseError } from "toml-eslint-parser";
import type { AST } from "toml-eslint-parser";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { Unfit } from "./edit-json.ts";
import type { Edited } from "./host.ts";

/** A value of the entry: text, texts. */
export type TomlValue = string | readonly string[];

/** An entry of a table of tables, in whatever way it is written. */
export interface TomlEntry {
  readonly name: string;
  readonly value: unknown;
}

const BOM = "\ufeff";

export class TomlText {
  readonly #bom: string;
  #text: string;
  #top: AST.TOMLTopLevelTable;

  /** Throws: Unfit where the text is no TOML. */
  constructor(text: string) {
    this.#bom = text.startsWith(BOM) ? BOM : "";
    this.#text = text.slice(this.#bom.length);
    this.#top = parsed(this.#text).body[0];
  }

  get text(): string {
    return this.#bom + this.#text;
  }

  /** The entries of the table of that name. Throws: Unfit where it is no table. */
  entries(table: string): TomlEntry[] {
    const all = getStaticTOMLValue(this.#program()) as Readonly<
      Record<string, unknown>
    >;
    if (!Object.hasOwn(all, table)) return [];
    const value = all[table];
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Unfit(
        this.#text,
        this.#place(table),
        say(wordings.HOST_NO_TABLE, { name: table }),
      );
    return Object.entries(value).map(([name, of]) => ({ name, value: of }));
  }

  /** A problem with an entry. */
  unfit(table: string, name: string, what: string): Unfit {
    return new Unfit(
      this.#text,
      this.#parts(table, name)[0]?.range[0] ?? 0,
      what,
    );
  }

  /** Adds `[table.name]` at the end. Throws: Unfit where the table cannot be added to. */
  add(
    table: string,
    name: string,
    values: Readonly<Record<string, TomlValue>>,
  ): void {
    const text = this.#text;
    const eol = eolOf(text);
    const block = [
      `[${table}.${key(name)}]`,
      ...Object.entries(values).map(([k, v]) => `${k} = ${print(v)}`),
    ].join(eol);
    const result =
      text === ""
        ? block
        : text.endsWith("\n")
          ? text + eol + block + eol
          : text + eol + eol + block;
    try {
      this.#replace(result);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      throw new Unfit(
        text,
        this.#place(table),
        say(wordings.HOST_ONE_LINE, { name: table }),
      );
    }
  }

  /** Puts values into an entry that is there, each in its place. */
  set(
    table: string,
    name: string,
    values: Readonly<Record<string, TomlValue>>,
  ): void {
    for (const [k, v] of Object.entries(values)) {
      const at = this.#pairs().find(({ path }) => same(path, [table, name, k]));
      if (at) {
        const [from, to] = at.pair.value.range;
        this.#splice(from, to, print(v));
        continue;
      }
      const head = this.#top.body.find(
        (part) =>
          part.type === "TOMLTable" && same(part.resolvedKey, [table, name]),
      ) as AST.TOMLTable | undefined;
      if (!head)
        throw this.unfit(
          table,
          name,
          say(wordings.HOST_NO_KEY, { name: `${table}.${name}`, key: k }),
        );
      const line = this.#lineEnd(head.key.range[1]);
      this.#splice(line, line, `${eolOf(this.#text)}${k} = ${print(v)}`);
    }
  }

  /** Takes an entry out, whatever its form; gives true where nothing is left. */
  remove(table: string, name: string): void {
    for (;;) {
      const part = this.#parts(table, name).at(-1);
      if (!part) return;
      if (part.type === "TOMLTable") this.#removeTable(part);
      else this.#removePair(part);
    }
  }

  #removeTable(part: AST.TOMLTable): void {
    const text = this.#text;
    let from = lineStart(text, part.range[0]);
    let to = this.#lineEnd(part.range[1]);
    if (text[to] === "\n") to += 1;
    else if (text.startsWith("\r\n", to)) to += 2;
    // The blank line that came with it; and where no line end came, the one before that.
    const isLast = to === text.length;
    const ends = isLast && !text.endsWith("\n") ? 2 : 1;
    for (let i = 0; i < ends; i++) {
      const before = text.slice(0, from);
      const isBlankLine = /(?:^|\n)\r?\n$/u.test(before);
      if (ends === 2 ? !before.endsWith("\n") : !isBlankLine) break;
      from -= before.endsWith("\r\n") ? 2 : 1;
    }
    this.#splice(from, to, "");
  }

  #removePair(pair: AST.TOMLKeyValue): void {
    const text = this.#text;
    const [start, stop] = pair.range;
    if (pair.parent.type === "TOMLInlineTable") {
      const { body } = pair.parent;
      const at = body.indexOf(pair as never);
      const [from, to] =
        at > 0
          ? [body[at - 1]!.range[1], stop]
          : [start, body[1]?.range[0] ?? stop];
      this.#splice(from, to, "");
      return;
    }
    let to = this.#lineEnd(stop);
    if (text[to] === "\r") to += 1;
    if (text[to] === "\n") to += 1;
    this.#splice(lineStart(text, start), to, "");
  }

  #pairs(): { path: readonly (string | number)[]; pair: AST.TOMLKeyValue }[] {
    const found: {
      path: readonly (string | number)[];
      pair: AST.TOMLKeyValue;
    }[] = [];
    const visit = (
      base: readonly (string | number)[],
      body: readonly (AST.TOMLKeyValue | AST.TOMLTable)[],
    ): void => {
      for (const part of body)
        if (part.type === "TOMLTable") visit(part.resolvedKey, part.body);
        else {
          const path = [...base, ...keysOf(part)];
          found.push({ path, pair: part });
          if (part.value.type === "TOMLInlineTable")
            visit(path, part.value.body);
        }
    };
    visit([], this.#top.body);
    return found;
  }

  /** The tables and lines that an entry is made of, in their order. */
  #parts(table: string, name: string): (AST.TOMLTable | AST.TOMLKeyValue)[] {
    const within = (path: readonly (string | number)[]): boolean =>
      path[0] === table && path[1] === name;
    const tables = this.#top.body.filter(
      (part): part is AST.TOMLTable =>
        part.type === "TOMLTable" && within(part.resolvedKey),
    );
    const pairs = this.#pairs()
      .filter(
        ({ path, pair }) =>
          within(path) &&
          // Not those inside of a part that goes as a whole.
          path.length - keysOf(pair).length < 2,
      )
      .map(({ pair }) => pair);
    return [...tables, ...pairs].sort((a, b) => a.range[0] - b.range[0]);
  }

  #place(table: string): number {
    return (
      this.#top.body.find((part) =>
        part.type === "TOMLTable"
          ? part.resolvedKey[0] === table
          : keysOf(part)[0] === table,
      )?.range[0] ?? 0
    );
  }

  /** Where the line ends that a place is in, with the comment that may follow. */
  #lineEnd(offset: number): number {
    const at = this.#text.indexOf("\n", offset);
    if (at < 0) return this.#text.length;
    return this.#text[at - 1] === "\r" ? at - 1 : at;
  }

  #program(): AST.TOMLProgram {
    return this.#top.parent;
  }

  #splice(from: number, to: number, by: string): void {
    this.#replace(this.#text.slice(0, from) + by + this.#text.slice(to));
  }

  #replace(text: string): void {
    this.#top = parsed(text).body[0];
    this.#text = text;
  }
}

/** A new file with one table; its line ends tell how many folders were made for it. */
export function newTomlFile(
  table: string,
  name: string,
  values: Readonly<Record<string, TomlValue>>,
  folders: number,
): string {
  const file = new TomlText("");
  file.add(table, name, values);
  return file.text + "\n".repeat(1 + folders);
}

/** What is left when a table went: nothing, of a file that was made for it. */
export function withoutTable(before: string, after: string): Edited {
  if (
    /^(?:\r?\n)*$/u.test(after) &&
    before.endsWith("\n") &&
    !/^\r?\n/u.test(before)
  )
    return { text: undefined, folders: Math.max(0, lineEndsAtEnd(before) - 1) };
  return { text: after };
}

const lineEndsAtEnd = (text: string): number =>
  /(?:\r?\n)*$/u.exec(text)![0].split("\n").length - 1;

function parsed(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new Unfit(
      text,
      error.index,
      say(wordings.HOST_SYNTAX, { error: error.message }),
    );
  }
}

const keysOf = (pair: AST.TOMLKeyValue): string[] =>
  pair.key.keys.map((k) => (k.type === "TOMLBare" ? k.name : k.value));

const same = (
  a: readonly (string | number)[],
  b: readonly (string | number)[],
): boolean => a.length === b.length && a.every((step, i) => step === b[i]);

const eolOf = (text: string): string => /\r?\n/u.exec(text)?.[0] ?? "\n";

const lineStart = (text: string, offset: number): number =>
  text.lastIndexOf("\n", offset - 1) + 1;

const key = (name: string): string =>
  /^[\w-]+$/u.test(name) ? name : print(name);

function print(value: TomlValue): string {
  if (typeof value !== "string") return `[${value.map(print).join(", ")}]`;
  // As in JSON, but that it allows no DEL.
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
