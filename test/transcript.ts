/** A transcript as Claude Code 2.1.332 writes it, as far as records hang together. */
import { appendFileSync } from "node:fs";

export class Transcript {
  readonly path: string;
  /** The prompt that calls answer to now. */
  prompt = "";
  private parent: string | null = null;
  private count = 0;
  /** Lines that the host has yet to write; undefined where it writes at once. */
  private late: string[] | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** A new prompt, and what the host notes with it. */
  ask(text = "go on", prompt = this.id("prompt")): void {
    this.prompt = prompt;
    this.write({ type: "last-prompt", leafUuid: this.parent });
    this.add("user", {
      promptId: this.prompt,
      message: { role: "user", content: text },
    });
    this.add("attachment", { attachment: { type: "total_tokens_reminder" } });
  }

  /** Calls that the model makes in one message, and their results. */
  calls(ids: readonly string[]): void {
    const message = this.id("msg");
    const made = ids.map((id) => {
      this.add("assistant", {
        message: {
          id: message,
          role: "assistant",
          content: [
            { type: "tool_use", id, name: "mcp__codegraph__codegraph_explore" },
          ],
        },
      });
      return { id, uuid: this.parent };
    });
    // Each result hangs on its call; the last one that comes is what goes on.
    for (const { id, uuid } of made) {
      this.parent = uuid;
      this.add("attachment", { attachment: { type: "hook_success" } });
      this.parent = uuid;
      this.add("user", {
        promptId: this.prompt,
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: [] }],
        },
      });
    }
    this.write({ type: "api-request", querySource: "repl_main_thread" });
  }

  /** The end of a turn, to which a person can come back. */
  place(): string | null {
    this.add("assistant", {
      message: {
        id: this.id("msg"),
        role: "assistant",
        content: [{ type: "text", text: "done" }],
      },
    });
    return this.parent;
  }

  /** Nothing is written until the next prompt. */
  goBack(place: string | null): void {
    this.parent = place;
  }

  compact(): void {
    const before = this.parent;
    this.parent = null;
    this.add("system", {
      subtype: "compact_boundary",
      logicalParentUuid: before,
    });
    this.add("user", { isCompactSummary: true, message: { role: "user" } });
  }

  private add(type: string, more: object): void {
    const uuid = this.id("record");
    this.write({
      parentUuid: this.parent,
      isSidechain: false,
      type,
      ...more,
      uuid,
      version: "2.1.332",
    });
    this.parent = uuid;
  }

  private id(kind: string): string {
    return `${kind}-${++this.count}-${this.path.length}`;
  }

  /** From here on nothing is written until `flush`. */
  hold(): void {
    this.late ??= [];
  }

  get isLate(): boolean {
    return this.late !== undefined;
  }

  flush(): void {
    const lines = this.late ?? [];
    this.late = undefined;
    if (lines.length > 0) appendFileSync(this.path, lines.join(""));
  }

  private write(record: object): void {
    const line = `${JSON.stringify(record)}\n`;
    if (this.late) this.late.push(line);
    else appendFileSync(this.path, line);
  }
}
