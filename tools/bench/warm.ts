/**
 * Asks an indexed project many questions in one process and prints, as JSON, how
 * long each took. The bench bundles it as the product is bundled.
 *
 * Arguments: FOLDER [QUESTIONS-FILE]
 */
import { explore } from "../../src/serve/explore.ts";
import { currentIndex } from "../../src/store/place.ts";
import { SqliteReader } from "../../src/store/sqlite.ts";
import { questions, questionsIn } from "./queries.ts";

const MOST_QUESTIONS = 100;
const [root, file] = process.argv.slice(2);
const database = currentIndex(root!);
if (database === undefined) throw new Error(`${root} is not indexed`);
const index = new SqliteReader(database);
const asked =
  file === undefined ? questions(index, MOST_QUESTIONS) : questionsIn(file);
if (asked.length === 0) throw new Error(`no question to ask about ${root}`);
// The first answer loads tables that a server keeps.
explore(root!, index, { query: asked[0]! });
const milliseconds: number[] = [];
let chars = 0;
for (const query of asked) {
  const start = performance.now();
  chars += explore(root!, index, { query }).text.length;
  milliseconds.push(performance.now() - start);
}
process.stdout.write(
  JSON.stringify({
    questions: asked,
    milliseconds,
    meanChars: Math.round(chars / asked.length),
  }),
);
index.close();
