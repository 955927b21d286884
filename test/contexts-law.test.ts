/**
 * Conversations of all kinds over one connection, in random order. The model is the
 * conversation: what the window of each agent holds, by the answers that reached it.
 * It is written apart from the code, and the real server is asked.
 *
 * `LAW_RUNS` and `LAW_SEED` in the environment run it for longer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect } from "vitest";
import { postCompact, preToolUse } from "../src/hosts/hook.ts";
import { controlled } from "../src/serve/daemon/control.ts";
import type { Daemon } from "../src/serve/daemon/daemon.ts";
import { ToolHandler } from "../src/serve/handler.ts";
import { SessionRecord } from "../src/session/record.ts";
import { law } from "./from-spec.ts";
import { Held, near, textOf, type Near, type Said } from "./near.ts";
import { indexed, pythonFunction, scratch } from "./scratch.ts";
import { Transcript } from "./transcript.ts";
import { answered, type Window } from "./window.ts";

const NAMES = ["settle", "close", "audit"];
let root: string;
let folder: string;
const held = new Held();
const handler = new ToolHandler(held);
const source = new Map<string, readonly string[]>();
beforeAll(() => {
  folder = scratch();
  root = indexed(
    join(folder, "p"),
    Object.fromEntries(
      NAMES.map((name) => [
        `${name}.py`,
        [1, 2].map((n) => pythonFunction(`${name}_${n}`, 10)).join("\n"),
      ]),
    ),
  );
  for (const name of NAMES)
    source.set(
      `${name}.py`,
      readFileSync(join(root, `${name}.py`), "utf8").split("\n"),
    );
});
afterAll(() => handler.close());

/** One conversation, and what its window holds. */
class Agent {
  readonly session: Session;
  /** Empty for the main agent. */
  readonly name: string;
  /** How often it was compacted. */
  part = 0;
  window: Window;
  /** The minute of the last answer that reached it. */
  heardAt: number;

  constructor(session: Session, name: string, at: number, window: Window) {
    this.session = session;
    this.name = name;
    this.heardAt = at;
    this.window = window;
  }
}

/** A session of the host: a main agent, its subagents, its transcript. */
class Session {
  readonly id: string;
  readonly transcript: Transcript;
  readonly main: Agent;
  readonly agents: Agent[];
  /** Where turns ended, and what the main agent held there. */
  readonly places: { at: string | null; window: Window }[] = [];

  constructor(id: string, at: number) {
    this.id = id;
    this.transcript = new Transcript(join(folder, `${id}.jsonl`));
    this.main = new Agent(this, "", at, new Set());
    this.agents = [this.main];
    this.turn();
  }

  /** A turn ends, and the person says something. */
  turn(): void {
    const at = this.transcript.place();
    this.places.push({ at, window: this.main.window });
    this.transcript.ask();
  }
}

/** A way in which a host tells whose a call is, and what ends a context. */
interface Way {
  readonly client: string;
  /** The arguments and `_meta` of a call. */
  call(
    client: Near,
    agent: Agent,
    id: string,
    args: Said,
  ): Promise<{ args: Said; meta?: Said }> | { args: Said; meta?: Said };
  /** What the host's hooks do when an agent's context has ended by an event. */
  ended(
    client: Near,
    record: SessionRecord,
    agent: Agent,
    event: "compact" | "clear" | "resume",
  ): Promise<void>;
  /** A subagent's compaction is told without its name. */
  readonly losesNames: boolean;
  readonly rewinds: boolean;
  readonly resumes: boolean;
  /** Calls may be made by scripts whose model sees nothing of them. */
  readonly detaches: boolean;
  /** Nothing may ever be pointed at. */
  readonly isBlind: boolean;
}

const nothing = {
  losesNames: false,
  rewinds: false,
  resumes: true,
  detaches: false,
  isBlind: false,
};

const payload = ({ session, name }: Agent, more: Said = {}): string =>
  JSON.stringify({
    session_id: session.id,
    ...(name !== "" && { agent_id: name }),
    ...more,
  });

const codex: Way = {
  ...nothing,
  client: "codex-mcp-client",
  detaches: true,
  // It begins another process then.
  resumes: false,
  call(_, { session, name, part }, callId, args) {
    const threadId = `${session.id}${name && `-${name}`}`;
    return {
      args,
      meta: { threadId, windowId: `${threadId}:${part}`, callId },
    };
  },
  // Its calls say it all.
  ended: async () => {},
};

const announcing: Way = {
  ...nothing,
  client: "claude-code",
  rewinds: true,
  async call(client, { session, name }, u, args) {
    const { path: t, prompt: p } = session.transcript;
    await client.announce({ s: session.id, a: name, u, t, p });
    return { args, meta: { "claudecode/toolUseId": u, progressToken: 1 } };
  },
  ended: (client, _, { session, name }, e) =>
    client.announce({ s: session.id, a: name, e }),
};

