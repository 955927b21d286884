/**
 * `codegraph hooks`: what agent hosts run at their events. An entry of its own, since
 * a host waits for it at every call: it loads next to nothing. It never fails, and
 * writes nothing but the hook protocol.
 */
import { postCompact, preToolUse } from "../hosts/hook.ts";
import { limits as fromSpec, type Limits } from "../spec.gen.ts";

/** How long a hook waits, in milliseconds, and how many bytes it reads. @spec hooks-harm-nothing hook-post-compact */
export const hookWaits = (
  limits: Pick<
    Limits,
    "HOOK_WAIT_MS" | "HOOK_INPUT_MS" | "HOOK_INPUT_MB"
  > = fromSpec,
) => ({
  daemon: limits.HOOK_WAIT_MS,
  input: limits.HOOK_INPUT_MS,
  bytes: limits.HOOK_INPUT_MB * MEGABYTE,
});

/** @spec hooks-harm-nothing */
export async function hooks(args: readonly string[]): Promise<void> {
  process.stdout.on("error", () => {});
  const [name] = args;
  try {
    const given = await input();
    if (name === "pre-tool-use") {
      const at = args.indexOf("--agent");
      process.stdout.write(preToolUse(EXACT.decode(given), args[at + 1]));
    } else if (name === "post-compact") {
      const sessionId = postCompact(LENIENT.decode(given));
      if (sessionId === "") return;
      const { askAll } = await import("../serve/daemon/ask.ts");
      await askAll("clear-session-record", hookWaits().daemon, { sessionId });
    }
  } catch {
    // A hook that fails would show in the host; what it was to do is done by doing without.
  }
}

/** All of standard input, as far as a payload goes; what does not end in time is none. */
function input(): Promise<Buffer> {
  const { input: ms, bytes: most } = hookWaits();
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const done = (given: Buffer = Buffer.alloc(0)) => {
      clearTimeout(timer);
      process.stdin.destroy();
      resolve(given);
    };
    const timer = setTimeout(done, ms);
    process.stdin.on("error", () => done());
    process.stdin.on("data", (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes > most) done();
    });
    process.stdin.on("end", () => done(Buffer.concat(parts)));
  });
}

/** A rewrite of what is no UTF-8 would change it; an end of a context must not be lost by it. */
const EXACT = new TextDecoder("utf8", { fatal: true });
const LENIENT = new TextDecoder("utf8");
const MEGABYTE = 1000 * 1000; // exempt spec-values-are-imported: a unit
