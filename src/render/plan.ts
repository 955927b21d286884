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
  readonly namedPath: boolean;
  /** The bytes on disk are not those that were indexed: whole or not at all. */
  readonly drifted: boolean;
  /** What the heading and the fence of this file cost. */
  readonly overhead: number;
}

export type RenderKind = "whole" | "clusters" | "none";

export interface FilePlan {
  readonly kind: RenderKind;
  readonly spans: readonly Span[];
  /** Source left out at a cut inside a region; undefined for none. */
  readonly cut: Span | undefined;
  readonly allocated: number;
  readonly cost: number;
}

/** What the line costs in a fence: number, tab, text and line feed. */
export function lineCost(n: number, text: string, most: number): number {
  return String(n).length + 2 + Math.min(text.length, most + 60);
}

/** One plan a file, in the same order. @spec plan-carries-forward plan-whole-when-it-fits */
export function plan(
  files: readonly PlanFile[],
  budget: number,
  maxFiles: number,
  limits: Limits = fromSpec,
): FilePlan[] {
  let left = budget;
  let shown = 0;
  const shares = files.map((f) => f.score ** limits.SHARE_EXPONENT);
  let open = shares.slice(0, maxFiles).reduce((a, b) => a + b, 0);
  return files.map((file, i) => {
    if (shown >= maxFiles || left < limits.MIN_FILE_CHARS)
      return { kind: "none", spans: [], cut: undefined, allocated: 0, cost: 0 };
    const allocated = Math.min(
      left,
      Math.max(limits.MIN_FILE_CHARS, Math.floor((left * shares[i]!) / Math.max(open, shares[i]!))),
    );
    open -= shares[i]!;
    const made = planFile(file, allocated, left, limits);
    if (made.kind !== "none") {
      left -= made.cost;
      shown++;
    }
    return { ...made, allocated };
  });
}

function planFile(
  file: PlanFile,
  allocated: number,
  left: number,
  limits: Limits,
): Omit<FilePlan, "allocated"> {
  const cost = (spans: readonly Span[]) =>
    spans.reduce((sum, [a, b]) => {
      for (let n = a; n <= b; n++) sum += lineCost(n, file.lines[n - 1]!, limits.MAX_LINE_CHARS);
      return sum + 2;
    }, file.overhead);
  const whole: Span = [1, file.lines.length];
  const wholeCost = file.lines.length === 0 ? Infinity : cost([whole]);
  if (wholeCost <= (file.namedPath ? left : allocated))
    return { kind: "whole", spans: [whole], cut: undefined, cost: wholeCost };
  if (file.drifted) return { kind: "none", spans: [], cut: undefined, cost: 0 };

  let spans: Span[] = [];
  let spent = 0;
  let cut: Span | undefined;
  for (const region of file.regions) {
    const padded: Span = [
      Math.max(1, region.span[0] - limits.CLUSTER_PADDING_LINES),
      Math.min(file.lines.length, region.span[1] + limits.CLUSTER_PADDING_LINES),
    ];
    const next = closed(joined([...spans, padded]), limits);
    const price = cost(next);
    if (price <= allocated) {
      spans = next;
      spent = price;
      continue;
    }
    if (spans.length > 0) continue;
    const fitting = prefix(region.span, allocated - file.overhead, file.lines, limits);
    if (!fitting) continue;
    spans = [fitting];
    spent = cost(spans);
    if (fitting[1] < region.span[1]) cut = [fitting[1] + 1, region.span[1]];
  }
  return spans.length === 0
    ? { kind: "none", spans, cut: undefined, cost: 0 }
    : { kind: "clusters", spans, cut, cost: spent };
}

/** A gap shorter than its mark is worth is shown. */
function closed(spans: readonly Span[], limits: Limits): Span[] {
  const out: Span[] = [];
  for (const span of spans) {
    const before = out.at(-1);
    if (before && span[0] - before[1] - 1 <= limits.GAP_MAX_LINES) out[out.length - 1] = [before[0], span[1]];
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
  let spent = limits.CUT_MARK_CHARS;
  let n = first;
  for (; n <= last; n++) {
    spent += lineCost(n, lines[n - 1]!, limits.MAX_LINE_CHARS);
    if (spent > budget) break;
  }
  return n - 1 >= first ? [first, n - 1] : undefined;
}
