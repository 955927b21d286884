/**
 * An MCP server with one tool, `show_file`, that remembers what it has shown. What
 * this conversation holds and what has not changed since is pointed at; asked again
 * after that, it is shown again.
 *
 *   node examples/remember/server.ts [FOLDER]
 *
 * In a server of your own, import from "codegraph-explore/dedup".
 */
import { readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import * as dedup from "../../src/dedup/index.ts";

const root = realpathSync(process.argv[2] ?? process.cwd());
/** One a connection. Where a host names its contexts, use `contextKey` of that name. */
const memory = new dedup.SessionRecord();
const context = dedup.DEFAULT_CONTEXT;

function showFile(path: string): string {
  const file = realpathSync(join(root, path));
  if (!file.startsWith(root + sep)) throw new Error(`${path} is not in here`);
  const bytes = readFileSync(file);
  const lines = dedup.splitLines(bytes.toString());
  const wanted: dedup.Span[] = lines.length > 0 ? [[1, lines.length]] : [];

  const view = memory.view(context, root, performance.now());
  const asked = dedup.askedKey([path]);
  const gate = dedup.gateOf(view, asked, process.env.REMEMBER);
  const fingerprint = dedup.fingerprint(bytes);
  const held = gate === "on" ? dedup.heldSpans(view, path, fingerprint) : [];
  const { send, pointAt } = dedup.decideFile({ wanted, held, lines });

  const source = send.flatMap(([first, last]) =>
    lines.slice(first - 1, last).map((line, i) => `${first + i}\t${line}`),
  );
  const newFollows = send.length > 0;
  const pointed = pointAt.length > 0;
  const facts = { path, spans: pointAt, symbols: [], newFollows };
  const text = [...(pointed ? [dedup.pointer(facts)] : []), ...source];

  const sourceBytes = Buffer.byteLength(source.join("\n"));
  const shown = { path, fingerprint, sent: send, pointedAt: pointAt };
  const files = [dedup.delivered({ ...shown, sourceBytes })];
  const responseBytes = Buffer.byteLength(text.join("\n"));
  const emission = { query: path, asked, files, responseBytes, pointed };
  memory.record(context, root, emission, performance.now());
  return text.join("\n");
}

serveStdio(() => {
  const server = new McpServer({ name: "remember", version: "1.0.0" });
  const inputSchema = z.object({ path: z.string() });
  server.registerTool("show_file", { inputSchema }, ({ path }) => ({
    content: [{ type: "text", text: showFile(path) }],
  }));
  return server;
});
