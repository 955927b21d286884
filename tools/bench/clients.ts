/**
 * `pnpm bench:clients FOLDER`: how a daemon bears many clients that ask at once.
 *
 *   --clients N   clients, each with a proxy process of its own (20)
 *   --calls M     questions that each of them asks, one after the other (50)
 *   --pool K      different questions, of which each client asks M in an order of its own (M)
 *   --pause MS    how long a client waits between two calls, on average (0)
 *   --drivers D   processes that the clients share (4)
 *   --dist DIR    another build than this one, to compare with
 *   --json        print what was measured as one JSON value
 *
 * The folder has to be indexed. A daemon of its own is started, in a home of its own,
 * and is warm before it is measured: it has been asked as many other questions.
 * First one client asks alone, then all do, then one more that asks what they asked.
 *
 * Each answer is held against the files, and each pointer against what its client
 * was sent before. That is done when the last answer is there, so that it costs the
 * daemon nothing. Drivers say how busy they were: one that is busy all the time, or
 * whose clock goes late, measures itself.
 */
import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { decode } from "../../src/index/decode.ts";
import { splitLines } from "../../src/model/lines.ts";
import { currentIndex } from "../../src/store/place.ts";
import { SqliteReader } from "../../src/store/sqlite.ts";
import { daemons, endDaemon } from "../../src/serve/daemon/registry.ts";
import { limits } from "../../src/spec.gen.ts";
import { quantile } from "./measure.ts";
import { conversations } from "./queries.ts";
import { Received, type LinesOf } from "./received.ts";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

/** What a driver is to do. */
interface Job {
  readonly dist: string;
  readonly root: string;
  /** Where the daemon and its notes are. */
  readonly home: string;
  readonly pause: number;
  /** The questions of each client, in its order. */
  readonly clients: readonly (readonly string[])[];
}

type Up =
  | { readonly kind: "ready"; readonly proxies: readonly number[] }
  | { readonly kind: "asked" }
  | {
      readonly kind: "done";
      /** Milliseconds of each call. */
      readonly ms: readonly number[];
      /** Milliseconds of CPU time that this driver took meanwhile. */
      readonly cpu: number;
      /** How late its clock was, milliseconds: 99 of 100 times no later. */
      readonly late: number;
    }
  | {
      readonly kind: "checked";
      readonly problems: readonly string[];
      readonly pointers: number;
      readonly lines: number;
      readonly longest: number;
    };

if (process.argv[2] === "--driver")
  process.once("message", (job) => void drive(job as Job));
else await main();

/** One of the processes that ask. */
async function drive({ dist, root, home, pause, clients }: Job): Promise<void> {
  const tell = (up: Up) => process.send!(up);
  const open = await Promise.all(
    clients.map(async (questions) => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [join(dist, "codegraph.js"), "serve", "--mcp"],
        cwd: root,
        env: {
          PATH: process.env.PATH ?? "",
          HOME: home,
          CODEGRAPH_CACHE_DIR: home,
          CODEGRAPH_EXPLORE_DEDUP: "1",
        },
        stderr: "pipe",
      });
      const told: string[] = [];
      transport.stderr?.on("data", (chunk) => told.push(String(chunk)));
      const client = new Client({ name: "bench", version: "1" });
      await client.connect(transport);
      return { client, pid: transport.pid!, questions, told };
    }),
  );
  tell({ kind: "ready", proxies: open.map(({ pid }) => pid) });
  await new Promise((go) => process.once("message", go));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const cpu = process.cpuUsage();
  const ms: number[] = [];
  const given = await Promise.all(
    open.map(async ({ client, questions }, n) => {
      const answers: { text: string; isError: boolean }[] = [];
      // They do not start in step.
      if (pause > 0) await sleep((pause * n) / open.length);
      for (const query of questions) {
        const start = performance.now();
        const result = (await client.callTool({
          name: "codegraph_explore",
          arguments: { query },
        })) as { content: { text: string }[]; isError?: boolean };
        ms.push(performance.now() - start);
        answers.push({
          text: result.content[0]!.text,
          isError: result.isError === true,
        });
        tell({ kind: "asked" });
        if (pause > 0) await sleep(pause * (0.5 + Math.random()));
      }
      return answers;
    }),
  );
  const used = process.cpuUsage(cpu);
  delay.disable();
  tell({
    kind: "done",
    ms,
    cpu: (used.user + used.system) / 1000,
    late: delay.percentile(99) / 1e6,
  });
  await new Promise((go) => process.once("message", go));
  const linesOf = filesOf(root);
  const problems: string[] = [];
  let [pointers, lines, longest] = [0, 0, 0];
  given.forEach((answers, n) => {
    const received = new Received(linesOf);
    problems.push(...open[n]!.told.map((text) => `said: ${text.trim()}`));
    for (const { text, isError } of answers) {
      if (isError) problems.push(`an error: ${text}`);
      if (text.length > limits.TIER_3_CHARS)
        problems.push(`an answer of ${text.length} characters`);
      const checked = received.take(text);
      problems.push(...checked.problems);
      pointers += checked.pointedAt.length;
      lines += checked.shown;
      longest = Math.max(longest, text.length);
    }
  });
  await Promise.all(open.map(({ client }) => client.close()));
  tell({ kind: "checked", problems, pointers, lines, longest });
  process.disconnect!();
}

