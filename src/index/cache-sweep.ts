/** Which of the kept packs are joined, and which go. Pure: names, sizes and ages in. */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

export interface KeptFile {
  readonly name: string;
  readonly bytes: number;
  readonly ageMs: number;
  /** Another process may be writing it, or was killed over it. */
  readonly isPart: boolean;
  /** This version of codegraph wrote it, so that it can be joined with others. */
  readonly isOurs: boolean;
}

export interface Sweep {
  readonly join: readonly KeptFile[];
  readonly remove: readonly KeptFile[];
}

type SweepLimits = Pick<
  Limits,
  "CACHE_MB" | "CACHE_SMALL_MB" | "CACHE_SMALL_PACKS" | "CACHE_PART_MINUTES"
>;

/** What is joined still counts with all its bytes; what goes, goes oldest first. @spec extractions-are-bounded */
export function sweep(
  files: readonly KeptFile[],
  limits: SweepLimits = fromSpec,
): Sweep {
  const isDead = (file: KeptFile): boolean =>
    file.isPart && file.ageMs > limits.CACHE_PART_MINUTES * MS_PER_MINUTE;
  const remove = files.filter(isDead);
  let bytes = files.reduce((sum, f) => sum + (isDead(f) ? 0 : f.bytes), 0);
  const alive = files.filter((f) => !isDead(f));
  for (const file of [...alive].sort((a, b) => b.ageMs - a.ageMs)) {
    if (bytes <= limits.CACHE_MB * BYTES_PER_MB) break;
    bytes -= file.bytes;
    remove.push(file);
  }
  const small = alive.filter(
    (f) =>
      f.isOurs &&
      !f.isPart &&
      f.bytes < limits.CACHE_SMALL_MB * BYTES_PER_MB &&
      !remove.includes(f),
  );
  return {
    join: small.length > limits.CACHE_SMALL_PACKS ? small : [],
    remove,
  };
}

/** Whether what is used of it is to be kept anew. @spec extractions-are-bounded */
export const isAged = (
  { ageMs, isPart }: Pick<KeptFile, "ageMs" | "isPart">,
  limits: Pick<Limits, "CACHE_REFRESH_DAYS"> = fromSpec,
): boolean => !isPart && ageMs > limits.CACHE_REFRESH_DAYS * MS_PER_DAY;

export const BYTES_PER_MB = 1e6;
const MS_PER_MINUTE = 6e4;
const MS_PER_DAY = 864e5;
