/** Edits that say when their text has gone, and that can be taken back. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Edit } from "./faults.ts";

/** Throws: Error when the text to replace is not there exactly once. */
export function edited(text: string, { path, find, put }: Edit): string {
  const flags = find.flags.replace("g", "");
  const found = [...text.matchAll(new RegExp(find.source, `${flags}g`))];
  if (found.length !== 1)
    throw new Error(
      `${path}: ${find} is found ${found.length} times, not once; mend the fault in tools/teeth/faults.ts`,
    );
  const changed = text.replace(find, put);
  if (changed === text) throw new Error(`${path}: ${find} changes nothing`);
  return changed;
}

/** Edits files below a folder, in order; the result puts them back. */
export function inject(root: string, edits: readonly Edit[]): () => void {
  const before = new Map<string, string>();
  for (const edit of edits) {
    const file = join(root, edit.path);
    const text = readFileSync(file, "utf8");
    const changed = edited(text, edit);
    if (!before.has(file)) before.set(file, text);
    writeFileSync(file, changed);
  }
  return () => {
    for (const [file, text] of before) writeFileSync(file, text);
  };
}