/** Each file is read once. */
function filesOf(root: string): LinesOf {
  const known = new Map<string, readonly string[] | undefined>();
  return (path) => {
    if (!known.has(path)) {
      let lines: readonly string[] | undefined;
      try {
        lines = splitLines(decode(readFileSync(join(root, path))).text);
      } catch {
        lines = undefined;
      }
      known.set(path, lines);
    }
    return known.get(path);
  };
}

interface Round {
  readonly clients: number;
  readonly calls: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p95: number;
  readonly perSecond: number;
  /** Milliseconds of CPU time a call; undefined where the system does not tell. */
  readonly cpu: {
    readonly daemon: number | undefined;
    readonly proxies: number | undefined;
    readonly drivers: number;
  };
  /** The busiest driver's share of one core. */
  readonly busiest: number;
  readonly late: number;
  /** Megabytes of the daemon at a third, at two thirds and at the end. */
  readonly rss: readonly number[];
  readonly pointers: number;
  readonly lines: number;
  readonly longest: number;
  readonly problems: readonly string[];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      clients: { type: "string", default: "20" },
      calls: { type: "string", default: "50" },
      pool: { type: "string" },
      pause: { type: "string", default: "0" },
      drivers: { type: "string", default: "4" },
      dist: { type: "string", default: DIST },
      json: { type: "boolean", default: false },
    },
  });
  const from = process.env.INIT_CWD ?? process.cwd();
  const root = realpathSync(resolve(from, positionals[0] ?? "."));
  const dist = resolve(from, values.dist);
  const calls = Number(values.calls);
  const clients = Number(values.clients);
  const pause = Number(values.pause);
  const database = currentIndex(root);
  if (database === undefined) throw new Error(`${root} is not indexed`);
  const index = new SqliteReader(database);
  const wanted = Math.max(calls, Number(values.pool ?? calls));
  const all = conversations(index, wanted * 2);
  index.close();
  // Every other one, so that both halves have questions of every form.
  const pool = all.filter((_, i) => (i >> 2) % 2 === 0);
  const others = all.filter((_, i) => (i >> 2) % 2 === 1);
  const home = realpathSync(mkdtempSync(join(tmpdir(), "cg-bench-")));
  const say = (text: string) => {
    if (!values.json) process.stdout.write(`${text}\n`);
  };
  try {
    const ask = (each: readonly (readonly string[])[], wait = 0) =>
      round({ dist, root, home, pause: wait }, each, Number(values.drivers));
    say(
      `${pool.length} questions, ${clients} clients with ${calls} calls each${pause > 0 ? `, ${pause} ms between them` : ""}; ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}`,
    );
    const warm = await ask([0, 1].map((n) => orderOf(others, n, calls)));
    say(told("warm-up", warm));
    const alone = await ask([pool.slice(0, calls)]);
    say(told("one client", alone));
    const many = await ask(
      Array.from({ length: clients }, (_, n) => orderOf(pool, n + 1, calls)),
      pause,
    );
    say(told(`${clients} clients`, many));
    const again = await ask([pool.slice(0, calls)]);
    say(told("one, the same again", again));
    const ratio = many.p95 / alone.p50;
    const toAgain = many.p95 / again.p50;
    const rss = [warm.rss.at(-1)!, ...many.rss];
    say(
      `p95 of ${clients} is ${ratio.toFixed(1)} times the median of one (${toAgain.toFixed(1)} of one that asks what was asked before)`,
    );
    say(
      `daemon: ${rss.map((mb) => mb.toFixed(0)).join(" → ")} MB after warm-up, at a third, two thirds, the end`,
    );
    const problems = [warm, alone, many, again].flatMap((r) => r.problems);
    say(
      problems.length === 0
        ? `${many.lines.toLocaleString("en")} lines are the files', ${many.pointers.toLocaleString("en")} pointers name what their client had; the longest answer has ${many.longest.toLocaleString("en")} characters`
        : `${problems.length} problems, the first: ${[...new Set(problems)].slice(0, 5).join("\n  ")}`,
    );
    if (values.json)
      process.stdout.write(
        `${JSON.stringify({ warm, alone, many, again, ratio, toAgain, rss }, null, 2)}\n`,
      );
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    for (const found of await daemons(join(home, "run")))
      await endDaemon(found);
    rmSync(home, { recursive: true, force: true });
  }
}

