/** Which lines of a file a context holds, by proof. */
import { joined, type Span } from "../model/span.ts";
import type { SessionView } from "../session/view.ts";

/**
 * The lines that earlier calls delivered of the very bytes that the file has now;
 * joined, in line order.
 * Errs: toward none. What cannot be proved is not held.
 * @spec dedup-content
 */
export function heldSpans(
  view: SessionView | undefined,
  path: string,
  fingerprint: string,
): Span[] {
  if (!view || fingerprint === "") return [];
  return joined(
    view.calls.flatMap((call) =>
      call.files.flatMap((file) =>
        file.path === path && file.fingerprint === fingerprint
          ? file.spans
          : [],
      ),
    ),
  );
}