const stamping: Way = {
  ...nothing,
  client: "opencode",
  losesNames: true,
  call(_, agent, __, args) {
    const given = payload(agent, {
      tool_name: "mcp__codegraph__codegraph_explore",
      tool_input: args,
    });
    const { hookSpecificOutput } = JSON.parse(preToolUse(given, "claude")) as {
      hookSpecificOutput: { updatedInput: Said };
    };
    return { args: hookSpecificOutput.updatedInput };
  },
  async ended(_, session, agent) {
    const sessionId = postCompact(payload(agent));
    const daemon = { clients: new Set([{ session }]) } as unknown as Daemon;
    const op = "clear-session-record";
    const answer = await controlled(daemon, { op, request: { sessionId } });
    expect(answer).toHaveProperty("dropped");
  },
};

const silent: Way = {
  ...nothing,
  client: "claude-code",
  isBlind: true,
  call: (_, __, u, args) => ({ args, meta: { "claudecode/toolUseId": u } }),
  ended: async () => {},
};

interface Ask {
  readonly agent: number;
  readonly words: readonly string[];
  readonly maxFiles: number;
  readonly fate: "answered" | "cancelled" | "detached";
}
type Step =
  | { readonly do: "ask"; readonly ask: Ask }
  /** Two calls at once; meanwhile, or not, a context ends. */
  | {
      readonly do: "together";
      readonly asks: readonly [Ask, Ask];
      readonly compacted: number | undefined;
    }
  | { readonly do: "spawn"; readonly from: number; readonly isFork: boolean }
  | {
      readonly do: "compact";
      readonly agent: number;
      readonly fails: boolean;
      readonly nameless: boolean;
    }
  | { readonly do: "clear" | "turn" }
  | { readonly do: "resume" | "rewind"; readonly to: number }
  | { readonly do: "wait"; readonly minutes: number };

const word = fc.constantFrom(
  ...NAMES.flatMap((name) => [
    `${name}.py`,
    ...[1, 2].map((n) => `${name}_${n}`),
  ]),
);
const ask: fc.Arbitrary<Ask> = fc.record({
  agent: fc.nat(5),
  words: fc.array(word, { minLength: 1, maxLength: 2 }),
  maxFiles: fc.constantFrom(1, 2, 3),
  fate: fc.oneof(
    { weight: 6, arbitrary: fc.constant("answered" as const) },
    fc.constantFrom("cancelled" as const, "detached" as const),
  ),
});
const agent = fc.nat(5);
/** What a host of this kind does: calls most of all, and all that ends a context. */
const stepOf = ({ rewinds, resumes }: Way): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ do: fc.constant("ask" as const), ask }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("together" as const),
        asks: fc.tuple(ask, ask),
        compacted: fc.option(agent, { nil: undefined }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("spawn" as const),
        from: agent,
        isFork: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("compact" as const),
        agent,
        fails: fc.constantFrom(true, false, false, false),
        nameless: fc.constantFrom(true, true, false),
      }),
    },
    fc.record({ do: fc.constantFrom("clear" as const, "turn" as const) }),
    {
      weight: resumes ? 1 : 0,
      arbitrary: fc.record({ do: fc.constant("resume" as const), to: place }),
    },
    {
      weight: rewinds ? 4 : 0,
      arbitrary: fc.record({ do: fc.constant("rewind" as const), to: place }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("wait" as const),
        minutes: fc.constantFrom(1, 30, 59, 60),
      }),
    },
  );
const place = fc.nat(3);

/** One connection, and the conversations on it. */
class World {
  readonly way: Way;
  private readonly client: Near;
  private readonly record: SessionRecord;
  private readonly sessions: Session[] = [];
  private current: Session;
  private readonly clock: { minute: number };
  private ids = 0;
  pointers = 0;

  private constructor(
    way: Way,
    client: Near,
    record: SessionRecord,
    clock: { minute: number },
  ) {
    this.way = way;
    this.client = client;
    this.record = record;
    this.clock = clock;
    this.current = this.begin();
  }

  static async of(way: Way): Promise<World> {
    const record = new SessionRecord();
    const clock = { minute: 0 };
    const client = await near(root, {
      name: way.client,
      handler,
      session: record,
      now: () => clock.minute * 60_000,
    });
    return new World(way, client, record, clock);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private begin(): Session {
    const session = new Session(`S${worlds}-${++this.ids}`, this.clock.minute);
    this.sessions.push(session);
    return session;
  }

  private agent(n: number): Agent {
    const { agents } = this.current;
    return agents[n % agents.length]!;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "ask":
        return (await this.start(step.ask)).finish();
      case "together":
        return this.together(step.asks, step.compacted);
      case "spawn": {
        const window = step.isFork
          ? this.agent(step.from).window
          : new Set<string>();
        const { agents } = this.current;
        agents.push(
          new Agent(this.current, `a${++this.ids}`, this.clock.minute, window),
        );
        return;
      }
      case "compact":
        // One that fails changes nothing, and no hook tells of it.
        if (!step.fails)
          await this.compact(this.agent(step.agent), step.nameless);
        return;
      case "clear":
        this.current = this.begin();
        return this.way.ended(
          this.client,
          this.record,
          this.current.main,
          "clear",
        );
      case "resume":
        this.current = this.sessions[step.to % this.sessions.length]!;
        // The host may make it up of less than it was.
        this.current.main.window = new Set();
        this.current.turn();
        return this.way.ended(
          this.client,
          this.record,
          this.current.main,
          "resume",
        );
      case "turn":
        return this.current.turn();
      case "rewind": {
        const { places, transcript, main } = this.current;
        const { at, window } = places[step.to % places.length]!;
        // The host writes what follows once it has gone on.
        transcript.hold();
        transcript.goBack(at);
        transcript.ask();
        main.window = window;
        return;
      }
      case "wait":
        this.clock.minute += step.minutes;
    }
  }

