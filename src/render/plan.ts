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
import type { Budget } from "./budget.ts";
import type { Form, Prices } from "./section.ts";

export interface PlanFile {
  readonly score: number;
  /** How many lines the file has. */
  readonly lines: number;
  readonly prices: Prices;
  /** The best first. */
  readonly regions: readonly Region[];
  /** Lines of the signatures that stand for the regions where those do not fit. */
  readonly signatures: readonly Span[];
  /** The question names the file and asks for all of it. */
  readonly namedPath: boolean;
  /** The question asks for lines of it by number. */
  readonly byNumber: boolean;
  /** Signatures are enough. */
  readonly weak: boolean;
  /** Whole or not at all: the bytes on disk are not those that were indexed. */
  readonly drifted: boolean;
  /** What earlier plans of this very file made of it; a plan adds its own. */
  readonly made?: Earlier[];
}

/** What a file gets for every allotment from one to below another. */
export interface Earlier {
  readonly from: number;
  readonly to: number;
  readonly made: Made;
}

export type RenderKind = Form | "none";

export interface FilePlan {
  readonly kind: RenderKind;
  /** In order and apart. */
  readonly spans: readonly Span[];
  readonly allocated: number;
  readonly cost: number;
}

export type Made = Omit<FilePlan, "allocated">;

const NONE: Readonly<Made> = { kind: "none", spans: [], cost: 0 };

/**
 * One plan a file, in the same order: as many with source as the budget has files, then as many
 * with signatures alone as there is room for. Their costs together are at most the
 * budget.
 * @spec plan-carries-forward plan-whole-when-it-fits plan-cuts-the-best plan-signatures plan-spends-the-rest dedup-spends-what-it-frees
 */
export function plan(
  given: readonly PlanFile[],
  budget: Pick<Budget, "chars" | "files" | "fileChars">,
  limits: Limits = fromSpec,
): FilePlan[] {
  // What is tried again with what was left over often comes to the same.
  const files = given.map((file) => (file.made ? file : remembering(file)));
  const { files: maxFiles, fileChars } = budget;
  const chars = Math.max(0, budget.chars);
  const reserve = Math.min(
    Math.floor(chars * limits.SIGNATURE_SHARE),
    Math.max(0, files.length - maxFiles) * limits.SIGNATURE_FILE_CHARS,
  );
  let left = chars - reserve;
  let shown = 0;
  const named = roomForNamed(files, left);
  const shares = files.map((f) => f.score ** limits.SHARE_EXPONENT);
  let open = shares.slice(0, maxFiles).reduce((a, b) => a + b, 0);
  const plans = files.map((file, i): FilePlan => {
    const share = Math.max(
      limits.MIN_FILE_CHARS,
      Math.floor((left * shares[i]!) / Math.max(open, shares[i]!)),
    );
    open -= shares[i]!;
    const most = file.namedPath
      ? Math.max(share, named.room(i, left))
      : Math.min(share, fileChars);
    const room = Math.min(left, most);
    const allocated =
      shown >= maxFiles ||
      room < limits.SIGNATURE_FILE_CHARS ||
      (file.weak && !isSmall(file, limits))
        ? 0
        : room;
    const made = withSource(file, allocated, limits);
    if (made.kind !== "none") {
      left -= made.cost;
      // What is only pointed at takes no place from source that is new.
      if (file.prices.isNew(made.spans)) shown++;
    }
    return { ...made, allocated };
  });
  left += reserve;
  const signed = plans.map((made, i): FilePlan => {
    if (made.kind !== "none") return made;
    const most = Math.min(left, limits.SIGNATURE_FILE_CHARS);
    const signatures = withSignatures(files[i]!, most);
    left -= signatures.cost;
    return { ...signatures, allocated: made.allocated };
  });
  return signed.map((made, i) => {
    if (made.kind !== "clusters") return made;
    const allocated = made.cost + left;
    const more = withSource(files[i]!, allocated, limits);
    if (more.cost <= made.cost) return made;
    left -= more.cost - made.cost;
    return { ...more, allocated };
  });
}

/** Its signatures would cost as much as all of it may. */
function isSmall(
  { lines, prices }: PlanFile,
  limits: Pick<Limits, "SIGNATURE_FILE_CHARS">,
): boolean {
  return (
    lines > 0 &&
    prices.cost([[1, lines]], "whole") <= limits.SIGNATURE_FILE_CHARS
  );
}

/** What a file that the question names may take, so that those after it get their part. */
function roomForNamed(files: readonly PlanFile[], budget: number) {
  const whole = files.map((file) =>
    file.namedPath && file.lines > 0
      ? file.prices.cost([[1, file.lines]], "whole")
      : 0,
  );
  const count = whole.filter((cost) => cost > 0).length;
  const part = Math.floor(budget / Math.max(1, count));
  return {
    room: (i: number, left: number) =>
      left -
      whole.slice(i + 1).reduce((sum, cost) => sum + Math.min(cost, part), 0),
  };
}

