/**
 * Spreads calls over worker threads, first come, first served, so that this thread
 * is free for the protocol. Each thread has one call in hand, and the next one where it
 * is soon done; the others wait here, where they can be taken back.
 *
 * Errs: toward an answer. Whatever breaks a thread, its call is answered in this
 * one; only a call that takes too long is not tried again.
 */
import { availableParallelism } from "node:os";
import { Worker, type ResourceLimits } from "node:worker_threads";
import { userFolderPath } from "../index/user-folder.ts";
import { say } from "../model/wording.ts";
import { scriptBeside } from "../index/script.ts";
import { limits as fromSpec, wordings, type Limits } from "../spec.gen.ts";
import type { CallDown, CallUp, ThreadStart } from "./explore-worker.ts";
import { nextOf, type Waiting } from "./turns.ts";
import {
  Cancelled,
  failed,
  InThread,
  VIEW,
  type Asked,
  type RawResult,
  type Runner,
} from "./runner.ts";

type PoolLimits = Pick<
  Limits,
  | "MAX_EXPLORE_THREADS"
  | "EXPLORE_TIMEOUT_MS"
  | "EXPLORE_IDLE_MINUTES"
  | "EXPLORE_HEAP_MB"
  | "EXPLORE_YOUNG_MB"
  | "KEPT_QUESTIONS"
  | "MAX_OVERTAKEN"
  | "LEFT_CALLS"
  | "LESSON_AFTER_MS"
>;

interface TurnLimits {
  readonly KEPT_QUESTIONS: number;
  readonly MAX_OVERTAKEN: number;
  readonly LEFT_CALLS: number;
}

export interface PoolOptions {
  /** What a thread runs; by default the script beside this one. */
  readonly script?: URL;
  /** How many threads; by default as many as `threadCount` says. */
  readonly threads?: number;
  /** What a thread may use; by default what the spec says. */
  readonly resourceLimits?: ResourceLimits;
  /** The limits of the spec, but for those that are given. */
  readonly limits?: Partial<PoolLimits>;
  /** Calls back after so many milliseconds; by default `setTimeout`. */
  readonly timer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** How many threads answer calls on a machine of so many cores. @spec pool-size */
export const threadCount = (
  cores: number = availableParallelism(),
  limits: Pick<Limits, "MAX_EXPLORE_THREADS"> = fromSpec,
): number => Math.max(1, Math.min(cores, limits.MAX_EXPLORE_THREADS));

/** What a thread may use; what is asked for goes before what the spec says. @spec pool-memory */
export const threadMemory = (
  asked: ResourceLimits = {},
  limits: Pick<Limits, "EXPLORE_HEAP_MB" | "EXPLORE_YOUNG_MB"> = fromSpec,
): ResourceLimits => ({
  maxOldGenerationSizeMb: limits.EXPLORE_HEAP_MB,
  maxYoungGenerationSizeMb: limits.EXPLORE_YOUNG_MB,
  ...asked,
});

/**
 * How long a thread may take, how long it waits for a call, and how long nobody is
 * answered before threads learn; milliseconds.
 * @spec pool-times-out pool-ends-the-idle pool-shares-what-it-learns
 */
export const patience = (
  limits: Pick<
    Limits,
    "EXPLORE_TIMEOUT_MS" | "EXPLORE_IDLE_MINUTES" | "LESSON_AFTER_MS"
  >,
): Readonly<Record<"answer" | "idle" | "lesson", number>> => ({
  answer: limits.EXPLORE_TIMEOUT_MS,
  idle: limits.EXPLORE_IDLE_MINUTES * MINUTE,
  lesson: limits.LESSON_AFTER_MS,
});

/** A call from when it comes until it is answered. */
interface Call {
  readonly id: number;
  readonly root: string;
  readonly asked: Asked; // exempt handler-holds-no-caller: gone when the call ends
  /** What threads are known by to have answered it: project and question. */
  readonly question: string;
  readonly signal: AbortSignal | undefined; // exempt handler-holds-no-caller: likewise
  /** These settle the caller's promise; later ones change nothing. */
  readonly resolve: (result: RawResult | Promise<RawResult>) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  /** How many calls that came later were taken up before it. */
  overtaken: number;
}

/** What a thread is to learn of another one: nobody waits for it. */
interface Lesson {
  readonly root: string;
  readonly asked: Asked; // exempt handler-holds-no-caller: the question alone, whoever asked it
  readonly question: string;
}

interface Thread {
  readonly worker: Worker;
  /** Where the thread looks for the ids of calls that were cancelled: of the one in hand, and of the next. */
  readonly given: Int32Array;
  /** It has said that it can take calls. */
  ready: boolean;
  /** The call in hand. */
  call: Call | undefined;
  /** It had answered the question of the call in hand before: it is soon free again. */
  isBrief: boolean;
  /** The call that it takes up then. */
  next: Call | undefined;
  /** What it learns while it has no call, and the id under which that was handed over. */
  lesson: Lesson | undefined;
  lessonId: number;
  /** Questions that it was given, the longest ago first. */
  readonly questions: Set<string>; // exempt handler-holds-no-caller: by question, whoever asks
  /** Until when it has to be ready or to answer, or else until when it waits for the next call. */
  timer: NodeJS.Timeout | undefined;
}

/** @spec pool-in-turn pool-hands-over-early pool-shares-what-it-learns pool-survives-a-crash pool-times-out pool-cancels pool-ends-the-idle pool-settings-come-along */
export class WorkerPool implements Runner {
  private readonly script: URL;
  private readonly size: number;
  private readonly resourceLimits: ResourceLimits;
  private readonly patience: ReturnType<typeof patience>;
  /** How many questions a thread is known to have answered, and which call it takes. */
  private readonly limits: TurnLimits;
  private readonly timer: (run: () => void, ms: number) => NodeJS.Timeout;
  /** The one that was used last is the last one, and is used next: the others may grow old. */
  private readonly threads: Thread[] = [];
  private readonly queue: Call[] = [];
  private calls = 0;
  /** Calls that were taken up since a thread last took one that others know. */
  private since = 0;
  /** What another thread shall learn, the longest ago first. */
  private readonly lessons: Lesson[] = [];
  /** Until when nobody may have been answered for lessons to begin. */
  private quiet: NodeJS.Timeout | undefined;
  private closed = false;

