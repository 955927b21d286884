/**
 * Words of source and of questions, as the full-text index knows them: whole
 * identifiers in lower case, and the parts that camel case, underscores and
 * digits mark in them.
 */

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*|\p{N}[\p{L}\p{N}_]*/gu;
const PARTS =
  /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}]+|\p{N}+/gu;

/** The identifiers and numbers of a text, as written, in order. */
export function identifiers(text: string): string[] {
  return text.match(IDENTIFIER) ?? [];
}

/**
 * The parts of an identifier in lower case: `getHTTPResponse_v2` → get, http,
 * response, v, 2. A name of one part gives that part alone.
 */
export function nameParts(identifier: string): string[] {
  return (identifier.match(PARTS) ?? []).map((part) => part.toLowerCase());
}
