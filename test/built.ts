/** A real index without a thread of its own: what a test needs that only asks. */
import { attributesIn } from "../src/index/attributes.ts";
import { createIndexer } from "../src/index/indexer.ts";
import { scan } from "../src/index/scan.ts";
import { EXTRACTOR_VERSION } from "../src/model/extraction.ts";
import { newGeneration } from "../src/store/folder.ts";
import { SqliteWriter } from "../src/store/sqlite.ts";
import { extractor } from "./extractions.ts";

export async function built(root: string): Promise<void> {
  const scanned = await scan(root);
  const attributesOf = attributesIn(scanned.root, scanned.files);
  const indexer = await createIndexer(
    { root: scanned.root, textOnly: [] },
    undefined,
    () => extractor,
  );
  const { path, done } = newGeneration(root);
  const writer = new SqliteWriter(path, done);
  writer.addLeftOut(scanned.leftOut);
  const found = await indexer.add(
    scanned.files.map((file, i) => ({
      ...file,
      id: i + 1,
      attributes: attributesOf(file.path),
    })),
  );
  writer.addFiles(found.files);
  writer.addLeftOut(found.leftOut);
  writer.addSegment(indexer.finish());
  writer.commit({
    extractorVersion: EXTRACTOR_VERSION,
    commit: "",
    source: scanned.source,
  });
}
