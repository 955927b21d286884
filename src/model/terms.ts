/**
 * Words of source and of questions, as the full-text index knows them: whole
 * identifiers in lower case, and the stems of the parts that camel case,
 * underscores and digits mark in them.
 */
import { stemmer } from "stemmer";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*|\p{N}[\p{L}\p{N}_]*/gu;
const ASCII_IDENTIFIER = /[A-Za-z_$0-9][\w$]*/g;
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}]+|\p{N}+/gu;
// eslint-disable-next-line no-control-regex
const NOT_ASCII = /[^\x00-\x7f]/;

/** The identifiers and numbers of a text, as written, in order. */
export function identifiers(text: string): string[] {
  return text.match(NOT_ASCII.test(text) ? IDENTIFIER : ASCII_IDENTIFIER) ?? [];
}

/**
 * The parts of an identifier in lower case: `getHTTPResponse_v2` → get, http,
 * response, v, 2. A name of one part gives that part alone.
 * @spec terms-identifier-parts
 */
export function nameParts(identifier: string): string[] {
  return (identifier.match(PARTS) ?? []).map((part) => part.toLowerCase());
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
    : [identifier.toLowerCase(), ...new Set(stems)];
}

/** The stem that inflections of an English word share: `indexes`, `indexed` → index. */
export function stem(word: string): string {
  return stemmer(word);
}
