/** The licences of what is shipped: bundled packages and copied grammars. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * One text: a heading a package, and its licence files under it.
 * Throws: Error that names a package without a licence.
 */
export function licences(folders: readonly string[]): string {
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Readonly<Record<string, string>>;
    const files = readdirSync(folder).filter((file) =>
      /^(licen[cs]e|copying|notice)/i.test(file),
    );
    if (license === undefined && files.length === 0)
      throw new Error(`${name} has no licence; it cannot be shipped`);
    const text = files
      .sort()
      .map((file) => readFileSync(join(folder, file), "utf8").trim());
    texts.set(
      `${name} ${version}`,
      [`Licence: ${license ?? "as below"}`, ...text].join("\n\n"),
    );
  }
  return [...texts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${name}\n${"-".repeat(name.length)}\n\n${text}\n`)
    .join("\n\n");
}
