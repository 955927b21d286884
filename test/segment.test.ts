/** The full-text segments, against a model that keeps everything in maps. */
import fc from "fast-check";
import { expect } from "vitest";
import {
  decodePassages,
  eachPosting,
  encodePassages,
  SegmentWriter,
  type Passage,
  type Segment,
} from "../src/model/segment.ts";
import { limits, type Limits } from "../src/spec.gen.ts";
import { law, loadBearing } from "./from-spec.ts";

interface Text {
  readonly passage: Passage;
  readonly counts: ReadonlyMap<string, number>;
}

/** Files of one to three passages, each with some terms. */
const texts = fc
  .array(
    fc.array(
      fc.dictionary(
        fc.constantFrom("a", "b", "ab", "é", "𝒙", "\uffff", "__proto__"),
        fc.oneof(fc.constantFrom(1, 2, 254, 255, 256), fc.nat(100_000)),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    { maxLength: 12 },
  )
  .map((files) =>
    files.flatMap((passages, f): Text[] =>
      passages.map((terms, p) => {
        const counts = new Map(Object.entries(terms).filter(([, n]) => n > 0));
        return {
          passage: {
            file: f * 7 + 1,
            firstLine: p * 40 + 1,
            lastLine: p * 40 + 33,
            weight: [...counts.values()].reduce((sum, n) => sum + n, 0),
          },
          counts,
        };
      }),
    ),
  );

function segmentOf(some: readonly Text[], moved: Limits = limits): Segment {
  const names: string[] = [];
  const writer = new SegmentWriter(moved);
  for (const { passage, counts } of some) {
    for (const [term, count] of counts) {
      if (!names.includes(term)) names.push(term);
      writer.put(names.indexOf(term), count);
    }
    writer.endPassage(passage);
  }
  return writer.finish(names);
}

/** `term → file:line count`, sorted; read from segments as a question reads them. */
function read(segments: readonly Segment[]): string[] {
  return segments
    .flatMap((segment) => {
      const table = decodePassages(segment.passages);
      return segment.terms.flatMap((term, i) => {
        const out: string[] = [];
        let before = -1;
        const list = segment.postings.subarray(
          segment.ends[i - 1] ?? 0,
          segment.ends[i],
        );
        eachPosting(list, (p, count) => {
          expect(p).toBeGreaterThan(before);
          before = p;
          out.push(
            `${term} → ${table.file[p]}:${table.firstLine[p]}-${table.lastLine[p]} of ${table.weight[p]}: ${count}`,
          );
        });
        return out;
      });
    })
    .sort();
}

const model = (some: readonly Text[]): string[] =>
  some
    .flatMap(({ passage: p, counts }) =>
      Array.from(
        counts,
        ([term, count]) =>
          `${term} → ${p.file}:${p.firstLine}-${p.lastLine} of ${p.weight}: ${Math.min(count, limits.MAX_TERM_COUNT)}`,
      ),
    )
    .sort();

law("segment-holds-postings", "it says what the model says", () =>
  fc.assert(
    fc.property(texts, (some) => {
      const segment = segmentOf(some);
      expect(read([segment])).toEqual(model(some));
      expect([...segment.terms]).toEqual([...segment.terms].sort());
      expect(segment.ends.at(-1) ?? 0).toBe(segment.postings.length);
    }),
  ),
);

law("segment-holds-postings", "several say what one says", () =>
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 5 }), (some, parts) => {
      const spread = Array.from({ length: parts }, (_, part) =>
        segmentOf(some.filter(({ passage }) => passage.file % parts === part)),
      );
      expect(read(spread)).toEqual(model(some));
    }),
  ),
);

law("segment-holds-postings", "a passage's place and weight are kept", () =>
  fc.assert(
    fc.property(texts, (some) => {
      const passages = some.map(({ passage }) => passage);
      const { file, firstLine, lastLine, weight } = decodePassages(
        encodePassages(passages),
      );
      expect(
        passages.map((_, i) => ({
          file: file[i],
          firstLine: firstLine[i],
          lastLine: lastLine[i],
          weight: weight[i],
        })),
      ).toEqual(passages);
    }),
  ),
);

loadBearing("segment-holds-postings", "MAX_TERM_COUNT", (moved) =>
  read([
    segmentOf(
      [
        {
          passage: { file: 1, firstLine: 1, lastLine: 9, weight: 1000 },
          counts: new Map([["often", 1000]]),
        },
      ],
      moved,
    ),
  ]),
);

law("segment-holds-postings", "many postings are kept in order", () => {
  const passages = 5_000;
  const writer = new SegmentWriter();
  for (let p = 0; p < passages; p++) {
    for (let t = 0; t < 8; t++) if (p % (t + 1) === 0) writer.put(t, t + 1);
    writer.endPassage({ file: p + 1, firstLine: 1, lastLine: 1, weight: 1 });
  }
  const segment = writer.finish([..."abcdefgh"]);
  for (let t = 0; t < 8; t++) {
    const found: number[] = [];
    eachPosting(
      segment.postings.subarray(segment.ends[t - 1] ?? 0, segment.ends[t]),
      (p, count) => {
        expect(count).toBe(t + 1);
        found.push(p);
      },
    );
    expect(found).toEqual(
      Array.from({ length: passages }, (_, p) => p).filter(
        (p) => p % (t + 1) === 0,
      ),
    );
  }
});