  private async compact(agent: Agent, nameless = false): Promise<void> {
    const { session } = agent;
    agent.part++;
    agent.window = new Set();
    if (agent === session.main) session.transcript.compact();
    const told = nameless && this.way.losesNames ? session.main : agent;
    await this.way.ended(this.client, this.record, told, "compact");
  }

  private async together(
    [one, two]: readonly [Ask, Ask],
    compacted: number | undefined,
  ): Promise<void> {
    const first = await this.start(one, "first");
    const second = await this.start(two, "second");
    if (compacted !== undefined) await this.compact(this.agent(compacted));
    await second.finish();
    await first.finish();
  }

  /** Sends a call; it is answered when the step goes on. */
  private async start({ agent: n, words, maxFiles, fate }: Ask, mark = "only") {
    const agent = this.agent(n);
    const isDetached = fate === "detached" && this.way.detaches;
    const id = `${isDetached ? "exec-" : "call_"}${++this.ids}`;
    const query = `${words.join(" ")} ${mark}${this.ids}`;
    // A host may have cleared what is as old.
    if (this.clock.minute - agent.heardAt >= 60) agent.window = new Set();
    const { part } = agent;
    const { args, meta } = await this.way.call(this.client, agent, id, {
      query,
      maxFiles,
    });
    const open = held.hold(query);
    const call = this.client.request("tools/call", {
      name: "codegraph_explore",
      arguments: args,
      ...(meta && { _meta: meta }),
    });
    // It is on its way to where calls run before anything else happens.
    await this.client.request("ping").answer;
    const { transcript } = agent.session;
    // Time to look once before the host writes.
    if (transcript.isLate) await sleep(5);
    transcript.flush();
    const finish = async (): Promise<void> => {
      if (fate === "cancelled") {
        this.client.notify("notifications/cancelled", { requestId: call.id });
        await this.client.request("ping").answer;
        open();
        return;
      }
      open();
      const { shown, pointedAt } = answered(textOf(await call.answer));
      for (const place of shown) expect(this.exists(place), place).toBe(true);
      this.pointers += pointedAt.size;
      // Of two calls at once the later answer may name what the earlier one sent.
      const may = isDetached || this.way.isBlind ? new Set() : agent.window;
      // An agent that is compacted while it waits is none that a host has.
      if (agent.part === part)
        expect([...pointedAt].filter((place) => !may.has(place))).toEqual([]);
      if (isDetached || agent.part !== part) return;
      agent.window = new Set([...agent.window, ...shown]);
      agent.heardAt = this.clock.minute;
      if (agent.name === "") agent.session.transcript.calls([id]);
    };
    return { finish };
  }

  private exists(place: string): boolean {
    const [path, line] = place.split(":");
    return source.get(path!)?.[Number(line) - 1] !== undefined;
  }
}

let worlds = 0;
const runs = Number(process.env["LAW_RUNS"] ?? 24);
const seed = process.env["LAW_SEED"];

/** Gives how many lines were pointed at in all. */
async function pointed(way: Way): Promise<number> {
  let pointers = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(stepOf(way), { minLength: 5, maxLength: 30, size: "max" }),
      async (steps) => {
        worlds++;
        const world = await World.of(way);
        try {
          for (const one of steps) await world.take(one);
        } finally {
          pointers += world.pointers;
          await world.close();
        }
      },
    ),
    {
      numRuns: way.isBlind ? Math.ceil(runs / 4) : runs,
      ...(seed !== undefined && { seed: Number(seed) }),
    },
  );
  return pointers;
}

law(
  "owner-decides",
  "no context is pointed at what it was not sent: calls that name theirs",
  async () => {
    expect(await pointed(codex)).toBeGreaterThan(runs);
  },
);
law(
  "hooks-announce",
  "no context is pointed at what it was not sent: calls that hooks announce",
  async () => {
    expect(await pointed(announcing)).toBeGreaterThan(runs);
  },
);
law(
  "control-clears-a-context",
  "no context is pointed at what it was not sent: calls that are stamped",
  async () => {
    expect(await pointed(stamping)).toBeGreaterThan(runs);
  },
);
law(
  "dedup-shared-connections",
  "no context is pointed at what it was not sent: calls of nobody",
  async () => {
    expect(await pointed(silent)).toBe(0);
  },
);