  constructor({
    script = scriptBeside(import.meta.url, "explore-worker"),
    threads,
    resourceLimits,
    limits = {},
    timer = setTimeout,
  }: PoolOptions = {}) {
    this.timer = timer;
    this.script = script;
    const all = { ...fromSpec, ...limits };
    this.patience = patience(all);
    this.limits = all;
    this.size = threads ?? threadCount(undefined, all);
    this.resourceLimits = threadMemory(resourceLimits, all);
  }

  run(root: string, asked: Asked, signal?: AbortSignal): Promise<RawResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted || this.closed) throw new Cancelled();
      const call: Call = {
        id: ++this.calls,
        root,
        asked,
        signal,
        resolve,
        reject,
        onAbort: () => this.cancel(call),
        question: JSON.stringify([root, asked.query]),
        overtaken: 0,
      };
      signal?.addEventListener("abort", call.onAbort, { once: true });
      this.queue.push(call);
      this.handOut();
    });
  }

  /** Starts a thread where there is none. @spec pool-in-turn */
  warm(): void {
    if (!this.closed && this.threads.length === 0) this.start();
  }

  /** Calls that are not answered yet are cancelled. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.quiet);
    for (const call of this.queue.splice(0))
      finish(call).reject(new Cancelled());
    const threads = this.threads.splice(0);
    for (const thread of threads) {
      clearTimeout(thread.timer);
      for (const call of inHand(thread)) finish(call).reject(new Cancelled());
    }
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  /** Gives waiting calls to threads that have none, and starts threads for the rest. */
  private handOut(): void {
    while (this.queue.length > 0) {
      const free = this.threads.filter(isFree);
      const last = free.at(-1);
      if (!last) break;
      const knows = (thread: Thread) =>
        this.queue.some((call) => thread.questions.has(call.question));
      if (!this.give(free.findLast(knows) ?? last)) break;
    }
    for (const thread of this.threads) this.giveNext(thread);
    // Nobody shall wait for a lesson.
    if (this.queue.length > 0)
      for (const { lesson, lessonId, given } of this.threads)
        if (lesson) Atomics.store(given, 0, lessonId);
    // A call is not bound to a thread that starts for it: one that is free sooner takes it.
    const starting = this.threads.filter((t) => !t.ready).length;
    if (this.queue.length > starting && this.threads.length < this.size)
      this.start();
  }

  private start(): void {
    const given = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
    const worker = new Worker(this.script, {
      workerData: { given } satisfies ThreadStart,
      resourceLimits: this.resourceLimits,
      // What a caller's environment says comes with its calls; where the user's
      // folder is holds for all of them.
      env: { CODEGRAPH_CACHE_DIR: userFolderPath() },
    });
    const thread: Thread = {
      worker,
      given: new Int32Array(given),
      ready: false,
      call: undefined,
      isBrief: false,
      next: undefined,
      lesson: undefined,
      lessonId: 0,
      questions: new Set(),
      timer: undefined,
    };
    this.threads.unshift(thread);
    this.within(thread, this.patience.answer, () => this.lost(thread));
    worker.on("error", () => this.lost(thread));
    worker.on("messageerror", () => this.lost(thread));
    worker.on("exit", () => this.lost(thread));
    worker.on("message", (message: CallUp) => this.told(thread, message));
  }

  /** Gives a free thread one of the calls that wait; false where all are left to others. */
  private give(thread: Thread): boolean {
    const place = this.placeFor(thread);
    if (place === undefined) return false;
    const { question } = this.queue[place]!;
    thread.isBrief = thread.questions.has(question);
    const isLeft = this.answeredBy(thread, question) === "other";
    thread.call = this.send(thread, place);
    if (isLeft) this.since = 0;
    thread.worker.ref();
    this.within(thread, this.patience.answer, () => this.tooLong(thread));
    return true;
  }

  /** A thread that is soon free has the next call at hand: it need not wait for this thread. */
  private giveNext(thread: Thread): void {
    if (!thread.call || !thread.isBrief || thread.next) return;
    const place = this.queue.length > 0 ? this.placeFor(thread) : undefined;
    if (place === undefined) return;
    if (thread.questions.has(this.queue[place]!.question))
      thread.next = this.send(thread, place);
  }

  /** @spec pool-knows-questions */
  private placeFor(thread: Thread): number | undefined {
    const waiting = this.queue.map((call) => ({
      answeredBy: this.answeredBy(thread, call.question),
      overtaken: call.overtaken,
    }));
    return nextOf(waiting, this.since, this.limits);
  }

  private answeredBy(thread: Thread, question: string): Waiting["answeredBy"] {
    if (thread.questions.has(question)) return "own";
    const isLeft = (other: Thread) =>
      other.call && other.isBrief && other.questions.has(question);
    return this.threads.some(isLeft) ? "other" : "nobody";
  }

  /** Takes a waiting call out of the line and hands it over. */
  private send(thread: Thread, place: number): Call {
    for (const earlier of this.queue.slice(0, place)) earlier.overtaken++;
    const [call] = this.queue.splice(place, 1) as [Call];
    this.since++;
    this.handOver(thread, call.id, call);
    return call;
  }

  private handOver(
    thread: Thread,
    id: number,
    { root, asked, question }: Lesson,
    isLesson = false,
  ): void {
    remember(thread.questions, question, this.limits.KEPT_QUESTIONS);
    thread.worker.postMessage({
      id,
      root,
      asked: JSON.stringify(asked),
      isLesson,
    } satisfies CallDown);
  }

  /** Another thread shall learn it when there is time. Nothing of the caller is kept. */
  private note({ root, asked, question }: Call): void {
    const { query, maxFiles, maxChars } = asked;
    this.lessons.push({
      root,
      asked: {
        query,
        maxFiles,
        maxChars,
        dedup: undefined,
        client: undefined,
        identified: false,
        project: undefined,
        notes: [],
        unreported: true,
        [VIEW]: undefined,
      },
      question,
    });
    if (this.lessons.length > this.limits.KEPT_QUESTIONS) this.lessons.shift();
  }

  /** Nobody who asks at once shall share the machine with a lesson. */
  private teachLater(): void {
    clearTimeout(this.quiet);
    if (this.threads.length > 1 && this.lessons.length > 0)
      this.quiet = this.timer(() => this.teach(), this.patience.lesson).unref();
  }

  /**
   * Has a thread work out what another one answered, where none has anything to do.
   * That keeps neither the process alive nor the thread.
   */
  private teach(): void {
    if (!this.threads.every(isFree)) return;
    for (let lesson; (lesson = this.lessons.shift());) {
      const { question } = lesson;
      const pupil = this.threads.findLast((t) => !t.questions.has(question));
      if (!pupil) continue;
      pupil.lesson = lesson;
      pupil.lessonId = ++this.calls;
      this.handOver(pupil, pupil.lessonId, lesson, true);
      return;
    }
  }

  private told(thread: Thread, message: CallUp): void {
    // What a thread that was given up has still said comes too late.
    if (!this.threads.includes(thread)) return;
    const { call, next, lesson, isBrief } = thread;
    thread.ready = true;
    thread.call = next;
    thread.next = undefined;
    thread.lesson = undefined;
    if (lesson) {
      if (message.kind !== "learnt") thread.questions.delete(lesson.question);
      if (message.kind === "cancelled") this.lessons.unshift(lesson);
      this.handOut();
      this.teach();
      return;
    }
    if (call && message.kind === "answer") finish(call).resolve(message.result);
    if (call && message.kind === "failed") finish(call).reject(message.error);
    this.threads.splice(this.threads.indexOf(thread), 1);
    this.threads.push(thread);
    if (call && !isBrief && message.kind === "answer") this.note(call);
    this.teachLater();
    if (next)
      this.within(thread, this.patience.answer, () => this.tooLong(thread));
    else {
      // Nothing but a call keeps the process alive.
      thread.worker.unref();
      this.within(thread, this.patience.idle, () => this.giveUp(thread));
    }
    this.handOut();
  }

  /** Its call, or the one that it was started for, is answered here: nobody can tell why it broke. */
  private lost(thread: Thread): void {
    if (!this.giveUp(thread)) return;
    this.putBack(thread);
    const call = thread.ready ? thread.call : this.queue.shift();
    if (call && !call.signal?.aborted) finish(call).resolve(inThisThread(call));
    this.handOut();
  }

  /** Trying again would take as long again, and hold up everybody. */
  private tooLong(thread: Thread): void {
    if (!this.giveUp(thread)) return;
    this.putBack(thread);
    const seconds = this.patience.answer / SECOND;
    if (thread.call)
      finish(thread.call).resolve(
        failed(say(wordings.EXPLORE_TOO_LONG, { seconds })),
      );
    this.handOut();
  }

  /** What a thread had not begun is the next that is taken up. */
  private putBack({ next }: Thread): void {
    if (next && !next.signal?.aborted) this.queue.unshift(next);
  }

  private cancel(call: Call): void {
    const waits = this.queue.indexOf(call);
    if (waits >= 0) this.queue.splice(waits, 1);
    // It stays in hand: the thread is free when it says so.
    for (const thread of this.threads)
      [thread.call, thread.next].forEach((taken, i) => {
        if (taken === call) Atomics.store(thread.given, i, call.id);
      });
    call.reject(new Cancelled());
  }

  /** False where that was done before. */
  private giveUp(thread: Thread): boolean {
    const at = this.threads.indexOf(thread);
    if (at < 0) return false;
    this.threads.splice(at, 1);
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    return true;
  }

  private within(thread: Thread, ms: number, otherwise: () => void): void {
    clearTimeout(thread.timer);
    thread.timer = this.timer(otherwise, ms).unref();
  }
}

function remember(
  questions: Set<string>,
  question: string,
  most: number,
): void {
  questions.delete(question);
  questions.add(question);
  if (questions.size > most) questions.delete(questions.values().next().value!);
}

const isFree = ({ ready, call, lesson }: Thread): boolean =>
  ready && !call && !lesson;

const inHand = ({ call, next }: Thread): Call[] =>
  [call, next].filter((taken) => taken !== undefined);

/** A call that is about to be answered can no longer be cancelled. */
function finish(call: Call): Call {
  call.signal?.removeEventListener("abort", call.onAbort);
  return call;
}

async function inThisThread({ root, asked, signal }: Call): Promise<RawResult> {
  const here = new InThread();
  try {
    return await here.run(root, asked, signal);
  } finally {
    await here.close();
  }
}

const SECOND = 1000; // exempt spec-values-are-imported: a unit
const MINUTE = 60 * SECOND;
