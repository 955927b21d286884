/** The one way to answer a call, which a worker thread and this one share. */
import { say } from "../model/wording.ts";
import { wordings } from "../spec.gen.ts";
import { currentIndex } from "../store/place.ts";
import { damaged, UnreadableIndex } from "../store/sqlite.ts";
import { unreadableTold } from "../store/trouble.ts";
import { explore } from "./explore.ts";
import type { OpenIndexes } from "./open-indexes.ts";
import {
  Cancelled,
  EMISSION,
  failed,
  told,
  VIEW,
  type Asked,
  type RawResult,
} from "./runner.ts";

/**
 * The answer, whichever thread this is; `answer` gives what `explore` gives.
 * Throws: what the check of `indexes` throws.
 * @spec pool-same-bytes
 */
export function answered(
  indexes: OpenIndexes,
  root: string,
  asked: Asked,
  answer: typeof explore = explore,
): RawResult {
  try {
    const found = indexes.ask(root, (index) =>
      answer(root, index, {
        query: asked.query,
        ...(asked.maxFiles !== undefined && { maxFiles: asked.maxFiles }),
        ...(asked.maxChars !== undefined && { maxChars: asked.maxChars }),
        session: asked[VIEW],
        dedup: asked.dedup,
        client: asked.client,
        identified: asked.identified,
        project: asked.project,
        notes: asked.notes,
        unreported: asked.unreported,
      }),
    );
    if (!found) return told(say(wordings.SERVE_NOT_INDEXED, { path: root }));
    const { text, emission, report, stale } = found;
    return {
      content: [{ type: "text", text }],
      [EMISSION]: emission,
      ...(report && { report }),
      stale,
    };
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    if (!(error instanceof UnreadableIndex)) {
      const file = currentIndex(root);
      if (file === undefined) throw error;
      const { message: reason } = damaged(file, error);
      return {
        ...failed((error as Error).message),
        unreadable: { file, reason, isGuess: true },
      };
    }
    const text = unreadableTold(root, error);
    if (error.newer) return told(text);
    const { file, message: reason } = error;
    return {
      ...told([text, ...asked.notes].join("\n")),
      unreadable: { file, reason },
    };
  }
}
