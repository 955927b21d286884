/**
 * Spends the answer's budget on files, best first. What a file does not use goes
 * to those after it.
 *
 * Units: budgets and costs are UTF-16 units of the rendered text, line numbers,
 * fences and headings included; lines are 1-based and inclusive.
 */
import { joined, type Span } from "../model/span.ts";
import type { Region } from "../rank/regions.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface PlanFile {
  readonly score: number;
  readonly lines: readonly string[];
  readonly regions: readonly Region[];
  /** Lines of the signatures that stand for the regions where those do not fit. */
  readonly signatures: readonly Span[];
  readonly namedPath: boolean;
  /** The bytes on disk are not those that were indexed: whole or not at all. */
  readonly drifted: boolean;
  /** What the heading, the fence and the line in the contents cost. */
  readonly overhead: number;
}

export type RenderKind = "whole" | "clusters" | "signatures" | "none";

export interface FilePlan {
  readonly kind: RenderKind;
  readonly spans: readonly Span[];
  /** Source left out at a cut inside a region; undefined for none. */
  readonly cut: Span | undefined;
  readonly allocated: number;
  readonly cost: number;
}

/** What a line costs in a fence: number, tab, text, line feed. */
export function lineCost(
  n: number,
  text: string,
  limits: Pick<Limits, "MAX_LINE_CHARS" | "MARK_CHARS"> = fromSpec,
): number {
  const shown =
    text.length <= limits.MAX_LINE_CHARS
      ? text.length
      : limits.MAX_LINE_CHARS + limits.MARK_CHARS;
  return String(n).length + 2 + shown;
}

const NONE = { kind: "none", spans: [], cut: undefined, cost: 0 } as const;

/**
 * One plan a file, in the same order: `maxFiles` of them with source, then as many
 * with signatures alone as there is room for.
 * @spec plan-carries-forward plan-whole-when-it-fits plan-signatures
 */
export function plan(
  files: readonly PlanFile[],
  budget: number,
  maxFiles: number,
  limits: Limits = fromSpec,
): FilePlan[] {
  const reserve = Math.min(
    Math.floor(budget * limits.SIGNATURE_SHARE),
    Math.max(0, files.length - maxFiles) * limits.SIGNATURE_FILE_CHARS,
  );
  let left = budget - reserve;
  let shown = 0;
  const shares = files.map((f) => f.score ** limits.SHARE_EXPONENT);
  let open = shares.slice(0, maxFiles).reduce((a, b) => a + b, 0);
  const plans = files.map((file, i): FilePlan => {
    const allocated =
      shown >= maxFiles
        ? 0
        : Math.min(
            left,
            limits.FILE_CHARS + (file.namedPath ? left : 0),
            Math.max(
              limits.MIN_FILE_CHARS,
              Math.floor((left * shares[i]!) / Math.max(open, shares[i]!)),
            ),
          );
    open -= shares[i]!;
    const made =
      allocated < limits.SIGNATURE_FILE_CHARS
        ? NONE
        : withSource(file, allocated, left, limits);
    if (made.kind !== "none") {
      left -= made.cost;
      shown++;
    }
    return { ...made, allocated };
  });
  left += reserve;
  const signed = plans.map((made, i) => {
    if (made.kind !== "none") return made;
    const signatures = withSignatures(
      files[i]!,
      Math.min(left, limits.SIGNATURE_FILE_CHARS),
      limits,
    );
    left -= signatures.cost;
    return { ...signatures, allocated: made.allocated };
  });
  return signed.map((made, i) => {
    if (made.kind !== "clusters") return made;
    const allocated = made.cost + left;
    const more = withSource(files[i]!, allocated, allocated, limits);
    if (more.cost <= made.cost) return made;
    left -= more.cost - made.cost;
    return { ...more, allocated };
  });
}

function costOf(
  file: PlanFile,
  spans: readonly Span[],
  limits: Limits,
): number {
  return spans.reduce((sum, [a, b], i) => {
    for (let n = a; n <= b; n++) sum += lineCost(n, file.lines[n - 1]!, limits);
    return sum + (i > 0 ? limits.MARK_CHARS : 0);
  }, file.overhead);
}

function withSource(
  file: PlanFile,
  allocated: number,
  left: number,
  limits: Limits,
): Omit<FilePlan, "allocated"> {
  if (file.lines.length === 0) return NONE;
  const whole: Span = [1, file.lines.length];
  const wholeCost = costOf(file, [whole], limits);
  if (wholeCost <= (file.namedPath ? left : allocated))
    return { kind: "whole", spans: [whole], cut: undefined, cost: wholeCost };
  if (file.drifted) return NONE;

  let spans: Span[] = [];
  let spent = 0;
  let cut: Span | undefined;
  for (const region of file.regions) {
    const padded: Span = [
      Math.max(1, region.span[0] - limits.CLUSTER_PADDING_LINES),
      Math.min(
        file.lines.length,
        region.span[1] + limits.CLUSTER_PADDING_LINES,
      ),
    ];
    const next = closed(joined([...spans, padded]), limits);
    const price = costOf(file, next, limits);
    if (price <= allocated) {
      spans = next;
      spent = price;
      continue;
    }
    if (spans.length > 0) continue;
    const fitting = prefix(
      region.span,
      allocated - file.overhead,
      file.lines,
      limits,
    );
    if (!fitting) continue;
    spans = [fitting];
    spent = costOf(file, spans, limits) + limits.MARK_CHARS;
    if (fitting[1] < region.span[1]) cut = [fitting[1] + 1, region.span[1]];
  }
  return spans.length === 0
    ? NONE
    : { kind: "clusters", spans, cut, cost: spent };
}

/** As many of the signatures, the most wanted first, as cost no more than `most`. */
function withSignatures(
  file: PlanFile,
  most: number,
  limits: Limits,
): Omit<FilePlan, "allocated"> {
  if (file.drifted) return NONE;
  let spans: Span[] = [];
  let spent = 0;
  for (const span of file.signatures) {
    if (span[1] > file.lines.length) continue;
    const next = joined([...spans, span]);
    const price = costOf(file, next, limits);
    if (price > most) continue;
    spans = next;
    spent = price;
  }
  return spans.length === 0
    ? NONE
    : { kind: "signatures", spans, cut: undefined, cost: spent };
}

/** A gap shorter than its mark is worth is shown. */
function closed(spans: readonly Span[], limits: Limits): Span[] {
  const out: Span[] = [];
  for (const span of spans) {
    const before = out.at(-1);
    if (before && span[0] - before[1] - 1 <= limits.GAP_MAX_LINES)
      out[out.length - 1] = [before[0], span[1]];
    else out.push(span);
  }
  return out;
}

function prefix(
  [first, last]: Span,
  budget: number,
  lines: readonly string[],
  limits: Limits,
): Span | undefined {
  let spent = limits.MARK_CHARS;
  let n = first;
  for (; n <= last; n++) {
    spent += lineCost(n, lines[n - 1]!, limits);
    if (spent > budget) break;
  }
  return n - 1 >= first ? [first, n - 1] : undefined;
}