/** Its regions are read where they are asked for. */
const remembering = (file: PlanFile): PlanFile =>
  Object.create(file, { made: { value: [] } }) as PlanFile;

function withSource(file: PlanFile, allocated: number, limits: Limits): Made {
  if (file.lines === 0 || allocated <= 0) return NONE;
  const { made: earlier = [] } = file;
  const known = earlier.find(
    ({ from, to }) => from <= allocated && allocated < to,
  );
  if (known) return known.made;
  const room = new Room(allocated);
  const made = withSourceIn(file, room, limits);
  if (earlier.length >= EARLIER) earlier.shift();
  earlier.push({ from: room.from, to: room.to, made });
  return made;
}

/** Plans of one file that are remembered: few, for contexts that are alike. */
const EARLIER = 8;

function withSourceIn(file: PlanFile, room: Room, limits: Limits): Made {
  const whole: Span = [1, file.lines];
  const cost = file.prices.cost([whole], "whole");
  if (room.has(cost) && isWorthWhole(file, cost, limits))
    return { kind: "whole", spans: [whole], cost };
  if (file.drifted) return NONE;
  const spans = clusters(file, room, limits);
  return spans.length === 0
    ? NONE
    : { kind: "clusters", spans, cost: file.prices.cost(spans, "clusters") };
}

/** An allotment that notes for which others every question to it has the same answer. */
class Room {
  from = 0;
  to = Infinity;
  private readonly allocated: number;

  constructor(allocated: number) {
    this.allocated = allocated;
  }

  has(cost: number): boolean {
    const fits = cost <= this.allocated;
    if (fits) this.from = Math.max(this.from, cost);
    else this.to = Math.min(this.to, cost);
    return fits;
  }
}

/** It is short, asked for, or most of it matches. */
function isWorthWhole(file: PlanFile, cost: number, limits: Limits): boolean {
  if (file.byNumber) return file.drifted;
  if (file.namedPath || file.drifted || cost <= limits.WHOLE_CHARS) return true;
  const matching = joined(file.regions.map(({ padded }) => padded));
  const part = matching.reduce((sum, s) => sum + file.prices.lines(s), 0);
  return part >= cost * limits.WHOLE_SHARE;
}

/** As many of the regions, the best first, as fit. */
function clusters(file: PlanFile, room: Room, limits: Limits): readonly Span[] {
  let spans: readonly Span[] = [];
  const fits = (wanted: readonly Span[]): boolean => {
    const next = closed(joined([...spans, ...wanted]), limits);
    if (!room.has(file.prices.cost(next, "clusters"))) return false;
    spans = next;
    return true;
  };
  for (const { span, padded, context, asked, body, score } of file.regions) {
    const around = context ? [context] : [];
    if (fits([...around, padded]) || fits([...around, span])) continue;
    if (!asked && spans.length > 0 && score < limits.CUT_SCORE) continue;
    // The best are cut rather than left out, and what is asked for is shown as far as it fits.
    const least = body + (asked ? 0 : limits.MIN_CUT_LINES - 1);
    cutToFit(span, body, least, (part) => fits([...around, part]));
  }
  return spans;
}

/** Tries the longest beginning of a span, its comment left out where nothing else would fit. */
function cutToFit(
  [first, last]: Span,
  body: number,
  shortest: number,
  fits: (part: Span) => boolean,
): void {
  const least = Math.min(last, shortest);
  const longest = (from: number): boolean => {
    let low = least;
    let high = last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (fits([from, middle])) low = middle;
      else high = middle - 1;
    }
    return low > least || fits([from, least]);
  };
  if (!longest(first) && body > first) longest(body);
}

/** As many of the signatures, the most wanted first, as cost no more than `most`. */
function withSignatures(file: PlanFile, most: number): Made {
  if (file.drifted) return NONE;
  let made = NONE;
  for (const span of file.signatures) {
    if (span[1] > file.lines) continue;
    const spans = joined([...made.spans, span]);
    const cost = file.prices.cost(spans, "signatures");
    if (cost <= most) made = { kind: "signatures", spans, cost };
  }
  return made;
}

/** A gap shorter than its mark is worth is shown. */
function closed(
  spans: readonly Span[],
  limits: Pick<Limits, "GAP_MAX_LINES">,
): Span[] {
  const out: Span[] = [];
  for (const span of spans) {
    const before = out.at(-1);
    if (before && span[0] - before[1] - 1 <= limits.GAP_MAX_LINES)
      out[out.length - 1] = [before[0], span[1]];
    else out.push(span);
  }
  return out;
}
