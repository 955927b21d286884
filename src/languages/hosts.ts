/** Files that hold script in a language of its own among other text. */
import {
  ECMASCRIPT_COMMENTS,
  ECMASCRIPT_TESTS,
  exportedInModule,
} from "./ecmascript.ts";
import type { HostBlock, Language } from "./language.ts";

const SCRIPT: HostBlock = {
  open: /<script(?=[\s>/])(?:[^>"']|"[^"]*"|'[^']*')*>/gi,
  close: /<\/script\s*>/gi,
  languages: {
    "": "javascript",
    js: "javascript",
    jsx: "javascript",
    ts: "typescript",
    typescript: "typescript",
    tsx: "tsx",
  },
};

/** Between the first two lines of three dashes. */
const FRONTMATTER: HostBlock = {
  open: /^\s*---[ \t]*$/gm,
  close: /^---[ \t]*$/gm,
  atStart: true,
  languages: { "": "typescript" },
};

/** Elements in capitals are components. */
const COMPONENTS = /<(?<name>[A-Z]\w*)(?=[\s/>])/dg;

const host = (
  entry: Pick<Language, "id" | "label" | "fence" | "endings" | "hosts">,
): Language => ({
  ...entry,
  comments: ECMASCRIPT_COMMENTS,
  exported: exportedInModule,
  tests: ECMASCRIPT_TESTS,
});

export const vue: Language = host({
  id: "vue",
  label: "Vue",
  fence: "vue",
  endings: [".vue"],
  hosts: { blocks: [SCRIPT], calls: COMPONENTS },
});
export const svelte: Language = host({
  id: "svelte",
  label: "Svelte",
  fence: "svelte",
  endings: [".svelte"],
  hosts: { blocks: [SCRIPT], calls: COMPONENTS },
});
export const astro: Language = host({
  id: "astro",
  label: "Astro",
  fence: "astro",
  endings: [".astro"],
  hosts: {
    blocks: [
      FRONTMATTER,
      { ...SCRIPT, languages: { ...SCRIPT.languages, "": "typescript" } },
    ],
    calls: COMPONENTS,
  },
});
