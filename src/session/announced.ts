/**
 * What hooks have announced on one connection: which context the call belongs to that
 * is about to come.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** Where a host writes down the conversation that a call belongs to, and how far it is. */
export interface TranscriptSign {
  readonly path: string;
  /** The prompt that the call answers to, where the host says it. */
  readonly prompt: string | undefined;
}

/** What a hook has said of a call. */
export interface AnnouncedCall {
  readonly context: string;
  /** Of a main agent's call. */
  readonly transcript?: TranscriptSign | undefined;
}

/** @spec announced-calls */
export class Announced {
  private readonly most: number;
  /** By the call's id, the earliest first. */
  private readonly calls = new Map<string, AnnouncedCall>();

  constructor(limits: Pick<Limits, "MAX_ANNOUNCED"> = fromSpec) {
    this.most = limits.MAX_ANNOUNCED;
  }

  announce(callId: string, call: AnnouncedCall): void {
    this.calls.delete(callId);
    this.calls.set(callId, call);
    if (this.calls.size > this.most)
      this.calls.delete(this.calls.keys().next().value!);
  }

  /** A call's id names one call: it is forgotten once it was asked for. */
  take(callId: string): AnnouncedCall | undefined {
    const call = this.calls.get(callId);
    this.calls.delete(callId);
    return call;
  }
}
