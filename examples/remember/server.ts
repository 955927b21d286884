/**
 * An MCP server with one tool, `show_file`, that remembers what it has shown: what
 * this conversation holds, and what has not changed since, is pointed at.
 *
 *   node examples/remember/server.ts [FOLDER]
 *
 * In your own server, import from "codegraph-explore/dedup".
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import * as dedup from "../../src/dedup/index.ts";

const root = process.argv[2] ?? process.cwd();
const memory = new dedup.SessionRecord();

function showFile(path: string): string {
  const context = dedup.DEFAULT_CONTEXT; // contextKey(id), where your host gives one
  const bytes = readFileSync(join(root, path));
  const fingerprint = dedup.fingerprint(bytes);
  const lines = dedup.splitLines(bytes.toString());
  const wanted: dedup.Span[] = lines.length === 0 ? [] : [[1, lines.length]];

  const view = memory.view(context, root, performance.now());
  const held = dedup.heldSpans(view, path, fingerprint);
  const asked = dedup.askedKey([], [path]);
  const { send, pointAt } = dedup.decideFile({ wanted, held, lines });

  const source = send
    .flatMap(([a, b]) => lines.slice(a - 1, b).map((l, i) => `${a + i}\t${l}`))
    .join("\n");
  const facts = {
    path,
    spans: pointAt,
    symbols: [],
    newFollows: source !== "",
  };
  const text =
    pointAt.length > 0 ? `${dedup.pointer(facts)}\n${source}` : source;

  const sourceBytes = Buffer.byteLength(source);
  const shown = {
    path,
    fingerprint,
    sent: send,
    pointedAt: pointAt,
    sourceBytes,
  };
  const files = [dedup.delivered(shown)];
  const pointed = pointAt.length > 0;
  const responseBytes = Buffer.byteLength(text);
  const emission = { query: path, asked, files, responseBytes, pointed };
  memory.record(context, root, emission, performance.now());
  return text;
}

serveStdio(() => {
  const server = new McpServer({ name: "remember", version: "1.0.0" });
  const inputSchema = z.object({ path: z.string() });
  server.registerTool("show_file", { inputSchema }, ({ path }) => ({
    content: [{ type: "text", text: showFile(path) }],
  }));
  return server;
});
