/**
 * What hooks have announced on one connection: which context the call belongs to that
 * is about to come.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** @spec announced-calls */
export class Announced {
  private readonly most: number;
  /** Contexts by the call's id, the earliest first. */
  private readonly contexts = new Map<string, string>();

  constructor(limits: Pick<Limits, "MAX_ANNOUNCED"> = fromSpec) {
    this.most = limits.MAX_ANNOUNCED;
  }

  announce(callId: string, context: string): void {
    this.contexts.delete(callId);
    this.contexts.set(callId, context);
    if (this.contexts.size > this.most)
      this.contexts.delete(this.contexts.keys().next().value!);
  }

  /** A call's id names one call: it is forgotten once it was asked for. */
  take(callId: string): string | undefined {
    const context = this.contexts.get(callId);
    this.contexts.delete(callId);
    return context;
  }
}
