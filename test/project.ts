/**
 * Small projects, indexed in this process into a database of their own: no threads,
 * no git, nothing in the project's folder.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { attributesIn } from "../src/index/attributes.ts";
import { createIndexer } from "../src/index/indexer.ts";
import { scan } from "../src/index/scan.ts";
import { TextWriter } from "../src/index/text.ts";
import type { Span } from "../src/model/span.ts";
import {
  explore,
  type ExploreAnswer,
  type ExploreRequest,
} from "../src/serve/explore.ts";
import { newGeneration } from "../src/store/folder.ts";
import { SqliteReader, SqliteWriter } from "../src/store/sqlite.ts";
import type { IndexReader } from "../src/store/store.ts";
import { extractor } from "./extractions.ts";
import { folders, type Files } from "./folders.ts";
import { definition, indexedFile } from "./rows.ts";

export interface TestProject {
  readonly root: string;
  readonly index: IndexReader;
  readonly ask: (
    query: string,
    more?: Omit<ExploreRequest, "query">,
  ) => ExploreAnswer;
}

export interface IndexOptions {
  /** How many segments the files are spread over; 1 by default. */
  readonly segments?: number;
  /** Files get their ids in the opposite order. */
  readonly backwards?: boolean;
}

/** Call it at the top of a test file: what it gives makes projects for that file. */
export function projects(): {
  readonly of: (files: Files, options?: IndexOptions) => Promise<TestProject>;
  readonly fixture: (name: string) => Promise<TestProject>;
  /** An index of definitions alone, none of which lies in a file on disk. */
  readonly names: (
    files: readonly (readonly string[])[],
    /** Files that an older segment holds still, and the index no more. */
    gone?: readonly (readonly string[])[],
  ) => IndexReader;
  readonly again: (
    project: TestProject,
    options: IndexOptions,
  ) => Promise<TestProject>;
} {
  const folder = folders();
  const databases = mkdtempSync(join(tmpdir(), "codegraph-test-"));
  const open: IndexReader[] = [];
  afterAll(() => {
    for (const index of open) index.close();
    rmSync(databases, { recursive: true, force: true });
  });
  const index = async (root: string, options: IndexOptions = {}) => {
    const database = join(databases, `${open.length}.db`);
    await build(root, database, options);
    const reader = new SqliteReader(database);
    open.push(reader);
    return {
      root,
      index: reader,
      ask: (query: string, more: Omit<ExploreRequest, "query"> = {}) =>
        explore(root, reader, { query, ...more }),
    };
  };
  const names = (
    files: readonly (readonly string[])[],
    gone: readonly (readonly string[])[] = [],
  ): IndexReader => {
    const database = join(databases, `${open.length}.db`);
    const writer = new SqliteWriter(database, () => {});
    for (const some of [gone, files]) {
      const text = new TextWriter();
      some.forEach((lines, i) => {
        const symbols = lines.map((name, k) =>
          definition({ name, span: [k + 1, k + 1] }),
        );
        const id = some === files ? i + 1 : files.length + i + 1;
        const file = indexedFile(id, { lines: lines.length, symbols });
        const all: Span = [1, lines.length];
        text.add({ ...file, lines, passages: [all] });
        if (some === files) writer.addFiles([file]);
      });
      if (some.length > 0) writer.addSegment(text.finish());
    }
    writer.commit({ extractorVersion: 1, commit: "", source: "walk" });
    const reader = new SqliteReader(database);
    open.push(reader);
    return reader;
  };
  return {
    names,
    of: (files, options) => index(folder(files), options),
    fixture: (name) => index(folder(filesOf(fixtureFolder(name)))),
    again: ({ root }, options) => index(root, options),
  };
}

const fixtureFolder = (name: string): string =>
  `test/fixtures/projects/${name}`;

/** All files below a folder, by path. */
export function filesOf(dir: string): Files {
  return Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [
        path.slice(dir.length + 1).replaceAll("\\", "/"),
        readFileSync(path),
      ]),
  );
}

/** Gives a folder an index of its own, as `codegraph index` does. */
export async function indexHere(root: string): Promise<string> {
  const { path, done } = newGeneration(root);
  await build(root, path, {}, done);
  return root;
}

async function build(
  root: string,
  database: string,
  { segments = 1, backwards = false }: IndexOptions,
  done: (keep: boolean) => void = () => {},
): Promise<void> {
  const scanned = await scan(root, { git: false });
  const attributesOf = attributesIn(root, scanned.files);
  const files = backwards ? scanned.files.toReversed() : scanned.files;
  const jobs = files.map((file, i) => ({
    ...file,
    id: i + 1,
    attributes: attributesOf(file.path),
  }));
  const writer = new SqliteWriter(database, done);
  const each = Math.ceil(jobs.length / segments);
  for (let start = 0; start < jobs.length; start += each) {
    const indexer = await createIndexer(
      { root, textOnly: [] },
      undefined,
      () => extractor,
    );
    const found = await indexer.add(jobs.slice(start, start + each));
    writer.addFiles(found.files);
    writer.addSegment(indexer.finish());
  }
  writer.commit({ extractorVersion: 1, commit: "", source: "walk" });
}