/** As many of the questions, in an order that hangs on the client alone. */
function orderOf(
  questions: readonly string[],
  client: number,
  most: number,
): string[] {
  const left = [...questions];
  let seed = client * 2_654_435_761 + 1;
  const out: string[] = [];
  while (left.length > 0 && out.length < most) {
    // A step of a linear congruential generator: the low bits are the worst.
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    out.push(...left.splice((seed >>> 8) % left.length, 1));
  }
  return out;
}

/** Each client asks its questions, all of them at once. */
async function round(
  job: Omit<Job, "clients">,
  each: readonly (readonly string[])[],
  drivers: number,
): Promise<Round> {
  const count = Math.min(drivers, each.length);
  const started = Array.from({ length: count }, (_, n) => {
    const child = fork(fileURLToPath(import.meta.url), ["--driver"]);
    child.send({
      ...job,
      clients: each.filter((_, i) => i % count === n),
    } satisfies Job);
    return child;
  });
  const calls = each.reduce((sum, questions) => sum + questions.length, 0);
  let asked = 0;
  const rss: number[] = [];
  const next = <K extends Up["kind"]>(child: ChildProcess, kind: K) =>
    new Promise<Extract<Up, { kind: K }>>((done, fail) => {
      const listen = (up: Up) => {
        if (up.kind !== kind) return;
        child.off("message", listen);
        done(up as Extract<Up, { kind: K }>);
      };
      child.on("message", listen);
      child.once("exit", (code) => fail(new Error(`a driver ended: ${code}`)));
    });
  const all = async <K extends Up["kind"]>(kind: K) =>
    Promise.all(started.map((child) => next(child, kind)));
  const ready = await all("ready");
  const proxies = ready.flatMap((up) => up.proxies);
  const [daemon, ...more] = await daemons(join(job.home, "run"));
  if (!daemon || more.length > 0) throw new Error("there is not one daemon");
  for (const child of started)
    child.on("message", (up: Up) => {
      if (up.kind !== "asked") return;
      asked++;
      if (
        asked === Math.floor(calls / 3) ||
        asked === Math.floor((calls * 2) / 3)
      )
        void memoryOf(job.home).then((mb) => rss.push(mb));
    });
  const before = [cpuOf([daemon.pid]), cpuOf(proxies)];
  const start = performance.now();
  const ended = all("done");
  for (const child of started) child.send("go");
  const done = await ended;
  const seconds = (performance.now() - start) / 1000;
  const after = [cpuOf([daemon.pid]), cpuOf(proxies)];
  rss.push(await memoryOf(job.home));
  const outcome = all("checked");
  for (const child of started) child.send("check");
  const checked = await outcome;
  const ms = done.flatMap((up) => up.ms);
  const a = (n: number) =>
    before[n] === undefined || after[n] === undefined
      ? undefined
      : (after[n] - before[n]) / calls;
  return {
    clients: each.length,
    calls,
    seconds,
    p50: quantile(ms, 0.5),
    p95: quantile(ms, 0.95),
    perSecond: calls / seconds,
    cpu: {
      daemon: a(0),
      proxies: a(1),
      drivers: done.reduce((sum, up) => sum + up.cpu, 0) / calls,
    },
    busiest: Math.max(...done.map((up) => up.cpu)) / 1000 / seconds,
    late: Math.max(...done.map((up) => up.late)),
    rss,
    pointers: checked.reduce((sum, up) => sum + up.pointers, 0),
    lines: checked.reduce((sum, up) => sum + up.lines, 0),
    longest: Math.max(...checked.map((up) => up.longest)),
    problems: checked.flatMap((up) => up.problems),
  };
}

async function memoryOf(home: string): Promise<number> {
  const [daemon] = await daemons(join(home, "run"));
  return (daemon?.status?.rss ?? 0) / 1e6;
}

/** Milliseconds of CPU time that processes have taken, all threads; undefined where there is no `/proc`. */
function cpuOf(pids: readonly number[]): number | undefined {
  try {
    return pids.reduce((sum, pid) => {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The second field, the name, may hold blanks; utime and stime are fields 14 and 15, in steps of 10 ms.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return sum + (Number(fields[11]) + Number(fields[12])) * 10;
    }, 0);
  } catch {
    return undefined;
  }
}

function told(what: string, r: Round): string {
  const ms = (n: number | undefined) => (n === undefined ? "?" : n.toFixed(1));
  return `${what}: p50 ${ms(r.p50)} ms, p95 ${ms(r.p95)} ms, ${r.perSecond.toFixed(0)} calls a second; CPU a call: daemon ${ms(r.cpu.daemon)}, proxies ${ms(r.cpu.proxies)}, drivers ${ms(r.cpu.drivers)} ms (busiest ${(r.busiest * 100).toFixed(0)} % of a core, ${ms(r.late)} ms late)`;
}
