/** The plugin that opencode loads. */

/** Its source; the first line marks it as ours. */
export function pluginSource(command: readonly string[]): string {
  return `// codegraph plugin for opencode, written by \`codegraph install\`.\nexport const command = ${JSON.stringify(command)};\n`;
}
