import { hash } from "node:crypto";
import { currentIndex } from "../../src/store/place.ts";
import { SqliteReader } from "../../src/store/sqlite.ts";
import { conversations } from "./queries.ts";
import { Answers } from "../../src/serve/answers.ts";
import { OpenIndexes } from "../../src/serve/projects.ts";
import { answered, VIEW, EMISSION } from "../../src/serve/runner.ts";
import { SessionRecord } from "../../src/session/record.ts";
import { contextKey, rootKey } from "../../src/session/context.ts";
const root = process.argv[2]!;
const N = Number(process.argv[3] ?? 20), M = Number(process.argv[4] ?? 50);
const index = new SqliteReader(currentIndex(root)!);
const all = conversations(index, M * 2);
index.close();
const pool = all.filter((_, i) => (i >> 2) % 2 === 0);
const others = all.filter((_, i) => (i >> 2) % 2 === 1);
const indexes = new OpenIndexes({ check: () => {} });
const answers = new Answers();
const key = rootKey(root, false);
const ctx = contextKey(undefined);
let digest = "";
function ask(session: SessionRecord, query: string) {
  const raw = answered(indexes, root, { query, maxFiles: undefined, maxChars: undefined, dedup: "1", client: "bench", project: undefined, notes: [], [VIEW]: session.view(ctx, key, performance.now()) }, (at, i, r) => answers.of(at, i, r));
  structuredClone(raw);
  session.record(ctx, key, raw[EMISSION]!, performance.now());
  digest = hash("sha256", digest + raw.content[0]!.text);
}
function orderOf(q: readonly string[], client: number, most: number) {
  const left = [...q]; let seed = client * 2_654_435_761 + 1; const out: string[] = [];
  while (left.length > 0 && out.length < most) { seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0; out.push(...left.splice((seed >>> 8) % left.length, 1)); }
  return out;
}
function round(what: string, each: string[][]) {
  const sessions = each.map(() => new SessionRecord());
  const cpu = process.cpuUsage(); const ms: number[] = [];
  const n = Math.max(...each.map((q) => q.length));
  for (let i = 0; i < n; i++) each.forEach((q, c) => { if (q[i] !== undefined) { const s = process.cpuUsage(); ask(sessions[c]!, q[i]!); const u = process.cpuUsage(s); ms.push((u.user + u.system) / 1000); } });
  const u = process.cpuUsage(cpu);
  ms.sort((a, b) => a - b);
  console.log(what, "calls", ms.length, "cpu/call", ((u.user + u.system) / 1000 / ms.length).toFixed(2), "p50", ms[ms.length >> 1]!.toFixed(1), "p95", ms[Math.floor(ms.length * 0.95)]!.toFixed(1), "rss", (process.memoryUsage().rss / 1e6).toFixed(0), digest.slice(0, 8));
}
round("warm", [0, 1].map((n) => orderOf(others, n, M)));
round("alone", [pool.slice(0, M)]);
round("many", Array.from({ length: N }, (_, n) => orderOf(pool, n + 1, M)));
round("again", [pool.slice(0, M)]);
(globalThis as any).gc?.(); console.log("heap", (process.memoryUsage().heapUsed / 1e6).toFixed(1), "external", (process.memoryUsage().arrayBuffers / 1e6).toFixed(1));
