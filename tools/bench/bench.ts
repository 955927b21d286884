/**
 * `pnpm bench [FOLDER…]`: what indexing and asking cost, as a user meets it.
 *
 *   --runs N            measure N times and give medians (5)
 *   --queries FILE      ask these, one a line, instead of names from the index
 *   --json              print everything measured as one JSON value
 *   --peer CMD          an index command of another tool, measured in turn with ours
 *   --peer-prepare CMD  run before each of those, unmeasured: takes the last index away
 *   --peer-explore CMD  a command of it that answers one question
 *
 * In those commands {folder}, {name} and {query} are replaced, quoted for the shell,
 * by the folder, its last part and a question.
 *
 * The index is written into FOLDER/.codegraph and removed at the end, unless the
 * folder had one before. Files come from the system's cache: nothing is read from a
 * disk that was not read just before.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { build } from "esbuild";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { currentIndex, DATA_FOLDER } from "../../src/store/place.ts";
import { median, quantile, seconds, usage, type Usage } from "./measure.ts";

/** So many of the questions are asked of a new process each. */
const COLD_QUESTIONS = 3;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "5" },
    queries: { type: "string" },
    json: { type: "boolean", default: false },
    peer: { type: "string" },
    "peer-prepare": { type: "string" },
    "peer-explore": { type: "string" },
  },
});
// Indexing is measured as on a machine that has seen none of the files.
process.env.CODEGRAPH_EXTRACTION_CACHE = "0";
const runs = Math.max(1, Number.parseInt(options.runs, 10) || 1);
const from = process.env.INIT_CWD ?? process.cwd();

interface Figures {
  readonly folder: string;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly runs: number;
  /** What `codegraph index --json` says. */
  readonly indexed: Readonly<Record<string, unknown>>;
  readonly index: readonly Usage[];
  readonly databaseBytes: number;
  readonly warm: readonly Warm[];
  readonly questions: readonly string[];
  /** Seconds. */
  readonly cold: readonly number[];
  readonly empty: readonly number[];
  readonly peerIndex: readonly Usage[];
  readonly peerCold: readonly number[];
}
interface Warm {
  readonly questions: readonly string[];
  readonly milliseconds: readonly number[];
  readonly meanChars: number;
}

