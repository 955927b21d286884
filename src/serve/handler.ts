/**
 * Runs tool calls. One handler serves every connection: whose record a call may
 * see comes in with the call, and nothing of a caller stays here.
 */
import { basename } from "node:path";
import { platform } from "node:process";
import { say } from "../model/wording.ts";
import type { Announced } from "../session/announced.ts";
import { rootKey } from "../session/context.ts";
import { isKnown, ownerOf } from "../session/owner.ts";
import type { SessionRecord } from "../session/record.ts";
import { limits, wordings, type Limits } from "../spec.gen.ts";
import { readArguments } from "./arguments.ts";
import { isReported, writeReport } from "./diagnostics.ts";
import type { WatchState } from "./freshness.ts";
import type { Keeper } from "./keeper.ts";
import { findProject } from "./projects.ts";
import { TOOL } from "./tool.ts";
import type { Transcripts } from "./transcript.ts";
import {
  EMISSION,
  failed,
  InThread,
  told,
  VIEW,
  type Asked,
  type RawResult,
  type Runner,
  type ToolResult,
} from "./runner.ts";

export type { ToolResult } from "./runner.ts";

export interface Settings {
  /** `CODEGRAPH_EXPLORE_DEDUP` */
  readonly dedup: string | undefined;
  /** `CODEGRAPH_EXPLORE_DEBUG` */
  readonly debug: string | undefined;
  /** `CODEGRAPH_MCP_EXPLORE_SESSION_PARAM` */
  readonly sessionParam?: string | undefined;
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
  /** `_meta` of the request. */
  readonly meta?: unknown;
  /** No control line reaches this server: nothing tells it that a stamp has ended. */
  readonly isAlone?: boolean | undefined;
  /** What hooks have announced on the connection. */
  readonly announced?: Announced;
  /** The transcripts that hooks have named on the connection. */
  readonly transcripts?: Transcripts;
  /** Indexes a folder that has no index; absent where that is not wanted. */
  readonly autoInit?: (folder: string) => Promise<void>;
  /** What the caller's environment says, read at this call. */
  readonly settings: Settings;
  /** Writes to the caller's standard error; by default to this process's. */
  readonly tell?: (text: string) => void;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
}

/** It holds where calls run, and nothing of a caller. @spec handler-holds-no-caller */
export class ToolHandler {
  private readonly runner: Runner;
  private readonly keeper: Keeper | undefined;

  /**
   * Calls run in this thread unless another `runner` is given, and from the index as it
   * is unless a `keeper` keeps it fresh. Both are closed with the handler.
   */
  constructor(runner: Runner = new InThread(), keeper?: Keeper) {
    this.runner = runner;
    this.keeper = keeper;
  }

  /**
   * Answers a call. `record` is that of the caller's connection; without one
   * nothing is tracked, and the answer is the same.
   *
   * What the context holds is looked up before the call runs and noted after it: of
   * two calls that run at once, neither is told of lines that the other has yet to
   * deliver. Throws: Cancelled where the caller's signal says so in time.
   * @spec serve-trusts-no-view pool-record-stays owner-decides rewound-calls
   */
  async execute(
    tool: string,
    given: unknown,
    record: SessionRecord | undefined,
    caller: Caller,
  ): Promise<ToolResult> {
    if (tool !== TOOL) return failed(unknownTool(tool));
    const asked = readArguments(given);
    if (typeof asked === "string") return failed(asked);
    let found = findProject(asked.projectPath, caller.places);
    if ("folder" in found && !found.isMissing && caller.autoInit) {
      await caller.autoInit(found.folder);
      found = findProject(asked.projectPath, caller.places);
    }
    if ("folder" in found) return told(found.say);
    const { root } = found;
    const owner = ownerOf({
      client: caller.client,
      meta: caller.meta,
      sessionId: asked.sessionId,
      announced: (callId) => caller.announced?.take(callId),
    });
    const { context, announced } = owner;
    // What no conversation may ever see is neither shortened nor remembered.
    const session = owner.detached ? undefined : record;
    const key = rootKey(root, IGNORES_CASE);
    // From here on, since what ends a context may come while this waits.
    const ended = session?.ended;
    const [notes = [], isGone] = await Promise.all([
      this.keeper?.fresh(root),
      announced?.transcript &&
        caller.transcripts?.read(
          announced.transcript,
          (session?.view(context, key, caller.now()).calls.length ?? 0) > 0,
        ),
    ]);
    if (isGone) session?.rewind(context, isGone);
    const down: Asked = {
      query: asked.query,
      maxFiles: asked.maxFiles,
      maxChars: asked.maxChars,
      dedup: caller.settings.dedup,
      client: caller.client,
      identified: isKnown(owner, caller.client, caller.isAlone !== true),
      project: session?.knowsOthers(context, key) ? basename(root) : undefined,
      notes,
      unreported: !isReported(caller.settings.debug),
      [VIEW]: session?.view(context, key, caller.now()),
    };
    const raw = await this.answered(root, down, caller.signal);
    const {
      [EMISSION]: emission,
      report,
      stale: _,
      unreadable: __,
      ...result
    } = raw;
    if (report) writeReport(caller.settings.debug, report, caller.tell);
    // A call that was cancelled never reached its context, and one that has ended
    // meanwhile may not be the one that it reaches.
    const isThere = !caller.signal?.aborted && session?.ended === ended;
    if (emission && session && isThere)
      session.record(context, key, emission, caller.now(), announced?.callId);
    return result;
  }

  /** Gets ready to answer a client at these places, who will ask later. @spec fresh-before-an-answer */
  prepare(places: readonly string[]): void {
    const found = findProject(undefined, places);
    if ("folder" in found) return;
    this.runner.warm?.();
    this.keeper?.begin(found.root);
  }

  /** Once more where the index turns out not to be as the files are, and that is mended soon. */
  private async answered(
    root: string,
    asked: Asked,
    signal: AbortSignal | undefined,
  ): Promise<RawResult> {
    const first = await this.runner.run(root, asked, signal);
    const { stale = [], unreadable } = first;
    if (!this.keeper || signal?.aborted) return first;
    if (unreadable !== undefined) {
      const notes = await this.keeper.mend(root, unreadable);
      const second = await this.runner.run(root, { ...asked, notes }, signal);
      return second.unreadable && notes.includes(wordings.NOTE_CATCHING_UP)
        ? told(
            say(wordings.NOTE_REBUILDING, {
              path: root,
              reason: second.unreadable.reason,
            }),
          )
        : second;
    }
    return stale.length > 0 && (await this.keeper.takeIn(root, stale))
      ? this.runner.run(root, asked, signal)
      : first;
  }

  /** What is known of the projects that are kept fresh. */
  states(): WatchState[] {
    return this.keeper?.states() ?? [];
  }

  async close(): Promise<void> {
    await Promise.all([this.runner.close(), this.keeper?.close()]);
  }
}

/** File systems there ignore letter case. */
const IGNORES_CASE = platform === "win32" || platform === "darwin";
