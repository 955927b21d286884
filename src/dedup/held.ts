/** Which lines of a file a context holds, by proof. Units: 1-based lines, inclusive. */
import type { Span } from "../model/span.ts";
import { sound } from "../session/spans.ts";
import type { SessionView } from "../session/view.ts";

/**
 * The lines that earlier calls delivered of the very bytes that the file has now;
 * joined, in line order. `fingerprint` is that of the bytes as they are read in
 * this call.
 * Errs: toward none. What cannot be proved is not held.
 * @spec dedup-content
 */
export function heldSpans(
  view: SessionView | undefined,
  path: string,
  fingerprint: string,
): readonly Span[] {
  if (!view || fingerprint === "") return [];
  return sound(
    view.calls.flatMap((call) =>
      call.files.flatMap((file) =>
        file.path === path && file.fingerprint === fingerprint
          ? file.spans
          : [],
      ),
    ),
  );
}

/**
 * A wanted span with up to `padding` lines of context on either side, as far as
 * the next held line and the file's `lineTotal` allow: context that is held would
 * only be repeated.
 * @spec dedup-padding
 */
export function unheldPadding(
  [first, last]: Span,
  padding: number,
  held: readonly Span[],
  lineTotal: number,
): Span {
  let from = Math.max(1, first - padding);
  let to = Math.max(last, Math.min(lineTotal, last + padding));
  for (const [a, b] of sound(held)) {
    if (a < first) from = Math.max(from, Math.min(first, b + 1));
    if (b > last) to = Math.min(to, Math.max(last, a - 1));
  }
  return [from, to];
}
