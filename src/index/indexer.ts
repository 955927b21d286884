/**
 * Reads files and says what they hold: their definitions and references, and
 * their words for the full-text segment.
 *
 * Errs: toward the text. A file that cannot be parsed is found by its words.
 */
import { isAscii } from "node:buffer";
import { detectLanguage, type Language } from "../languages/index.ts";
import type { IndexedFile, LeftOut } from "../model/file.ts";
import { digestOf, fingerprint } from "../model/fingerprint.ts";
import { lineStarts, splitLines } from "../model/lines.ts";
import { encodeReferences } from "../model/references.ts";
import type { Segment } from "../model/segment.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { Extractions } from "./cache.ts";
import type { Kept } from "./cache-value.ts";
import { settledTime } from "./changes.ts";
import { admit, describe, refuseBytes } from "./classify.ts";
import { decode } from "./decode.ts";
import type { FileJob, IndexStart } from "./jobs.ts";
import { configKeys } from "./config-keys.ts";
import { createExtractor, grammarsOnDisk, type Extractor } from "./parse.ts";
import { passages } from "./passages.ts";
import { readInside, type KnownFolders } from "./read.ts";
import { TextWriter, type Lines } from "./text.ts";

export interface Found {
  readonly files: IndexedFile[];
  readonly leftOut: LeftOut[];
  /** How many of the files were not parsed because what is in them was kept. */
  readonly reused: number;
}

export interface Indexer {
  add(jobs: readonly FileJob[]): Promise<Found>;
  /** The last thing it does. What was parsed is kept for others from here on. */
  finish(): Segment;
}

const NOTHING: Kept = {
  symbols: [],
  references: new Uint8Array(0),
  referenceCount: 0,
  errorLine: 0,
  tooMuchWork: false,
};

/** @spec index-keeps-every-text index-names-problems */
export async function createIndexer(
  { root, textOnly, cache }: IndexStart,
  /** Is told the id of the file that is looked at next. */
  inHand: (id: number) => void = () => {},
  /** Asked at the first file that has to be parsed. */
  makeExtractor: () => Promise<Extractor> = () =>
    createExtractor(grammarsOnDisk()),
): Promise<Indexer> {
  let extractor: Promise<Extractor> | undefined;
  const kept = new Extractions(cache);
  const text = new TextWriter();
  const folders: KnownFolders = new Map();
  const unparsed = new Set(textOnly);
  let reused = 0;

  /** Undefined where the parser broke on it, which another run may not. */
  const parse = async (
    language: Language,
    source: string,
  ): Promise<Kept | undefined> => {
    // Where all is kept no grammar is loaded.
    const ready = await (extractor ??= makeExtractor());
    await ready.prepare(language);
    const { problem, ...found } = ready.extract(language, source);
    if (problem === "crash") return undefined;
    if (problem === "work") return { ...NOTHING, tooMuchWork: true };
    return {
      symbols: found.symbols,
      references: encodeReferences(found.references),
      referenceCount: found.references.length,
      errorLine: found.errorLine,
      tooMuchWork: false,
    };
  };

  const extract = async (
    job: FileJob,
    language: Language | undefined,
    source: string,
    digest: string,
  ): Promise<Kept & { problem: string }> => {
    if (!language) return { ...NOTHING, problem: "" };
    if (unparsed.has(job.path))
      return { ...NOTHING, problem: wordings.PROBLEM_CRASH };
    let found = kept.find(digest, language.id);
    if (found) reused++;
    else {
      found = await parse(language, source);
      if (!found) return { ...NOTHING, problem: wordings.PROBLEM_CRASH };
      kept.keep(digest, language.id, found);
    }
    return { ...found, problem: problemOf(found) };
  };

  const one = async (job: FileJob): Promise<IndexedFile | string> => {
    const admission = admit(job.path, job.size);
    if (admission.take === "nothing") return admission.reason;
    const read = readInside(root, job.path, undefined, folders);
    if (typeof read === "string") return read;
    const refused = refuseBytes(read.bytes);
    if (refused !== "") return refused;
    const decoded = decode(read.bytes);
    const lines: Lines = isAscii(read.bytes)
      ? { bytes: read.bytes, starts: lineStarts(decoded.text) }
      : splitLines(decoded.text);
    const lineCount = "bytes" in lines ? lines.starts.length : lines.length;
    const keysOnly = admission.take === "keys";
    const language = keysOnly
      ? undefined
      : detectLanguage(job.path, decoded.text);
    const digest = digestOf(read.bytes);
    const { symbols, references, referenceCount, problem, errorLine } =
      await extract(job, language, decoded.text, digest);
    const words = keysOnly
      ? [configKeys(job.path, decoded.text).join(" ")]
      : lines;
    text.add({
      id: job.id,
      path: job.path,
      lines: words,
      symbols,
      passages: passages(keysOnly ? 1 : lineCount, symbols),
    });
    return {
      id: job.id,
      path: job.path,
      language: language?.id ?? "",
      ...describe(job.path, decoded.text, job.attributes),
      keysOnly,
      size: read.size,
      mtimeMs: settledTime(read.mtimeMs, Date.now()),
      fingerprint: fingerprint(read.bytes, digest),
      lines: lineCount,
      problem:
        !decoded.exact && problem === "" ? wordings.PROBLEM_ENCODING : problem,
      problemLine: errorLine,
      symbols,
      references,
      referenceCount,
    };
  };

  return {
    async add(jobs) {
      const files: IndexedFile[] = [];
      const leftOut: LeftOut[] = [];
      reused = 0;
      for (const job of jobs) {
        inHand(job.id);
        const file = await one(job);
        if (typeof file === "string")
          leftOut.push({
            path: job.path,
            reason: file,
            size: job.size,
            mtimeMs: job.mtimeMs,
          });
        else files.push(file);
      }
      return { files, leftOut, reused };
    },
    finish() {
      kept.finish();
      return text.finish();
    },
  };
}

function problemOf({ tooMuchWork, errorLine }: Kept): string {
  if (tooMuchWork) return wordings.PROBLEM_WORK;
  return errorLine > 0 ? say(wordings.PROBLEM_SYNTAX, { line: errorLine }) : "";
}