const scratch = mkdtempSync(join(tmpdir(), "codegraph-bench-"));
// What is measured stays as it is, whoever builds or edits meanwhile.
const CLI = join(scratch, "dist", "codegraph.js");
const WARM = join(scratch, "warm.mjs");
cpSync("dist", join(scratch, "dist"), { recursive: true });
await build({
  entryPoints: ["tools/bench/warm.ts"],
  outfile: WARM,
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "warning",
});
const empty = join(scratch, "empty.mjs");
writeFileSync(empty, "");
const figures: Figures[] = [];
try {
  const named = positionals.length > 0 ? positionals : ["."];
  for (const folder of named.map((f) => realpathSync(resolve(from, f)))) {
    figures.push(await measured(folder));
    if (!options.json) console.log(table(figures.at(-1)!));
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (options.json && process.exitCode === undefined)
  console.log(JSON.stringify(figures, null, 2));

async function measured(folder: string): Promise<Figures> {
  const had = existsSync(join(folder, DATA_FOLDER));
  const node = process.execPath;
  const remove = () => execFileSync(node, [CLI, "uninit", folder]);
  const stop = () => {
    if (!had) remove();
    process.exit(130);
  };
  process.once("SIGINT", stop);
  try {
    const load = loadavg()[0]!;
    const filled = (command: string, query = "") =>
      command.replaceAll(
        /\{(folder|name|query)\}/g,
        (_, what: "folder" | "name" | "query") =>
          quoted({ folder, name: basename(folder), query }[what]),
      );
    const ours: Usage[] = [];
    const peers: Usage[] = [];
    for (let i = 0; i < runs; i++) {
      ours.push(await usage([node, CLI, "index", folder, "--quiet"]));
      if (options.peer === undefined) continue;
      const prepare = options["peer-prepare"];
      if (prepare !== undefined) await seconds(filled(prepare));
      peers.push(await usage(filled(options.peer)));
    }
    const warm = Array.from({ length: runs }, () => askWarm(folder));
    const { questions } = warm[0]!;
    const cold: number[] = [];
    const bare: number[] = [];
    const peerCold: number[] = [];
    for (let i = 0; i < runs; i++)
      for (const query of questions.slice(0, COLD_QUESTIONS)) {
        bare.push(await seconds([node, empty]));
        cold.push(await seconds([node, CLI, "explore", query, "-p", folder]));
        const ask = options["peer-explore"];
        if (ask !== undefined) peerCold.push(await seconds(filled(ask, query)));
      }
    return {
      folder,
      machine: {
        node: process.version,
        cores: availableParallelism(),
        loadBefore: load,
        loadAfter: loadavg()[0]!,
      },
      runs,
      indexed: JSON.parse(
        execFileSync(node, [CLI, "status", folder, "--json"], {
          encoding: "utf8",
          maxBuffer: 1 << 30,
        }),
      ) as Record<string, unknown>,
      index: ours,
      databaseBytes: statSync(currentIndex(folder)!).size,
      warm,
      questions,
      cold,
      empty: bare,
      peerIndex: peers,
      peerCold,
    };
  } finally {
    process.off("SIGINT", stop);
    if (!had) remove();
  }
}

function askWarm(folder: string): Warm {
  const file = options.queries;
  return JSON.parse(
    execFileSync(
      process.execPath,
      [WARM, folder, ...(file === undefined ? [] : [resolve(from, file)])],
      {
        encoding: "utf8",
        maxBuffer: 1 << 30,
        stdio: ["ignore", "pipe", "inherit"],
      },
    ),
  ) as Warm;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function table(f: Figures): string {
  const { machine } = f;
  const of = (list: readonly Usage[], what: keyof Usage) =>
    list.length === 0 ? undefined : median(list.map((u) => u[what]));
  const peerCold = f.peerCold.length === 0 ? undefined : median(f.peerCold);
  const latency = (share: number) =>
    median(f.warm.map((w) => quantile(w.milliseconds, share)));
  const hasPeer = f.peerIndex.length + f.peerCold.length > 0;
  const rows: (readonly [
    string,
    number,
    number | undefined,
    (n: number) => string,
  ])[] = [
    ["index, wall", of(f.index, "wall")!, of(f.peerIndex, "wall"), inSeconds],
    ["index, CPU", of(f.index, "cpu")!, of(f.peerIndex, "cpu"), inSeconds],
    [
      "index, peak memory",
      of(f.index, "memory")!,
      of(f.peerIndex, "memory"),
      inMB,
    ],
    ["database", f.databaseBytes, undefined, inMB],
    ["explore, warm, p50", latency(0.5), undefined, inMs],
    ["explore, warm, p95", latency(0.95), undefined, inMs],
    [
      "explore, new process",
      median(f.cold) * 1000,
      peerCold && peerCold * 1000,
      inMs,
    ],
    ["an empty script", median(f.empty) * 1000, undefined, inMs],
  ];
  const cells = [
    ["", "codegraph", ...(hasPeer ? ["peer", "ratio"] : [])],
    ...rows.map(([what, ours, peer, print]) => [
      what,
      print(ours),
      ...(hasPeer
        ? peer === undefined
          ? ["", ""]
          : [print(peer), (ours / peer).toFixed(3)]
        : []),
    ]),
  ];
  const widths = cells[0]!.map((_, i) =>
    Math.max(...cells.map((r) => r[i]!.length)),
  );
  const count = (key: string) => Number(f.indexed[key]).toLocaleString("en-US");
  return [
    "",
    `${f.folder}: ${count("files")} files, ${count("symbols")} symbols, ${count("references")} references`,
    `Node ${machine.node}, ${machine.cores} cores, load ${Number(machine.loadBefore).toFixed(1)} before and ${Number(machine.loadAfter).toFixed(1)} after; medians of ${f.runs} runs, ${f.questions.length} questions`,
    "",
    ...cells.map((row) =>
      row
        .map((cell, i) =>
          i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]! + 2),
        )
        .join("")
        .trimEnd(),
    ),
  ].join("\n");
}

function inSeconds(n: number): string {
  return `${n.toFixed(2)} s`;
}
function inMs(n: number): string {
  return `${n.toFixed(n < 100 ? 1 : 0)} ms`;
}
function inMB(n: number): string {
  return `${(n / 1e6).toFixed(1)} MB`;
}
