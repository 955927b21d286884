/**
 * How large an answer may be. Units: UTF-16 units of the whole text.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface Budget {
  /** Never exceeded, headings and notes included. */
  readonly chars: number;
  /** Files shown with source. */
  readonly files: number;
  /** The most that one file may take, unless the question names it. */
  readonly fileChars: number;
  /** The caller asked for less than the smallest useful answer. */
  readonly raised: boolean;
}

/** @spec budget-tiers budget-arguments */
export function budgetOf(
  indexedFiles: number,
  asked: { readonly maxFiles?: number; readonly maxChars?: number } = {},
  limits: Limits = fromSpec,
): Budget {
  const tier =
    [
      limits.TIER_2_FROM_FILES,
      limits.TIER_3_FROM_FILES,
      limits.TIER_4_FROM_FILES,
      limits.TIER_5_FROM_FILES,
      limits.TIER_6_FROM_FILES,
    ].filter((from) => indexedFiles >= from).length + 1;
  const chars =
    [limits.TIER_1_CHARS, limits.TIER_2_CHARS][tier - 1] ?? limits.TIER_3_CHARS;
  const files =
    [limits.TIER_1_SHOWN_FILES, limits.TIER_2_SHOWN_FILES][tier - 1] ??
    limits.TIER_3_SHOWN_FILES;
  const fileChars =
    [
      limits.TIER_4_FILE_CHARS,
      limits.TIER_5_FILE_CHARS,
      limits.TIER_6_FILE_CHARS,
    ][tier - 4] ?? limits.FILE_CHARS;
  const ceiling = lowered(chars, asked.maxChars);
  const raised = ceiling < limits.MIN_ANSWER_CHARS;
  return {
    chars: Math.max(ceiling, limits.MIN_ANSWER_CHARS),
    files: Math.max(1, lowered(files, asked.maxFiles)),
    fileChars,
    raised,
  };
}

/** An argument lowers a bound; one that is no number, or none at all, changes nothing. */
function lowered(bound: number, asked: number | undefined): number {
  if (asked === undefined || Number.isNaN(asked)) return bound;
  return Math.min(bound, Math.floor(asked));
}
