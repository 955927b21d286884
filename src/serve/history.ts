/**
 * What a call knows of its context's earlier calls, and what it tells the later
 * ones.
 */
import { heldSpans, unheldPadding } from "../dedup/held.ts";
import { delivered } from "../dedup/file.ts";
import { gateOf, type Gate } from "../dedup/gates.ts";
import { joined, liesIn, printSpans, type Span } from "../model/span.ts";
import type { Query } from "../rank/query.ts";
import type { Region } from "../rank/regions.ts";
import type { Rendered } from "../render/section.ts";
import { askedKey } from "../session/asked.ts";
import { rowOf, type ClientRow } from "../session/clients.ts";
import type { DeliveredFile, Emission, SessionView } from "../session/view.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** Why history counts, or why not. */
export type Reason = Gate | "shared-connection";

export interface History {
  readonly gate: Reason;
  /** The normal form of the query. */
  readonly asked: string;
  /** The project's name, where the context is about several. */
  readonly project: string | undefined;
  /** Lines of a file that the context holds; none where history does not count. */
  held(path: string, fingerprint: string): readonly Span[];
}

/** @spec dedup-first-call dedup-asked-twice dedup-switch dedup-answers dedup-answers-apart dedup-shared-connections */
export function historyOf(
  query: Query,
  view: SessionView | undefined,
  {
    dedup,
    client,
    identified,
    project,
  }: {
    readonly dedup?: string | undefined;
    readonly client?: string | undefined;
    readonly identified?: boolean | undefined;
    readonly project?: string | undefined;
  },
): History {
  const located = query.paths.flatMap(({ path, lines }) =>
    lines ? [`${path} ${printSpans([lines])}`] : [],
  );
  const asked = askedKey(query.terms.keys(), located);
  const gate =
    view && dedup === undefined && !isOn(rowOf(client), identified === true)
      ? "shared-connection"
      : gateOf(view, asked, dedup);
  return {
    gate,
    asked,
    project,
    held: (path, fingerprint) =>
      gate === "on" ? heldSpans(view, path, fingerprint) : [],
  };
}

/** @spec dedup-shared-connections ownership-of-clients */
const isOn = (row: ClientRow, identified: boolean): boolean =>
  (identified ? row.identified : row.unidentified).includes("on");

/** Regions whose surroundings are not what the context has already. @spec dedup-padding */
export function unheld(
  regions: readonly Region[],
  held: readonly Span[],
  lineTotal: number,
): Region[] {
  return regions.map((region) => {
    const { span, padded, context } = region;
    const before = unheldPadding(span, span[0] - padded[0], held, lineTotal)[0];
    const after = unheldPadding(span, padded[1] - span[1], held, lineTotal)[1];
    return {
      ...region,
      padded: [before, after],
      context: context && liesIn(context, held) ? undefined : context,
    };
  });
}

/** A section that was served, and the file that it is of. */
export interface ServedSection {
  readonly path: string;
  readonly fingerprint: string;
  readonly lines: readonly string[];
  /** The lines are the file's own bytes. */
  readonly exact: boolean;
  readonly rendered: Rendered;
}

/**
 * What an answer delivered. Only lines that stand in it exactly count: not those
 * of a file that is shown in another encoding, and none that is cut for its length.
 * @spec session-keeps-what-it-points-at emission-is-exact
 */
export function emissionOf(
  query: string,
  asked: string,
  text: string,
  sections: readonly ServedSection[],
  limits: Pick<Limits, "MAX_LINE_CHARS"> = fromSpec,
): Emission {
  const files = sections.flatMap((s): DeliveredFile[] => {
    if (!s.exact) return [];
    const sent = exactly(s.rendered.sent, s.lines, limits.MAX_LINE_CHARS);
    const file = delivered({
      path: s.path,
      fingerprint: s.fingerprint,
      sent,
      pointedAt: s.rendered.pointedAt,
      sourceBytes: sent.reduce(
        (sum, [a, b]) =>
          s.lines
            .slice(a - 1, b)
            .reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, sum),
        0,
      ),
    });
    return file.spans.length > 0 ? [file] : [];
  });
  return {
    query,
    asked,
    files,
    responseBytes: Buffer.byteLength(text),
    pointed: sections.some(({ rendered }) => rendered.pointedAt.length > 0),
  };
}

function exactly(
  spans: readonly Span[],
  lines: readonly string[],
  most: number,
): readonly Span[] {
  const out: Span[] = [];
  for (const [first, last] of spans)
    for (let n = first; n <= last; n++)
      if (lines[n - 1]!.length <= most) out.push([n, n]);
  return joined(out);
}
