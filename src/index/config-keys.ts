/**
 * The key names of configuration files, and never a value.
 *
 * Small readers of our own rather than parsers: they stop where a file is broken,
 * and a name that cannot be told from a value is left out.
 * Errs: toward fewer names.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface ConfigKey {
  readonly name: string;
  /** 1-based, by the rule of `model/lines.ts`. */
  readonly line: number;
}

type KeyLimits = Pick<
  Limits,
  "MAX_CONFIG_KEYS" | "MAX_KEY_CHARS" | "TOKEN_CHARS" | "TOKEN_TURNS"
>;

/** The names, each once, in the order of their first line. @spec config-keys-only */
export const configKeys = (
  path: string,
  text: string,
  limits: KeyLimits = fromSpec,
): string[] => configKeyLines(path, text, limits).map(({ name }) => name);

/** The same with the line on which each name stands first. @spec config-keys-only config-keys-bounded */
export function configKeyLines(
  path: string,
  text: string,
  limits: KeyLimits = fromSpec,
): ConfigKey[] {
  const keys = new Keys(text, limits);
  formatOf(path, text)?.(text, keys);
  return keys.found();
}

type Reader = (text: string, keys: Keys) => void;

const FORMATS: readonly (readonly [RegExp, Reader])[] = [
  [/\.(?:json|jsonc|json5|geojson|webmanifest|arb|code-workspace)$/i, readJson],
  [
    /\.ya?ml$/i,
    (text, keys) =>
      /^\s*[{[](?![{%])/.test(text)
        ? readJson(text, keys)
        : readYaml(text, keys),
  ],
  [/\.toml$/i, readToml],
  [/\.(?:ini|cfg|cnf|conf|properties)$/i, readIni],
  [
    /(?:^|\/)\.(?:gitconfig|editorconfig|env[.\w]*)$|(?:^|\/)\w+\.env$/i,
    readIni,
  ],
  [/\.(?:xml|plist|config)$/i, readXml],
];

function formatOf(path: string, text: string): Reader | undefined {
  const known = FORMATS.find(([ending]) => ending.test(path))?.[1];
  if (known || !/(?:^|\/)\.\w+rc$/.test(path)) return known;
  // `.somethingrc` comes in any format; its first sign tells which.
  if (/^\s*\{/.test(text)) return readJson;
  if (/^[\w.-]+\s*=(?!=)/m.test(text)) return readIni;
  return /^\s*\/[/*]/.test(text) ? readJson : readYaml;
}

/** Collects names, and answers on which line an offset lies; offsets come in rising order. */
class Keys {
  private readonly text: string;
  private readonly limits: KeyLimits;
  private readonly names = new Map<string, number>();
  private line = 1;
  private upTo = 0;
  private readonly ending: string;

  constructor(text: string, limits: KeyLimits) {
    this.text = text;
    this.limits = limits;
    this.ending = text.includes("\n") ? "\n" : "\r";
  }

  get isFull(): boolean {
    return this.names.size >= this.limits.MAX_CONFIG_KEYS;
  }

  add(name: string, offset: number): void {
    if (this.isFull || this.names.has(name) || !this.isName(name)) return;
    for (
      let at = this.next(this.upTo);
      at !== -1 && at < offset;
      at = this.next(at + 1)
    ) {
      this.line++;
      this.upTo = at + 1;
    }
    this.names.set(name, this.line);
  }

  /** Takes back what stands on an offset's line, where the line turns out to be broken. */
  dropLineOf(offset: number): void {
    const start = this.text.lastIndexOf(this.ending, offset - 1) + 1;
    if (this.upTo < start) return;
    for (const [name, line] of this.names)
      if (line === this.line) this.names.delete(name);
  }

  found(): ConfigKey[] {
    return Array.from(this.names, ([name, line]) => ({ name, line }));
  }

  private next(from: number): number {
    return this.text.indexOf(this.ending, from);
  }

  private isName(name: string): boolean {
    const { MAX_KEY_CHARS, TOKEN_CHARS, TOKEN_TURNS } = this.limits;
    if (
      name === "" ||
      name.length > MAX_KEY_CHARS ||
      /[\0-\x1f\x7f]|-----/.test(name)
    )
      return false;
    if (name.length < TOKEN_CHARS) return true;
    const turns = name.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
    return turns < TOKEN_TURNS;
  }
}

/** The offset after a quoted text that opens at `open`; -1 where it does not close on its line. */
function afterQuote(text: string, open: number, escapes: boolean): number {
  const quote = text[open]!;
  for (let from = open + 1; ;) {
    const end = text.indexOf(quote, from);
    if (end === -1) return -1;
    if (escapes && isEscaped(text, end)) from = end + 1;
    else return isOneLine(text, open, end) ? end + 1 : -1;
  }
}

function isOneLine(text: string, from: number, to: number): boolean {
  const part = text.slice(from, to);
  return !part.includes("\n") && !part.includes("\r");
}

const skipBlanks = (text: string, from: number): number => {
  let i = from;
  while (i < text.length && (text[i] === " " || /\s/.test(text[i]!))) i++;
  return i;
};

/** JSON, with comments and the freedoms of JSON5. Stops at a quote that does not close. */
function readJson(text: string, keys: Keys): void {
  const open: string[] = [];
  let atKey = false;
  const bare = /[\w$.+-]+/y;
  for (
    let i = text.startsWith("\uFEFF") ? 1 : 0;
    i < text.length && !keys.isFull;
  ) {
    const ch = text[i]!;
    switch (ch) {
      case " ":
      case "\n":
      case "\r":
      case "\t":
        i++;
        break;
      case "{":
      case "[":
        open.push(ch);
        atKey = ch === "{";
        i++;
        break;
      case ",":
        atKey = open.at(-1) === "{";
        i++;
        break;
      case '"':
      case "'": {
        const end = afterQuote(text, i, true);
        if (end === -1) return keys.dropLineOf(i);
        if (atKey && text[skipBlanks(text, end)] === ":") {
          const name = text.slice(i + 1, end - 1);
          if (!name.includes("\\")) keys.add(name, i);
        }
        atKey = false;
        i = end;
        break;
      }
      case "#":
        i = lineEnd(text, i);
        break;
      case "/":
        if (text[i + 1] === "*") {
          const end = text.indexOf("*/", i + 2);
          if (end === -1) return;
          i = end + 2;
        } else i = text[i + 1] === "/" ? lineEnd(text, i) : i + 1;
        break;
      default: {
        if (ch === "}" || ch === "]") open.pop();
        bare.lastIndex = i;
        const word = bare.exec(text)?.[0];
        const end = i + (word?.length ?? 1);
        if (
          atKey &&
          word &&
          /^[A-Za-z_$]/.test(word) &&
          text[skipBlanks(text, end)] === ":"
        )
          keys.add(word, i);
        if (!/\s/.test(ch)) atKey = false;
        i = end;
      }
    }
  }
}

const lineEnd = (text: string, from: number): number => {
  const newline = text.indexOf("\n", from);
  return newline === -1 ? text.length : newline;
};

/** Each line with the offset at which it begins, without its ending. */
function* linesOf(
  text: string,
): Generator<readonly [line: string, start: number]> {
  const ending = text.includes("\n") ? "\n" : "\r";
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf(ending, start);
    const end = newline === -1 ? text.length : newline;
    yield [
      text.slice(start, text[end - 1] === "\r" && end > start ? end - 1 : end),
      start,
    ];
    start = end + 1;
  }
}

/** Without the body of what begins and ends as a key or certificate does, however it is quoted. */
function* withoutPem(
  lines: Iterable<readonly [string, number]>,
): Generator<readonly [line: string, start: number]> {
  let inside = false;
  for (const [line, start] of lines) {
    const begin = inside ? 0 : line.indexOf("-----BEGIN ");
    if (begin === -1) {
      yield [line, start];
      continue;
    }
    const end = /-----END [^-]*-----/.exec(line.slice(begin));
    const before = inside ? "" : line.slice(0, begin);
    inside = !end;
    yield [
      before + (end ? line.slice(begin + end.index + end[0].length) : ""),
      start,
    ];
  }
}

/** A quoted key of a YAML line, up to its colon. */
const YAML_QUOTED_KEY = /^(?:"([^"\\]*)"|'([^']*)')\s*:(?=\s|$)/;
/** How a plain key cannot begin, and what it cannot hold. */
const YAML_NO_KEY = /^(?:[#'"[\]{}&*!|>%@`,?:]|-(?:\s|$))|[#'"]/;

/** The key at the start of a YAML line, and what follows its colon. */
function yamlKey(line: string): { name: string; rest: string } | undefined {
  if (line.startsWith('"') || line.startsWith("'")) {
    const quoted = YAML_QUOTED_KEY.exec(line);
    return quoted
      ? { name: quoted[1] ?? quoted[2]!, rest: line.slice(quoted[0].length) }
      : undefined;
  }
  for (let at = line.indexOf(":"); at !== -1; at = line.indexOf(":", at + 1))
    if (
      at === line.length - 1 ||
      line[at + 1] === " " ||
      line[at + 1] === "\t"
    ) {
      const name = line.slice(0, at).trimEnd();
      return YAML_NO_KEY.test(name)
        ? undefined
        : { name, rest: line.slice(at + 1) };
    }
  return undefined;
}

const YAML_BLOCK = /(?:^|\s)[|>][-+0-9]*\s*(?:#.*)?$/;
/**
 * YAML line by line. A value's further lines are passed over: those of a block, those
 * of a quoted text up to its quote, those of brackets until they close, and those of
 * a plain text while they are indented deeper than its key.
 */
function readYaml(text: string, keys: Keys): void {
  /** Lines indented deeper than this belong to a value; Infinity where none is open. */
  let valueBelow = Infinity;
  let inside: OpenValue | undefined;
  for (const [line, start] of withoutPem(linesOf(text))) {
    if (keys.isFull) return;
    if (inside) {
      inside = goOn(inside, line);
      continue;
    }
    const indent = line.length - line.trimStart().length;
    if (line.trim() === "" || indent > valueBelow) continue;
    if (indent === 0 && /^(?:---|\.\.\.)(?:\s|$)/.test(line)) {
      valueBelow = YAML_BLOCK.test(line.slice(3)) ? -1 : Infinity;
      continue;
    }
    if (valueBelow === -1) continue;
    valueBelow = Infinity;
    let column = indent;
    let rest = line.slice(indent);
    // A tab is no indentation in YAML, so the line's depth is not known.
    if (rest.startsWith("#") || line.slice(0, indent).includes("\t")) continue;
    for (let item = /^[-?]\s+/.exec(rest); item; item = /^[-?]\s+/.exec(rest)) {
      valueBelow = column;
      column += item[0].length;
      rest = rest.slice(item[0].length);
    }
    const key = yamlKey(rest);
    if (key) {
      keys.add(key.name, start);
      rest = key.rest;
      valueBelow = column;
    }
    const value = withoutTags(rest);
    if (value === "" || value.startsWith("#")) valueBelow = Infinity;
    else if (/^["'{[]/.test(value)) {
      inside = goOn({ quote: "", depth: 0 }, value);
      if (!inside) valueBelow = Infinity;
    } else if (!key && valueBelow === Infinity) valueBelow = indent;
  }
}

/** Without the tags and anchors before a value: what follows them may be nested keys. */
const withoutTags = (value: string): string =>
  !/^\s*[&!]/.test(value)
    ? value.trim()
    : value.trim().replace(/^(?:[&!][^\s]*(?:\s+|$))+/, "");

/** A value that goes on in the next line: in which quotes, under how many brackets. */
interface OpenValue {
  readonly quote: string;
  readonly depth: number;
}

/** The state after one more line of a value; undefined where the value has ended. */
function goOn(state: OpenValue, line: string): OpenValue | undefined {
  let { quote, depth } = state;
  for (let i = 0; i < line.length; i++) {
    const ch = line[i]!;
    if (quote) {
      if (ch === "\\" && quote === '"') i++;
      else if (quote === "'" && ch === "'" && line[i + 1] === "'") i++;
      else if (ch === quote) {
        quote = "";
        if (depth === 0) return undefined;
      }
    } else if (ch === '"' || ch === "'") {
      // Inside of a plain word a quote is a letter.
      if (i === 0 || /[\s,:[{]/.test(line[i - 1]!)) quote = ch;
    } else if (ch === "[" || ch === "{") depth++;
    else if (ch === "]" || ch === "}") {
      if (--depth <= 0) return undefined;
    } else if (ch === "#" && (i === 0 || /\s/.test(line[i - 1]!))) break;
  }
  return quote || depth > 0 ? { quote, depth } : undefined;
}

/** TOML: tables and the keys of assignments. Stops at a value that is broken. */
function readToml(text: string, keys: Keys): void {
  const part = String.raw`(?:[\w-]+|"[^"\\\n]*"|'[^'\n]*')`;
  const name = String.raw`(${part}(?:[ \t]*\.[ \t]*${part})*)[ \t]*`;
  const table = new RegExp(String.raw`\[\[?[ \t]*${name}\]\]?`, "y");
  const assignment = new RegExp(`${name}=`, "y");
  const bare = (written: string): string =>
    written.replace(/["']/g, "").replace(/\s*\.\s*/g, ".");
  for (let i = 0; i < text.length && !keys.isFull;) {
    i = skipBlanks(text, i);
    table.lastIndex = assignment.lastIndex = i;
    const header = table.exec(text);
    if (header) {
      keys.add(bare(header[1]!), i);
      i = lineEnd(text, table.lastIndex);
      continue;
    }
    const assigned = assignment.exec(text);
    if (assigned) keys.add(bare(assigned[1]!), i);
    else if (text[i] !== "#" && i < text.length) return;
    i = assigned
      ? afterTomlValue(text, assignment.lastIndex)
      : lineEnd(text, i);
    if (i === -1) return;
  }
}

function afterTomlValue(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length;) {
    const ch = text[i]!;
    if (ch === '"' || ch === "'") {
      const triple = ch.repeat(3);
      if (text.startsWith(triple, i)) {
        let end = text.indexOf(triple, i + 3);
        while (ch === '"' && end !== -1 && isEscaped(text, end))
          end = text.indexOf(triple, end + 1);
        if (end === -1) return -1;
        i = end + 3;
        while (text[i] === ch) i++;
      } else {
        i = afterQuote(text, i, ch === '"');
        if (i === -1) return -1;
      }
    } else if (ch === "#") i = lineEnd(text, i);
    else if (ch === "\n" && depth <= 0) return i;
    else {
      if (ch === "[" || ch === "{") depth++;
      else if (ch === "]" || ch === "}") depth--;
      i++;
    }
  }
  return text.length;
}

/** Whether an odd number of backslashes stands before an offset. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first--;
  return (at - first) % 2 === 1;
}

/**
 * INI, properties and environment files line by line. A name has no blanks in it. A
 * line that is indented deeper than the key above goes on with that key's value, and
 * so does one after a backslash or inside of quotes.
 */
function readIni(text: string, keys: Keys): void {
  let valueBelow = Infinity;
  let joined = false;
  let inside: string | undefined;
  for (const [line, start] of withoutPem(linesOf(text))) {
    if (keys.isFull) return;
    if (inside) {
      if (closes(line, 0, inside)) inside = undefined;
      continue;
    }
    const isContinued = joined;
    joined = isEscaped(line, line.length);
    const indent = line.length - line.trimStart().length;
    if (isContinued || line.trim() === "" || indent > valueBelow) continue;
    const section = /^\s*\[\s*([\w.:-]+)/.exec(line);
    if (section) keys.add(section[1]!, start);
    if (section || /\{\s*$/.test(line)) valueBelow = Infinity;
    if (section) continue;
    const key = /^\s*(?:export\s+)?([A-Za-z_][\w./-]*)\s*[=:](?!=)\s*/.exec(
      line,
    );
    if (!key) continue;
    keys.add(key[1]!, start);
    valueBelow = indent;
    const quote = line[key[0].length];
    if (
      (quote === '"' || quote === "'" || quote === "`") &&
      !closes(line, key[0].length + 1, quote)
    )
      inside = quote;
  }
}

function closes(line: string, from: number, quote: string): boolean {
  for (let i = from; i < line.length; i++)
    if (line[i] === "\\" && quote === '"') i++;
    else if (line[i] === quote) return true;
  return false;
}

/** XML: the names of elements and attributes. Stops where a tag is broken. */
function readXml(text: string, keys: Keys): void {
  const past = (end: string, from: number): number => {
    const at = text.indexOf(end, from);
    return at === -1 ? text.length : at + end.length;
  };
  const name = /[A-Za-z_][\w:.-]*/y;
  const attribute = /\s+([A-Za-z_:][\w:.-]*)\s*=\s*(?:"[^"<]*"|'[^'<]*')/y;
  for (
    let i = text.indexOf("<");
    i !== -1 && i < text.length && !keys.isFull;
    i = text.indexOf("<", i)
  ) {
    if (text.startsWith("<!--", i)) i = past("-->", i);
    else if (text.startsWith("<![CDATA[", i)) i = past("]]>", i);
    else if (text.startsWith("<?", i)) i = past("?>", i);
    else if (text[i + 1] === "!" || text[i + 1] === "/") i = past(">", i);
    else {
      name.lastIndex = i + 1;
      const element = name.exec(text)?.[0];
      if (element === undefined) return;
      const attributes: [string, number][] = [];
      let at = name.lastIndex;
      for (;;) {
        attribute.lastIndex = at;
        const found = attribute.exec(text);
        if (!found) break;
        attributes.push([found[1]!, at]);
        at = attribute.lastIndex;
      }
      const end = /\s*\/?>/y;
      end.lastIndex = at;
      if (!end.test(text)) return;
      keys.add(element, i);
      for (const [key, offset] of attributes) keys.add(key, offset);
      i = end.lastIndex;
    }
  }
}
