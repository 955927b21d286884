/**
 * Runs tool calls. One handler serves every connection: whose record a call may
 * see comes in with the call, and nothing of a caller stays here.
 */
import { basename } from "node:path";
import { platform } from "node:process";
import { say } from "../model/wording.ts";
import { contextKey, rootKey } from "../session/context.ts";
import type { SessionRecord } from "../session/record.ts";
import type { Emission, SessionView } from "../session/view.ts";
import { limits, wordings, type Limits } from "../spec.gen.ts";
import { UnreadableIndex } from "../store/sqlite.ts";
import { readArguments, type ExploreArguments } from "./arguments.ts";
import { writeReport, type CallReport } from "./diagnostics.ts";
import { explore } from "./explore.ts";
import { findProject, OpenIndexes } from "./projects.ts";

export const TOOL = "codegraph_explore";

export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

/** The fields that travel inside; a client's own are dropped. */
const VIEW = "_cgExploreSession";
const EMISSION = "_cgExploreEmission";

/** A call as it goes down. */
interface Asked extends ExploreArguments {
  readonly dedup: string | undefined;
  readonly client: string | undefined;
  readonly project: string | undefined;
  readonly [VIEW]: SessionView | undefined;
}

/** A result as it comes up from where the call ran, which may be another thread. */
interface RawResult extends ToolResult {
  readonly [EMISSION]?: Emission;
  readonly report?: CallReport;
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
  /** The name that the client gives itself. */
  readonly client?: string | undefined;
  /** Indexes a folder that has no index; absent where that is not wanted. */
  readonly autoInit?: (folder: string) => Promise<void>;
  /** What the caller's environment says, read at this call. */
  readonly settings: Settings;
  /** Writes to the caller's standard error; by default to this process's. */
  readonly tell?: (text: string) => void;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
}

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
    if ("folder" in found) return told(found.say);
    const { root } = found;
    const context = contextKey(asked.sessionId);
    const key = rootKey(root, IGNORES_CASE);
    const view = session?.view(context, key, caller.now());
    const raw = this.run(root, {
      ...asked,
      dedup: caller.settings.dedup,
      client: caller.client,
      project: session?.knowsOthers(context, key) ? basename(root) : undefined,
      [VIEW]: view,
    });
    const { [EMISSION]: emission, report, ...result } = raw;
    if (report) writeReport(caller.settings.debug, report, caller.tell);
    // A call that was cancelled never reached its context.
    if (emission && session && !caller.signal?.aborted)
      session.record(context, key, emission, caller.now());
    return result;
  }

  close(): void {
    this.indexes.close();
  }

  /** What is asked and what comes back is plain data: a thread may sit between. */
  private run(root: string, asked: Asked): RawResult {
    try {
      const index = this.indexes.of(root);
      if (!index) return told(say(wordings.SERVE_NOT_INDEXED, { path: root }));
      const { text, emission, report } = explore(root, index, {
        query: asked.query,
        ...(asked.maxFiles !== undefined && { maxFiles: asked.maxFiles }),
        ...(asked.maxChars !== undefined && { maxChars: asked.maxChars }),
        session: asked[VIEW],
        dedup: asked.dedup,
        client: asked.client,
        project: asked.project,
      });
      return {
        content: [{ type: "text", text }],
        [EMISSION]: emission,
        report,
      };
    } catch (error) {
      if (!(error instanceof UnreadableIndex)) throw error;
      return told(
        say(wordings.CLI_UNREADABLE, { path: root, reason: error.message }),
      );
    }
  }
}

function told(text: string): ToolResult {
  return { content: [{ type: "text", text: `${text}\n` }] };
}

function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** File systems there ignore letter case. */
const IGNORES_CASE = platform === "win32" || platform === "darwin";
