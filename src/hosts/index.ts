/** The hosts that codegraph knows how to install itself for. */
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import type { Host } from "./host.ts";
import { opencode } from "./opencode.ts";
import { vscode } from "./vscode.ts";

export const HOSTS: readonly Host[] = [
  claude,
  codex,
  cursor,
  opencode,
  gemini,
  vscode,
];
