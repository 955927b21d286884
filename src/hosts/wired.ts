/** What of codegraph is in a host's files at present. */
import { readText } from "./files.ts";
import {
  NOTHING,
  type Host,
  type HostFile,
  type Places,
  type Scope,
  type Wired,
  type WiredFile,
} from "./host.ts";

export const wired = (host: Host, scope: Scope, places: Places): Wired => ({
  host: host.id,
  scope,
  files: host.files(scope, places).map(wiredFile),
});

function wiredFile(file: HostFile): WiredFile {
  const { path } = file;
  const read = readText(path);
  return "problem" in read
    ? { path, exists: true, ...NOTHING, ...read }
    : { path, exists: read.text !== undefined, ...file.ours(read.text) };
}
