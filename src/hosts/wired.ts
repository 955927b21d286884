/** What of codegraph is in a host's files at present. */
import { readFileSync } from "node:fs";
import type {
  Host,
  HostFile,
  Places,
  Scope,
  Wired,
  WiredFile,
} from "./host.ts";

export const wired = (host: Host, scope: Scope, places: Places): Wired => ({
  host: host.id,
  scope,
  files: host.files(scope, places).map(wiredFile),
});

function wiredFile(file: HostFile): WiredFile {
  let text: string | undefined;
  try {
    text = readFileSync(file.path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR")
      return {
        path: file.path,
        exists: true,
        servers: [],
        hooks: [],
        plugin: false,
        problem: { line: undefined, what: code },
      };
  }
  return { path: file.path, exists: text !== undefined, ...file.ours(text) };
}
