/**
 * Damages the index under a running daemon in random ways, edits files and asks, and
 * demands that every answer is right: no error, no line that its file has not.
 *
 *   node tools/soak/damage.ts [ROUNDS] [SEED]
 */
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { daemons, endDaemon } from "../../src/serve/daemon/registry.ts";
import { currentIndex } from "../../src/store/place.ts";
import { codegraph } from "../../test/binary.ts";
import { connect } from "../../test/client.ts";

const [rounds = 100, seed = 1] = process.argv.slice(2).map(Number);
let state = seed;
/** Below `most`; the same row of numbers for a seed. */
const random = (most: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
};

const base = realpathSync(mkdtempSync(join(tmpdir(), "codegraph-soak-")));
const root = join(base, "p");
const cache = join(base, "cache");
for (const folder of [root, cache]) mkdirSync(folder, { mode: 0o700 });
const write = (i: number, name: string): void =>
  writeFileSync(
    join(root, `f${i}.py`),
    `def ${name}(x):\n    return part_${(i + 1) % FILES}(x)\n\n\ndef part_${i}(x):\n    return ${name}(x)\n`,
  );
const FILES = 40;
for (let i = 0; i < FILES; i++) write(i, `first_${i}`);

function hurt(file: string): string {
  const { size } = statSync(file);
  const kind = random(8);
  if (kind === 0) truncateSync(file, random(size));
  else if (kind === 1)
    writeFileSync(`${file}-wal`, Buffer.alloc(random(99_999), random(256)));
  else {
    const target = kind === 2 ? `${file}-wal` : file;
    const long = statSync(target, { throwIfNoEntry: false })?.size ?? 0;
    const fd = openSync(target, long > 0 ? "r+" : "a");
    for (let n = 1 + random(30); n > 0; n--) {
      const bytes = Buffer.alloc(1 + random(kind < 5 ? 900 : 6), random(256));
      writeSync(fd, bytes, 0, bytes.length, random(Math.max(1, long)));
    }
    closeSync(fd);
  }
  return `kind ${kind}`;
}

codegraph(["index", "-q"], { cwd: root });
const one = await connect({
  cwd: root,
  home: base,
  daemon: cache,
  env: { CODEGRAPH_EXPLORE_DEDUP: "0" },
});
let wrong = 0;
let rebuilt = 0;
for (let round = 0; round < rounds; round++) {
  const i = random(FILES);
  // What a daemon has read already hides damage from it.
  if (round % 3 === 0)
    for (const { pid } of await daemons(join(cache, "run")))
      process.kill(pid, "SIGKILL");
  const before = currentIndex(root)!;
  const what = hurt(before);
  const name = `round_${round}`;
  if (random(3) > 0) write(i, name);
  for (const query of [`part_${i}`, `part_${random(FILES)} calls`, name]) {
    const { text, isError } = await one
      .explore({ query })
      .catch((error: Error) => ({ text: error.message, isError: true }));
    const bad = [...text.split(/^(?=\*\*`)/m).slice(1)].filter((part) => {
      const path = /^\*\*`([^`]+)`/.exec(part)![1]!;
      const lines = readFileSync(join(root, path), "utf8").split("\n");
      return [...part.matchAll(/^(\d+)\t(.*)$/gm)].some(
        ([, n, line]) => lines[Number(n) - 1] !== line,
      );
    });
    const missed =
      query === `part_${i}` && !text.includes(`\tdef part_${i}(x):`);
    if (!isError && bad.length === 0 && !missed) continue;
    wrong++;
    console.log(`round ${round}, ${what}, ${query}: ${text.slice(0, 300)}`);
  }
  if (currentIndex(root) !== before) rebuilt++;
}
console.log(
  `${rounds} rounds: ${wrong} wrong answers, built anew ${rebuilt} times; ${one.stderr() || "nothing logged"}`,
);
await one.client.close();
for (const found of await daemons(join(cache, "run"))) await endDaemon(found);
rmSync(base, { recursive: true, force: true });
process.exitCode = wrong === 0 ? 0 : 1;
