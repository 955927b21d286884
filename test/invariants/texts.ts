/** The repository's text files, and what none of them may hold. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import type { TextBreach } from "./invariant.ts";

/** Tracked and new files that git does not ignore, without binary ones. */
export function textFiles(): string[] {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", list, { encoding: "utf8" })
    .split("\0")
    .filter(
      (path) => path !== "" && existsSync(path) && statSync(path).isFile(),
    )
    .filter((path) => !readFileSync(path).subarray(0, 8000).includes(0));
}

/** Written so that no pattern matches itself. */
const FORBIDDEN: readonly (readonly [pattern: RegExp, say: string])[] = [
  [
    /(?<![\w.~*-])\/(work|root)\//,
    "a path of the machine this was written on; make it relative",
  ],
  [
    /\bregistry\.[a-z0-9-]+\.[a-z]{2,}|\bnpmjs\.(com|org)\b|\bpypi\.org\b|\bpythonhosted\.org\b|\bcrates\.io\b|\bproxy\.golang\.org\b|\brubygems\.org\b|\bpackagist\.org\b|\b(npm|pypi|maven)\.pkg\.github\.com\b|\brepo1?\.maven\.[a-z]+\b/,
    "the host of a package registry; name the package instead",
  ],
];

export function machineWords(text: string): TextBreach[] {
  return text.split("\n").flatMap((line, i) =>
    FORBIDDEN.filter(([pattern]) => pattern.test(line)).map(([, say]) => ({
      line: i + 1,
      say,
    })),
  );
}
