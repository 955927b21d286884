/**
 * Builds a project's index: scan, parse in threads, write, swap.
 *
 * Throws: ScanError where there is nothing to scan; UserError where the data folder
 * is not ours; what it wrote until then is dropped, and the previous index stays.
 */
import { attributesIn } from "../index/attributes.ts";
import { indexFiles, WorkerLost } from "../index/pool.ts";
import { headCommit } from "../index/commit.ts";
import type { ScanResult } from "../index/scan.ts";
import { EXTRACTOR_VERSION } from "../model/extraction.ts";
import { limits } from "../spec.gen.ts";
import { newGeneration } from "./folder.ts";
import { SqliteWriter } from "./sqlite.ts";

export interface BuildProgress {
  readonly done: number;
  readonly total: number;
}

export interface BuildResult {
  readonly root: string;
  readonly files: number;
  readonly symbols: number;
  readonly references: number;
  readonly leftOut: number;
  /** Files with a problem that keeps part of them from being indexed. */
  readonly problems: number;
  /** Files by language id; the empty id stands for text. */
  readonly languages: ReadonlyMap<string, number>;
  /** Why there is no file; empty where there is one. */
  readonly nothing: string;
}

/** The caller holds the project's lock. @spec folder-swap index-survives-a-crash */
export async function buildIndex(
  scanned: ScanResult,
  onProgress: (progress: BuildProgress) => void = () => {},
): Promise<BuildResult> {
  const { root } = scanned;
  const attributesOf = attributesIn(root, scanned.files);
  const jobs = scanned.files.map((file, i) => ({
    ...file,
    id: i + 1,
    attributes: attributesOf(file.path),
  }));
  const textOnly = new Set<string>();
  for (let lost = 0; ; lost++) {
    const { path, done } = newGeneration(root);
    const writer = new SqliteWriter(path, done);
    const counts = {
      files: 0,
      symbols: 0,
      references: 0,
      leftOut: scanned.leftOut.length,
      problems: 0,
    };
    const languages = new Map<string, number>();
    try {
      writer.addLeftOut(scanned.leftOut);
      await indexFiles({ root, textOnly: [...textOnly] }, jobs, {
        files(files, leftOut) {
          writer.addFiles(files);
          writer.addLeftOut(leftOut);
          for (const file of files) {
            counts.symbols += file.symbols.length;
            counts.references += file.referenceCount;
            if (file.problem !== "") counts.problems++;
            languages.set(
              file.language,
              (languages.get(file.language) ?? 0) + 1,
            );
          }
          counts.files += files.length;
          counts.leftOut += leftOut.length;
          onProgress({
            done: counts.files + counts.leftOut - scanned.leftOut.length,
            total: jobs.length,
          });
        },
        segment: (segment) => writer.addSegment(segment),
      });
      writer.commit({
        extractorVersion: EXTRACTOR_VERSION,
        commit: await headCommit(root),
        source: scanned.source,
      });
      return { root, ...counts, languages, nothing: scanned.nothing };
    } catch (error) {
      writer.abandon();
      if (!(error instanceof WorkerLost) || lost >= limits.MAX_LOST_WORKERS)
        throw error;
      for (const suspect of error.suspects) textOnly.add(suspect);
    }
  }
}
