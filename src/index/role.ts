/**
 * What part of a repository a file plays, guessed from its path and, where that is
 * no proof, from its text.
 *
 * Errs: toward product, which ranks a file where it is seen.
 */
import type { Role } from "../model/file.ts";
import { lists } from "../spec.gen.ts";
import type { Attributes } from "./attributes.ts";
import { readPatterns, word, type Patterns } from "./ignore.ts";

const TEST_FILES: Patterns = readPatterns(lists.TEST_FILES.join("\n"));
const DOC_FILES: Patterns = readPatterns(lists.DOC_FILES.join("\n"), true);

/** A definition that a test runner finds by its name. */
const TEST_DEFINITION =
  /\b(?:def|func|fun|fn|function|void)\s+(?:test_?\w|Test[A-Z_]|it_)/;

/** @spec file-role */
export function roleOf(
  path: string,
  text = "",
  attributes: Attributes = {},
): Role {
  const way = `/${path.slice(0, path.lastIndexOf("/") + 1)}`;
  if (attributes.vendored ?? liesIn(way, lists.VENDORED_FOLDERS))
    return "vendored";
  if (word(TEST_FILES, path, false) || liesIn(way, lists.TEST_FOLDERS))
    return "test";
  if (attributes.documentation ?? word(DOC_FILES, path, false, true) === "out")
    return "docs";
  if (liesIn(way, lists.MAYBE_TEST_FOLDERS) && looksLikeTest(text))
    return "test";
  if (liesIn(way, lists.DOC_FOLDERS)) return "docs";
  return isExample(way) ? "example" : "product";
}

/** Whether a way (`/a/b/`) leads through one of the folders; see the lists for their notation. */
function liesIn(way: string, folders: readonly string[]): boolean {
  for (const folder of folders)
    if (folder.startsWith("/")) {
      if (way.startsWith(`${folder}/`)) return true;
    } else if (
      way.includes(
        folder.startsWith("*") ? `${folder.slice(1)}/` : `/${folder}/`,
      )
    )
      return true;
  return false;
}

function isExample(way: string): boolean {
  for (const name of way.split("/"))
    if (lists.EXAMPLE_FOLDERS.includes(name)) return true;
    else if (lists.SOURCE_FOLDERS.includes(name)) return false;
  return false;
}

function looksLikeTest(text: string): boolean {
  return (
    TEST_DEFINITION.test(text) ||
    lists.TEST_SIGNS.some((sign) => saysSo(text, sign))
  );
}

/** A sign counts where it does not go on to the left as part of a longer name: `it(` is not `await(`. */
function saysSo(text: string, sign: string): boolean {
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1))
    if (at === 0 || !/[\w$.]/.test(text[at - 1]!) || !/\w/.test(sign[0]!))
      return true;
  return false;
}
