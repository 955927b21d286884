/**
 * `pnpm demo [FOLDER] ["QUESTION"]`: indexes a folder (this repository by default)
 * and prints the answer to a question, with the commands that a user would type.
 *
 * Without a question, another folder is asked about the definition that most of its
 * files mention, and this repository what stands in package.json: values there are not
 * indexed, so that the question does not find itself.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SymbolKind } from "../src/model/extraction.ts";
import { nameParts } from "../src/model/terms.ts";
import { currentIndex, DATA_FOLDER } from "../src/store/place.ts";
import { SqliteReader } from "../src/store/sqlite.ts";

const CLI = resolve("dist/codegraph.js");
const HERE = realpathSync(".");

const args = process.argv.slice(2);
// pnpm runs this in the repository; a relative folder is relative to the caller's.
const from = process.env.INIT_CWD ?? process.cwd();
// A single argument that is no folder, and no path either, is a question.
const named =
  args.length === 1 && !isFolder(args[0]!) && !/^[\w./\\~:-]+$/.test(args[0]!)
    ? [".", args[0]!]
    : args;
if (named.length > 2)
  fail('Too many arguments: pnpm demo [FOLDER] ["QUESTION"]');
const asked = named[0] ?? HERE;
const folder = named === args ? resolve(from, asked) : HERE;
if (!existsSync(folder) || !statSync(folder).isDirectory())
  fail(`There is no folder ${folder}. Call: pnpm demo [FOLDER] ["QUESTION"]`);
const root = realpathSync(folder);
const own = root === HERE;
const had = existsSync(join(root, DATA_FOLDER));

codegraph("init", root);
const question = named[1] ?? (own ? ownQuestion() : questionAbout(root));
if (question === undefined)
  fail(
    `Nothing in ${root} has a definition to ask about. Ask by its words: pnpm demo ${root} "QUESTION"`,
  );
codegraph("explore", question, "--path", root);

// The caller's own Node may be too old for the product; the one that pnpm installed is not.
const cli = "node_modules/.bin/node dist/codegraph.js";
const inside = own ? "" : ` --path ${shell(root)}`;
console.log(
  [
    "---",
    `The index is in ${join(root, DATA_FOLDER)}, which git ignores${had ? "" : "; the demo made it"}.`,
    `Ask more:   ${cli} explore "YOUR QUESTION"${inside}`,
    `Remove it:  ${cli} uninit ${shell(root)}`,
  ].join("\n"),
);

/** Runs the built command as a user would; what fails there ends the demo. */
function codegraph(...command: string[]): void {
  console.log(`$ codegraph ${command.map(shell).join(" ")}\n`);
  const { status, error } = spawnSync(process.execPath, [CLI, ...command], {
    stdio: "inherit",
    // Removing the index removes all that the demo made.
    env: { ...process.env, CODEGRAPH_EXTRACTION_CACHE: "0" },
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
  console.log("");
}

function ownQuestion(): string {
  return (
    JSON.parse(readFileSync("package.json", "utf8")) as {
      config: { demoQuestion: string };
    }
  ).config.demoQuestion;
}

/**
 * A question about the type that most files of the project mention, or the function
 * where it has no types. A name of one word would be asked for as a word.
 */
function questionAbout(project: string): string | undefined {
  const database = currentIndex(project);
  if (database === undefined) return undefined;
  const index = new SqliteReader(database);
  const product = index
    .files()
    .filter((f) => f.role === "product" && !f.generated);
  const defined = new Map<string, SymbolKind | "several">();
  for (const file of product)
    for (const { name, kind } of index.symbolsOf(file.id))
      if (nameParts(name).length > 1)
        defined.set(name, defined.has(name) ? "several" : kind);
  const mentions = new Map<string, number>();
  for (const file of product) {
    const names = new Set(index.referencesOf(file.id).map((r) => r.name));
    for (const name of names) mentions.set(name, (mentions.get(name) ?? 0) + 1);
  }
  index.close();
  const mostMentioned = (...kinds: readonly SymbolKind[]) =>
    [...mentions]
      .filter(([name]) => kinds.some((kind) => kind === defined.get(name)))
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0];
  const name =
    mostMentioned("class", "struct", "interface", "trait") ??
    mostMentioned("function", "method");
  return name && `how does ${name} work, and where is it used?`;
}

function isFolder(path: string): boolean {
  return (
    statSync(resolve(from, path), { throwIfNoEntry: false })?.isDirectory() ===
    true
  );
}

function shell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
