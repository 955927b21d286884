/**
 * What `.gitattributes` files say about a path, in the attributes that code hosts
 * read for statistics: generated, vendored, documentation.
 *
 * Units: paths relative to the root, with `/`.
 */
import { readPattern, word, type Pattern } from "./ignore.ts";
import { textInside } from "./read.ts";

export interface Attributes {
  /** True or false where a file says so. */
  readonly generated?: boolean;
  readonly vendored?: boolean;
  readonly documentation?: boolean;
}

export type AttributesOf = (path: string) => Attributes;

interface Line {
  readonly pattern: Pattern;
  readonly set: Attributes;
}

const NAME = /^([-!]?)linguist-(generated|vendored|documentation)(?:=(.*))?$/;
const NOTHING: Attributes = {};

/** The lines of one file that say anything of interest. */
function readLines(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split("\n")) {
    const [source, ...words] = line.trim().split(/\s+/);
    if (
      !source ||
      source.startsWith("#") ||
      source.startsWith("!") ||
      source.startsWith("[attr]")
    )
      continue;
    const set: { -readonly [K in keyof Attributes]: Attributes[K] } = {};
    for (const said of words) {
      const [, sign, name, value] = NAME.exec(said) ?? [];
      if (name && sign !== "!")
        set[name as keyof Attributes] = sign !== "-" && value !== "false";
    }
    const pattern = readPattern(source);
    // A pattern for folders alone says nothing about the files below.
    if (pattern && !pattern.foldersOnly && Object.keys(set).length > 0)
      lines.push({ pattern, set });
  }
  return lines;
}

/**
 * The attributes of every path, from the texts of the attribute files by their
 * folder (`""` for the root). A deeper file outranks a shallower one, a later line
 * an earlier one. @spec file-generated
 */
export function attributes(texts: ReadonlyMap<string, string>): AttributesOf {
  const files = Array.from(texts, ([folder, text]) => ({
    prefix: folder === "" ? "" : `${folder}/`,
    lines: readLines(text),
  }))
    .filter(({ lines }) => lines.length > 0)
    .sort((a, b) => a.prefix.length - b.prefix.length);
  if (files.length === 0) return () => NOTHING;
  return (path) => {
    let result = NOTHING;
    for (const { prefix, lines } of files)
      if (path.startsWith(prefix))
        for (const { pattern, set } of lines)
          if (word([pattern], path.slice(prefix.length), false))
            result = { ...result, ...set };
    return result;
  };
}

/** The same, read from the files of a scan. */
export function attributesIn(
  root: string,
  files: readonly { readonly path: string }[],
): AttributesOf {
  const texts = new Map<string, string>();
  for (const { path } of files)
    if (path === ".gitattributes" || path.endsWith("/.gitattributes"))
      texts.set(
        path.slice(0, Math.max(0, path.lastIndexOf("/"))),
        textInside(root, path) ?? "",
      );
  return attributes(texts);
}
