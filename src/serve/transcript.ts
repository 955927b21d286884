/**
 * Follows the transcripts that a host writes of its conversations: what was appended
 * since the last look, and nothing twice. Of what it reads nothing is kept but how the
 * records hang together, and nothing is told to anybody.
 */
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TranscriptSign } from "../session/announced.ts";
import { Chain, readRecord } from "../session/chain.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import { TOOL } from "./tool.ts";

type Bounds = Pick<
  Limits,
  | "MAX_CHAIN_RECORDS"
  | "MAX_TRANSCRIPTS"
  | "TRANSCRIPT_MB"
  | "TRANSCRIPT_TAIL_KB"
  | "TRANSCRIPT_WAIT_MS"
  | "TRANSCRIPT_POLL_MS"
>;

/** Says of a call's id whether the conversation has lost what it delivered. */
export type IsGone = (callId: string) => boolean;

/** Those of one connection, by path. It dies with it. @spec rewound-calls transcripts-are-followed */
export class Transcripts {
  private readonly limits: Bounds;
  private readonly pause: (ms: number) => Promise<unknown>;
  /** The least recently read first. */
  private readonly known = new Map<string, Transcript>();

  constructor(
    limits: Bounds = fromSpec,
    pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
  ) {
    this.limits = limits;
    this.pause = pause;
  }

  /**
   * What a call may go by that belongs to this prompt; undefined where the transcript
   * cannot be read, or does not come to the prompt in time. `isAwaited` says whether
   * there is anything to wait for.
   */
  async read(
    { path, prompt }: TranscriptSign,
    isAwaited: boolean,
  ): Promise<IsGone | undefined> {
    if (!isAbsolute(path) || !path.endsWith(".jsonl")) return undefined;
    const transcript = this.known.get(path) ?? new Transcript(this.limits);
    this.known.delete(path);
    this.known.set(path, transcript);
    if (this.known.size > this.limits.MAX_TRANSCRIPTS)
      this.known.delete(this.known.keys().next().value!);
    let left = this.limits.TRANSCRIPT_WAIT_MS;
    for (;;) {
      const chain = await transcript.follow(path);
      if (!chain) return undefined;
      if (prompt === undefined || chain.hasCome(prompt))
        return (callId) => chain.isGone(callId);
      if (!isAwaited || transcript.missed === prompt) return undefined;
      if (left <= 0) {
        transcript.missed = prompt;
        return undefined;
      }
      // A host writes its transcript a moment after it has gone on.
      const ms = Math.min(left, this.limits.TRANSCRIPT_POLL_MS);
      await this.pause(ms);
      left -= ms;
    }
  }
}

/** Where to read on, and whether something is left out before it. @spec transcripts-read-on */
export function readOn(
  offset: number | undefined,
  size: number,
  limits: Pick<Limits, "TRANSCRIPT_MB" | "TRANSCRIPT_TAIL_KB"> = fromSpec,
): { readonly from: number; readonly isCut: boolean } {
  if (offset === undefined)
    return {
      from: Math.max(0, size - limits.TRANSCRIPT_TAIL_KB * KILOBYTE),
      isCut: false,
    };
  const earliest = size - limits.TRANSCRIPT_MB * MEGABYTE;
  return { from: Math.max(offset, earliest), isCut: offset < earliest };
}

class Transcript {
  private readonly limits: Bounds;
  private chain: Chain;
  private inode: number | undefined;
  /** What was read, but for a line that has no end yet. */
  private offset: number | undefined;
  /** A prompt that did not come in time: it is not waited for again. */
  missed: string | undefined;
  private reading: Promise<Chain | undefined> = Promise.resolve(undefined);

  constructor(limits: Bounds) {
    this.limits = limits;
    this.chain = new Chain(limits);
  }

  /** One look after the other. Never throws. */
  follow(path: string): Promise<Chain | undefined> {
    return (this.reading = this.reading.then(() =>
      this.look(path).catch(() => undefined),
    ));
  }

  private async look(path: string): Promise<Chain | undefined> {
    let file: FileHandle;
    try {
      // What is no file, a pipe say, must not keep who opens it.
      file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch {
      // It is written with the first turn: all of it is still to come.
      this.offset ??= 0;
      return undefined;
    }
    try {
      const about = await file.stat();
      if (!about.isFile()) return undefined;
      if (
        this.offset !== undefined &&
        (about.size < this.offset ||
          (this.inode !== undefined && this.inode !== about.ino))
      ) {
        this.chain = new Chain(this.limits);
        this.offset = 0;
      }
      this.inode = about.ino;
      const { from, isCut } = readOn(this.offset, about.size, this.limits);
      if (isCut) this.chain.cut();
      this.offset = from;
      await this.take(file, about.size);
      return this.chain;
    } finally {
      await file.close();
    }
  }

  /** Takes in the whole lines up to `end`, a part at a time: others wait for this thread. */
  private async take(file: FileHandle, end: number): Promise<void> {
    let most = PART_BYTES;
    while (this.offset! < end) {
      const bytes = Buffer.allocUnsafe(Math.min(most, end - this.offset!));
      const { bytesRead } = await file.read(
        bytes,
        0,
        bytes.length,
        this.offset!,
      );
      const taken = this.takeLines(bytes.subarray(0, bytesRead));
      this.offset! += taken;
      // A line may be longer than a part; one without an end is still being written.
      if (taken === 0 && bytesRead < most) break;
      if (taken === 0) most *= 2;
    }
  }

  private takeLines(bytes: Buffer): number {
    let start = 0;
    for (;;) {
      const stop = bytes.indexOf(LINE_FEED, start);
      if (stop < 0) return start;
      const line = bytes.subarray(start, stop);
      start = stop + 1;
      if (!line.includes(SIGN)) continue;
      const record = readRecord(line.toString("utf8"), isOurs);
      if (record) this.chain.take(record);
    }
  }
}

const isOurs = (tool: string): boolean => tool.endsWith(`__${TOOL}`);

/** Most of a transcript's bytes are in lines that hang on nothing. */
const SIGN = '"parentUuid"';
const LINE_FEED = 0x0a;
const PART_BYTES = 1 << 20;
const KILOBYTE = 1000; // exempt spec-values-are-imported: a unit
const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit
