/**
 * Words of source and of questions, as the full-text index knows them: whole
 * identifiers in lower case, and the stems of the parts that camel case,
 * underscores and digits mark in them.
 */
import { stemmer } from "stemmer";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

const IDENTIFIER = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*|\p{N}[\p{L}\p{M}\p{N}_]*/gu;
const ASCII_IDENTIFIER = /[A-Za-z_$0-9][\w$]*/g;
const PARTS =
  /\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{Lt}\p{Lm}\p{M}]+|[\p{Lo}\p{M}]+|\p{N}+/gu;
// eslint-disable-next-line no-control-regex
const NOT_ASCII = /[^\x00-\x7f]/;
/** Letters of scripts that put no space between words. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

export const isAscii = (text: string): boolean => !NOT_ASCII.test(text);

/** The identifiers and numbers of a text, in order: as written, but with accents composed. */
export function identifiers(text: string): string[] {
  return (
    (isAscii(text)
      ? text.match(ASCII_IDENTIFIER)
      : text.normalize("NFC").match(IDENTIFIER)) ?? []
  );
}

/**
 * The parts of an identifier in lower case: `getHTTPResponse_v2` → get, http,
 * response, v, 2. A name of one part gives that part alone.
 * @spec terms-identifier-parts terms-without-spaces
 */
export function nameParts(identifier: string): string[] {
  if (isAscii(identifier)) {
    const lower = identifier.toLowerCase();
    const parts: string[] = [];
    eachAsciiPart(identifier, (first, end) =>
      parts.push(lower.slice(first, end)),
    );
    return parts;
  }
  return (identifier.normalize("NFC").match(PARTS) ?? [])
    .map((part) => part.toLowerCase())
    .flatMap((part) => (UNSPACED.test(part) ? pairs(part) : [part]));
}

/**
 * What `PARTS` finds in an identifier that is all ASCII, by its offsets: each word of a
 * repository passes here.
 */
export function eachAsciiPart(
  identifier: string,
  visit: (first: number, end: number) => void,
): void {
  const { length } = identifier;
  for (let at = 0; at < length;) {
    const kind = kindOf(identifier.charCodeAt(at));
    let end = runEnd(identifier, at, kind);
    if (kind === CAPITAL && kindOf(identifier.charCodeAt(end)) === SMALL)
      // The last capital before a small letter begins the next part.
      end = end === at + 1 ? runEnd(identifier, end, SMALL) : end - 1;
    if (kind !== SIGN) visit(at, end);
    at = end;
  }
}

function runEnd(text: string, from: number, kind: number): number {
  let end = from + 1;
  while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end++;
  return end;
}

const [SMALL, CAPITAL, DIGIT, SIGN] = [0, 1, 2, 3] as const;

const kindOf = (code: number): number =>
  code >= 0x61 && code <= 0x7a
    ? SMALL
    : code >= 0x41 && code <= 0x5a
      ? CAPITAL
      : code >= 0x30 && code <= 0x39
        ? DIGIT
        : SIGN;

/** Each character with the next one. */
function pairs(run: string): string[] {
  const characters = Array.from(run);
  return characters.length < 2
    ? characters
    : characters.slice(1).map((next, i) => `${characters[i]}${next}`);
}

/**
 * The terms under which an identifier is indexed: itself in lower case where it
 * has several parts, and the stem of each part. Empty for text that no question
 * asks for (longer than `MAX_TERM_CHARS`).
 * @spec terms-identifier-parts
 */
export function termsOf(
  identifier: string,
  limits: Pick<Limits, "MAX_TERM_CHARS"> = fromSpec,
): string[] {
  if (identifier.length > limits.MAX_TERM_CHARS) return [];
  const parts = nameParts(identifier);
  if (parts.length === 0) return [];
  const stems = parts.map(stem);
  return parts.length === 1
    ? stems
    : [identifier.normalize("NFC").toLowerCase(), ...new Set(stems)];
}

/** The stem that inflections of an English word share: `indexes`, `indexed` → index. */
export function stem(word: string): string {
  return stemmer(word);
}
