/**
 * Builds a project's index: parse in threads, write, swap.
 *
 * Throws: UserError where the data folder is not ours or threads keep breaking. What
 * was written until then is dropped, and the previous index stays.
 */
import { attributesIn } from "../index/attributes.ts";
import { ExtractionCache } from "../index/cache.ts";
import { headCommit } from "../index/commit.ts";
import type { FileJob } from "../index/jobs.ts";
import { indexFiles, WorkerLost, type PoolOptions } from "../index/pool.ts";
import type { ScanResult } from "../index/scan.ts";
import { EXTRACTOR_VERSION } from "../model/extraction.ts";
import { say } from "../model/wording.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import { newGeneration } from "./folder.ts";
import { UserError } from "./place.ts";
import { SqliteWriter } from "./sqlite.ts";

export interface BuildProgress {
  readonly done: number;
  readonly total: number;
}

export interface Problem {
  readonly path: string;
  /** 1-based; 0 for none. */
  readonly line: number;
  readonly problem: string;
}

export interface BuildResult {
  readonly root: string;
  readonly files: number;
  /** Files that were not parsed: what is in them was kept from an earlier run. */
  readonly reused: number;
  readonly symbols: number;
  readonly references: number;
  readonly leftOut: number;
  /** Files with a problem that keeps part of them from being indexed, by path. */
  readonly problems: readonly Problem[];
  /** Files by language id, the most frequent first; the empty id stands for text. */
  readonly languages: ReadonlyMap<string, number>;
  /** Why there is no file; empty where there is one. */
  readonly nothing: string;
}

export interface BuildOptions extends PoolOptions {
  /** The folder of extractions that projects share; absent for none. */
  readonly cache?: string | undefined;
}

/** The caller holds the project's lock. @spec folder-swap */
export async function buildIndex(
  scanned: ScanResult,
  onProgress: (progress: BuildProgress) => void = () => {},
  options: BuildOptions = {},
): Promise<BuildResult> {
  // Asked before the files are read: a commit that is made meanwhile is news.
  const commit = headCommit(scanned.root);
  const attributesOf = attributesIn(scanned.root, scanned.files);
  const jobs = scanned.files.map((file, i) => ({
    ...file,
    id: i + 1,
    attributes: attributesOf(file.path),
  }));
  return sparing((textOnly) =>
    buildOnce(scanned, jobs, textOnly, commit, onProgress, options),
  );
}

/**
 * Runs `build`, and again without parsing the file on which a worker broke.
 * Throws: UserError where that does not help; what else `build` throws.
 * @spec index-survives-a-crash
 */
export async function sparing<T>(
  build: (textOnly: readonly string[]) => Promise<T>,
  limits: Pick<Limits, "MAX_LOST_WORKERS"> = fromSpec,
): Promise<T> {
  const textOnly: string[] = [];
  for (;;) {
    try {
      return await build(textOnly);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      const { suspect, message } = error;
      if (
        suspect === undefined ||
        textOnly.includes(suspect) ||
        textOnly.length >= limits.MAX_LOST_WORKERS
      )
        throw new UserError(say(wordings.INDEX_BROKE, { message }), {
          cause: error,
        });
      textOnly.push(suspect);
    }
  }
}

async function buildOnce(
  { root, source, leftOut, nothing }: ScanResult,
  jobs: readonly FileJob[],
  textOnly: readonly string[],
  commit: Promise<string>,
  onProgress: (progress: BuildProgress) => void,
  options: BuildOptions,
): Promise<BuildResult> {
  const { path, done } = newGeneration(root);
  const counts = { files: 0, reused: 0, symbols: 0, references: 0 };
  const problems: Problem[] = [];
  let passedOver = 0;
  const languages = new Map<string, number>();
  let writer: SqliteWriter | undefined;
  const cache = options.cache ? new ExtractionCache(options.cache) : undefined;
  try {
    const to = (writer = new SqliteWriter(path, done));
    to.addLeftOut(leftOut);
    await indexFiles(
      { root, textOnly, cache: cache?.shared },
      jobs,
      {
        files(files, more, reused) {
          to.addFiles(files);
          to.addLeftOut(more);
          for (const file of files) {
            const { path, language, problem, problemLine: line } = file;
            counts.symbols += file.symbols.length;
            counts.references += file.referenceCount;
            if (problem !== "") problems.push({ path, line, problem });
            languages.set(language, (languages.get(language) ?? 0) + 1);
          }
          counts.files += files.length;
          counts.reused += reused;
          passedOver += more.length;
          onProgress({ done: counts.files + passedOver, total: jobs.length });
        },
        segment: (segment) => to.addSegment(segment),
      },
      options,
    );
    to.commit({
      extractorVersion: EXTRACTOR_VERSION,
      commit: await commit,
      source,
    });
  } catch (error) {
    if (writer) writer.abandon();
    else done(false);
    throw error;
  } finally {
    cache?.close();
  }
  return {
    root,
    ...counts,
    leftOut: leftOut.length + passedOver,
    problems: problems.sort((a, b) => (a.path < b.path ? -1 : 1)),
    languages: new Map(
      [...languages].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    ),
    nothing,
  };
}
