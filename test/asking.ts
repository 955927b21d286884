/** A call as it goes down to where it runs, of a caller that says nothing but its question. */
import { VIEW, type Asked } from "../src/serve/runner.ts";

export const asked = (query: string, more: Partial<Asked> = {}): Asked => ({
  query,
  maxFiles: undefined,
  maxChars: undefined,
  dedup: undefined,
  client: undefined,
  identified: false,
  project: undefined,
  notes: [],
  [VIEW]: undefined,
  ...more,
});
