/**
 * Reads files and says what they hold: their definitions and references, and
 * their words for the full-text segment.
 *
 * Errs: toward the text. A file that cannot be parsed is found by its words.
 */
import { isAscii } from "node:buffer";
import { detectLanguage, type Language } from "../languages/index.ts";
import type { Extraction } from "../model/extraction.ts";
import type { IndexedFile, LeftOut } from "../model/file.ts";
import { fingerprint } from "../model/fingerprint.ts";
import { lineStarts, splitLines } from "../model/lines.ts";
import { encodeReferences } from "../model/references.ts";
import type { Segment } from "../model/segment.ts";
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { admit, describe, refuseBytes } from "./classify.ts";
import { decode } from "./decode.ts";
import type { FileJob, IndexStart } from "./jobs.ts";
import { configKeys } from "./config-keys.ts";
import { createExtractor, grammarsOnDisk, type ParseProblem } from "./parse.ts";
import { passages } from "./passages.ts";
import { readInside, type KnownFolders } from "./read.ts";
import { TextWriter, type Lines } from "./text.ts";

export interface Found {
  readonly files: IndexedFile[];
  readonly leftOut: LeftOut[];
}

export interface Indexer {
  add(jobs: readonly FileJob[]): Promise<Found>;
  finish(): Segment;
}

const NO_SYMBOLS: Extraction = { symbols: [], references: [], errorLine: 0 };

const PROBLEMS: Readonly<Record<ParseProblem, string>> = {
  work: wordings.PROBLEM_WORK,
  crash: wordings.PROBLEM_CRASH,
};

/** @spec index-keeps-every-text index-names-problems */
export async function createIndexer(
  { root, textOnly }: IndexStart,
  /** Is told the id of the file that is looked at next. */
  inHand: (id: number) => void = () => {},
): Promise<Indexer> {
  const extractor = await createExtractor(grammarsOnDisk());
  const text = new TextWriter();
  const folders: KnownFolders = new Map();
  const unparsed = new Set(textOnly);

  const extract = async (
    job: FileJob,
    language: Language | undefined,
    source: string,
  ) => {
    if (!language) return { ...NO_SYMBOLS, problem: "" };
    if (unparsed.has(job.path))
      return { ...NO_SYMBOLS, problem: wordings.PROBLEM_CRASH };
    await extractor.prepare(language);
    const { problem, ...found } = extractor.extract(language, source);
    if (problem) return { ...NO_SYMBOLS, problem: PROBLEMS[problem] };
    return {
      ...found,
      problem:
        found.errorLine > 0
          ? say(wordings.PROBLEM_SYNTAX, { line: found.errorLine })
          : "",
    };
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
    const { symbols, references, problem, errorLine } = await extract(
      job,
      language,
      decoded.text,
    );
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
      mtimeMs: read.mtimeMs,
      fingerprint: fingerprint(read.bytes),
      lines: lineCount,
      problem:
        !decoded.exact && problem === "" ? wordings.PROBLEM_ENCODING : problem,
      problemLine: errorLine,
      symbols,
      references: encodeReferences(references),
      referenceCount: references.length,
    };
  };

  return {
    async add(jobs) {
      const found: Found = { files: [], leftOut: [] };
      for (const job of jobs) {
        inHand(job.id);
        const file = await one(job);
        if (typeof file === "string")
          found.leftOut.push({ path: job.path, reason: file });
        else found.files.push(file);
      }
      return found;
    },
    finish: () => text.finish(),
  };
}
