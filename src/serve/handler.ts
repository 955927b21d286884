/**
 * Runs tool calls. One handler serves every connection: whose record a call may
 * see comes in with the call, and nothing of a caller stays here.
 */
import { platform } from "node:process";
import { say } from "../model/wording.ts";
import { contextKey, rootKey } from "../session/context.ts";
import type { SessionRecord } from "../session/record.ts";
import type { Emission, SessionView } from "../session/view.ts";
import { limits, wordings, type Limits } from "../spec.gen.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import { readArguments } from "./arguments.ts";
import { explore } from "./explore.ts";
import { findProject, OpenIndexes } from "./projects.ts";

export const TOOL = "codegraph_explore";

export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

/** A result as it comes up from where the call ran, which may be another thread. */
interface RawResult extends ToolResult {
  _cgExploreEmission?: Emission & { readonly root: string };
}

export interface Settings {
  /** `CODEGRAPH_EXPLORE_DEDUP` */
  readonly dedup: string | undefined;
  /** `CODEGRAPH_EXPLORE_DEBUG` */
  readonly debug: string | undefined;
}

/** What is said of a tool that is not there. @spec serve-bounds-what-it-reads */
export function unknownTool(
  tool: string,
  bounds: Pick<Limits, "MAX_TOOL_CHARS"> = limits,
): string {
  return say(wordings.TOOL_UNKNOWN, {
    name: JSON.stringify(tool.slice(0, bounds.MAX_TOOL_CHARS)),
  });
}

/** What the connection knows; plain data but for the record. */
export interface Caller {
  /** The client's roots, `--path` and the working directory, in this order. */
  readonly places: readonly string[];
  readonly signal?: AbortSignal;
  /** Indexes a folder that has no index; absent where that is not wanted. */
  readonly autoInit?: (folder: string) => Promise<void>;
  /** What the caller's environment says, read at this call. */
  readonly settings: Settings;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
}

/** The fields that travel inside; a client's own are dropped. */
const VIEW = "_cgExploreSession";
const EMISSION = "_cgExploreEmission";

export class ToolHandler {
  private readonly indexes = new OpenIndexes();

  /**
   * Answers a call. `session` is the record of the caller's connection; without one
   * nothing is tracked, and the answer is the same.
   * @spec serve-trusts-no-view
   */
  async execute(
    tool: string,
    given: unknown,
    session: SessionRecord | undefined,
    caller: Caller,
  ): Promise<ToolResult> {
    if (tool !== TOOL) return failed(unknownTool(tool));
    const asked = readArguments(given);
    if (typeof asked === "string") return failed(asked);
    let found = findProject(asked.projectPath, caller.places);
    if ("folder" in found && caller.autoInit) {
      await caller.autoInit(found.folder);
      found = findProject(asked.projectPath, caller.places);
    }
    if ("folder" in found)
      return { content: [{ type: "text", text: `${found.say}\n` }] };
    const { root } = found;
    const context = contextKey(asked.sessionId);
    const key = rootKey(root, IGNORES_CASE);
    const view = session?.view(context, key, caller.now());
    const raw = this.run(root, { ...asked, ...(view && { [VIEW]: view }) });
    const { [EMISSION]: emission, ...result } = raw;
    // A call that was cancelled never reached its context.
    if (emission && session && !caller.signal?.aborted)
      session.record(context, key, emission, caller.now());
    return result;
  }

  close(): void {
    this.indexes.close();
  }

  private run(
    root: string,
    asked: Exclude<ReturnType<typeof readArguments>, string> & {
      [VIEW]?: SessionView;
    },
  ): RawResult {
    try {
      const index = this.indexes.of(root);
      if (!index)
        return {
          content: [
            {
              type: "text",
              text: `${say(wordings.SERVE_NOT_INDEXED, { path: root })}\n`,
            },
          ],
        };
      const answer = explore(root, index, {
        query: asked.query,
        ...(asked.maxFiles !== undefined && { maxFiles: asked.maxFiles }),
        ...(asked.maxChars !== undefined && { maxChars: asked.maxChars }),
      });
      return { content: [{ type: "text", text: answer.text }] };
    } catch (error) {
      if (error instanceof UnreadableIndex)
        return {
          content: [
            {
              type: "text",
              text: `${say(wordings.CLI_UNREADABLE, { path: root, reason: error.message })}\n`,
            },
          ],
        };
      throw error;
    }
  }
}

function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** File systems there ignore letter case. */
const IGNORES_CASE = platform === "win32" || platform === "darwin";
