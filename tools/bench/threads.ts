/**
 * Asks an indexed project in this thread, through the pool one by one, and through
 * the pool by many callers at once, and prints how long each took.
 *
 * Arguments: FOLDER [CALLERS [MEMORY-CALLS]]
 */
import { availableParallelism } from "node:os";
import { WorkerPool } from "../../src/serve/pool.ts";
import { InThread, VIEW, type Asked } from "../../src/serve/runner.ts";
import { currentIndex } from "../../src/store/place.ts";
import { SqliteReader } from "../../src/store/sqlite.ts";
import { questions } from "./queries.ts";

const [root, callers = "20", memoryCalls = "0"] = process.argv.slice(2);
const database = currentIndex(root!);
if (database === undefined) throw new Error(`${root} is not indexed`);
const index = new SqliteReader(database);
const queries = questions(index, 100);
index.close();
let calls = 0;
/** A client's name changes no answer; one that is new has no answer kept. */
const ask = (query: string, client = `new ${++calls}`): Asked => ({
  query,
  maxFiles: undefined,
  maxChars: undefined,
  dedup: undefined,
  client,
  identified: false,
  project: undefined,
  notes: [],
  [VIEW]: undefined,
});
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
const figures = (milliseconds: readonly number[]) => {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return `p50 ${at(sorted, 0.5).toFixed(1)} ms, p95 ${at(sorted, 0.95).toFixed(1)} ms`;
};
async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`${queries.length} questions, ${availableParallelism()} cores`);
const here = new InThread();
const pool = new WorkerPool();
// Twice, so that every table is read and the code is compiled.
for (let round = 0; round < 2; round++)
  await Promise.all([
    ...queries.map((q) => here.run(root!, ask(q))),
    ...queries.map((q) => pool.run(root!, ask(q))),
  ]);
const inThread: number[] = [];
const single: number[] = [];
for (const query of queries) {
  inThread.push(await timed(() => here.run(root!, ask(query))));
  single.push(await timed(() => pool.run(root!, ask(query))));
}
say(`in this thread      ${figures(inThread)}`);
say(`pool, one by one    ${figures(single)}`);
const median = at(
  single.toSorted((a, b) => a - b),
  0.5,
);

/** Each caller asks its questions one after the other. */
async function atOnce(
  what: string,
  each: number,
  askOf: (caller: number, i: number) => Asked,
): Promise<void> {
  const many: number[] = [];
  const cpu = process.cpuUsage();
  const total = await timed(() =>
    Promise.all(
      Array.from({ length: Number(callers) }, async (_, caller) => {
        for (let i = 0; i < each; i++)
          many.push(await timed(() => pool.run(root!, askOf(caller, i))));
      }),
    ),
  );
  const used = process.cpuUsage(cpu);
  const p95 = at(
    many.toSorted((a, b) => a - b),
    0.95,
  );
  say(
    `${callers} callers, ${what}: ${figures(many)}, ${many.length} calls in ${total.toFixed(0)} ms, CPU ${((used.user + used.system) / 1000 / many.length).toFixed(1)} ms a call on ${((used.user + used.system) / 1000 / total).toFixed(2)} cores; p95 is ${(p95 / median).toFixed(1)} times the median of one`,
  );
}
const question = (n: number): string => queries[n % queries.length]!;
await atOnce("one question each", 1, (caller) => ask(question(caller * 4)));
await atOnce("ten of their own each", 10, (caller, i) =>
  ask(question(caller * 7 + i * 3)),
);
await atOnce("the same ten", 10, (_, i) => ask(question(i * 5), "same"));
const mb = () => (process.memoryUsage().rss / 1e6).toFixed(0);
for (let n = 0; n < Number(memoryCalls); n++) {
  await Promise.all(
    [1, 2].map((k) =>
      pool.run(root!, ask(queries[(n + k * 31) % queries.length]!)),
    ),
  );
  if (n % Math.ceil(Number(memoryCalls) / 10) === 0)
    say(`${n * 2} calls: ${mb()} MB`);
}
if (memoryCalls !== "0") say(`${Number(memoryCalls) * 2} calls: ${mb()} MB`);
await here.close();
await pool.close();
