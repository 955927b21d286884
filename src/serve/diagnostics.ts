/**
 * What a call decided and why, for whoever tunes or doubts it. Nothing of it is in
 * the answer.
 *
 * Units: characters are UTF-16 units; lines are 1-based and inclusive.
 */
import { appendFileSync } from "node:fs";
import { printSpans, type Span } from "../model/span.ts";
import type { Reason } from "./history.ts";
import type { SessionView } from "../session/view.ts";

export interface FileReport {
  readonly path: string;
  readonly rank: number;
  readonly score: number;
  /** What the score is made of. */
  readonly why: string;
  readonly kind: string;
  readonly allocated: number;
  readonly chars: number;
  readonly spans: readonly Span[];
  /** Characters that dedup kept out of the file's section. */
  readonly dedupSavedChars: number;
  /** Lines that were pointed at. */
  readonly dedupCovered: readonly Span[];
}

export interface CallReport {
  readonly query: string;
  readonly chars: number;
  readonly ceiling: number;
  readonly files: readonly FileReport[];
  /** Absent where nothing is tracked. */
  readonly session?: SessionReport;
  readonly dedup: {
    readonly gate: Reason;
    /** Characters suppressed from the candidates before the budget cut them: never a saving. */
    readonly savedChars: number;
    /** The guard put a file back. */
    readonly guarded: boolean;
  };
}

export interface SessionReport {
  /** This call's place in its bucket, from 1. */
  readonly callIndex: number;
  readonly priorCalls: number;
  readonly bytesAlreadyServed: number;
  /** The latest call's first. */
  readonly priorFiles: readonly {
    readonly path: string;
    readonly spans: readonly Span[];
    readonly sourceBytes: number;
  }[];
}

export function sessionReport(view: SessionView): SessionReport {
  const files = new Map<
    string,
    { path: string; spans: Span[]; sourceBytes: number }
  >();
  for (const call of view.calls)
    for (const { path, spans, sourceBytes } of call.files) {
      const known = files.get(path) ?? { path, spans: [], sourceBytes: 0 };
      known.spans.push(...spans);
      known.sourceBytes += sourceBytes;
      files.set(path, known);
    }
  return {
    callIndex: view.callCount + 1,
    priorCalls: view.callCount,
    bytesAlreadyServed: view.responseBytes,
    priorFiles: [...files.values()],
  };
}

/** @spec serve-diagnostics */
export function reportText(report: CallReport): string {
  const lines = [
    `explore ${JSON.stringify(report.query)}: ${report.chars} of ${report.ceiling} chars`,
    ...report.files.map(
      (f) =>
        `  ${f.rank}. ${f.path} ${f.kind} ${f.chars}/${f.allocated} chars · score ${f.score.toFixed(3)} (${f.why})` +
        (f.spans.length > 0 ? ` · ${printSpans(f.spans)}` : "") +
        (f.dedupCovered.length > 0
          ? ` · pointed at ${printSpans(f.dedupCovered)}, ${f.dedupSavedChars} chars`
          : ""),
    ),
  ];
  const { session, dedup } = report;
  if (session) {
    lines.push(
      `  session call #${session.callIndex} · ${session.priorCalls} prior · ${session.bytesAlreadyServed} bytes already served`,
      ...session.priorFiles.map(
        (f) =>
          `    already served ${f.path} · ${f.sourceBytes} bytes · ${printSpans(f.spans)}`,
      ),
    );
  }
  lines.push(
    `  dedup ${dedup.gate} · suppressed ${dedup.savedChars} chars${dedup.guarded ? " · guard" : ""}`,
  );
  return `${lines.join("\n")}\n`;
}

/** Whether the switch asks for reports at all. */
export const isReported = (to: string | undefined): to is string =>
  to !== undefined && to.trim() !== "" && to !== "0";

/**
 * Writes a report where `CODEGRAPH_EXPLORE_DEBUG` says; `tell` writes to the caller's
 * standard error. A file that cannot be written is told once a call there: a report
 * never fails a call.
 * @spec serve-diagnostics
 */
export function writeReport(
  to: string | undefined,
  report: CallReport,
  tell: (text: string) => void = (text) => process.stderr.write(text),
): void {
  if (!isReported(to)) return;
  if (to === "1") {
    tell(reportText(report));
    return;
  }
  try {
    appendFileSync(
      to,
      to.endsWith(".jsonl")
        ? `${JSON.stringify(report)}\n`
        : reportText(report),
    );
  } catch (error) {
    tell(`codegraph: CODEGRAPH_EXPLORE_DEBUG: ${(error as Error).message}\n`);
  }
}
