import { expect, test } from "bun:test";
import fc from "fast-check";
import type { HostRow } from "../../../src/feature-api/prompt.ts";
import type { Inbox } from "../../../src/features/inbox/inbox.ts";
import type { InboxDatabase, InboxDeps } from "../../../src/features/inbox/inbox-deps.ts";
import { decide, type Step } from "../../../src/features/inbox/plan.ts";
import { isPromptComplete, toSettledState } from "../../../src/features/inbox/prompt-status.ts";
import { Workspace } from "../../storage/workspace.ts";
import {
  comeToRest,
  type Deed,
  deed,
  expectNothingLost,
  perform,
  restart,
  start,
} from "./deeds.ts";
import type { Answer, FakeHost } from "./fake-host.ts";
import type { Witness } from "./stage.ts";

const workspace = new Workspace();
const RUNS = process.env.LONG === "1" ? 600 : 40;
const SEED = Number(process.env.SEED ?? 20_261_123);

const READS: ReadonlySet<string> = new Set([
  "find",
  "prompt",
  "working",
  "waiting",
  "countWaiting",
  "openSessions",
]);

type StateBefore = (name: string, args: readonly unknown[]) => void;

/** The same, with a word before each call of one of its methods. */
function watched<Target extends object>(target: Target, before: StateBefore): Target {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]) => {
        before(String(name), args);
        return Reflect.apply(value, target, args);
      };
    },
  });
}

/** What the invariants above `Inbox` say of one process, checked at each thing that it does. */
class Watcher implements Witness {
  readonly violations: unknown[] = [];
  readonly #whole = new Set<string>();
  readonly #answered = new Set<string>();
  #database: () => InboxDatabase = () => {
    throw new Error("no database");
  };
  #now = () => 0;
  #activity: "busy" | "idle" = "idle";
  #asked = 0;
  #looking = false;
  #step: Step | null = null;
  #sent: string[] = [];
  #shown: string | null = null;
  #heldUntilMs: number | null = null;
  #calls = 0;
  /** Writes, and calls of the host, that are still made; then the process is gone. */
  #left: number;

  constructor(
    crashAfter: number,
    private readonly crash: () => void,
  ) {
    this.#left = crashAfter;
  }

  get isGone(): boolean {
    return this.#left <= 0;
  }

  /** Writes, and calls of the host, until now. */
  get calls(): number {
    return this.#calls;
  }

  get unanswered(): number {
    return this.#asked;
  }

  ports(deps: InboxDeps): InboxDeps {
    this.#database = deps.database;
    this.#now = deps.now;
    const does: StateBefore = (name, args) => {
      this.#counts(name);
      this.#check(() => this.#does(name, args));
    };
    const written: StateBefore = (name, args) => {
      if (!READS.has(name)) does(name, args);
    };
    return {
      ...deps,
      database: () => {
        const { inbox, leases } = deps.database();
        return { inbox: watched(inbox, written), leases: watched(leases, does) };
      },
      host: watched(deps.host, does),
      missingSources: async (call) => {
        does("missingSources", []);
        return deps.missingSources(call);
      },
      notify: (sessionId, text) => {
        does("notify", [text]);
        deps.notify(sessionId, text);
      },
      traced: (sessionId, look) =>
        deps.traced(sessionId, async () => {
          this.#check(() => expect(this.#looking).toBe(false));
          this.#looking = true;
          this.#sent = [];
          this.#step = null;
          try {
            return await look();
          } finally {
            this.#looking = false;
          }
        }),
    };
  }

  /** 4, 5, 6, 7 */
  readonly decide: typeof decide = (facts, circumstances) => {
    const copy = structuredClone(facts);
    const decision = decide(facts, circumstances);
    this.#check(() => expect(facts).toEqual(copy));
    const { cause, leave, isUnderway } = circumstances;
    const { working } = facts;
    for (const { input, standing } of working) {
      if (standing === "answered") this.#answered.add(input.id);
    }
    const { step } = decision;
    this.#step = step;
    this.#check(() => {
      if (step === null || step.kind === "rest" || step.kind === "hold") return;
      const partial = working.filter(
        ({ standing }) => standing === "unsaved" || standing === "torn",
      );
      expect(partial.filter(isUnderway)).toEqual([]);
      expect({ leave, lease: this.#heldUntilMs !== null }).toEqual({ leave: "given", lease: true });
      if (cause !== "settled" || step.kind !== "promote") {
        expect(cause).toBe("resume");
        return;
      }
      expect(this.#activity).toBe("idle");
      expect(working.filter(({ standing }) => toSettledState(standing) === null)).toEqual([]);
    });
    return decision;
  };

  watch(inbox: Inbox): void {
    const {
      onArrival: arrive,
      onBoundary: boundary,
      onEvent: heard,
      resume,
      check: look,
      interrupt,
    } = inbox;
    inbox.onArrival = (prompt) => {
      this.#shown = null;
      return arrive.call(inbox, prompt);
    };
    inbox.onBoundary = (sessionId, history, afterSendMs) => {
      for (const row of history) if (this.#isWhole(row)) this.#whole.add(row.info.id);
      boundary.call(inbox, sessionId, history, afterSendMs);
    };
    inbox.onEvent = (happening) => {
      if (happening.kind === "busy" || happening.kind === "idle") this.#activity = happening.kind;
      heard.call(inbox, happening);
    };
    inbox.resume = (sessionId) => this.#counted(resume.call(inbox, sessionId));
    inbox.check = (sessionId) => this.#counted(look.call(inbox, sessionId));
    inbox.interrupt = (sessionId) => this.#counted(interrupt.call(inbox, sessionId));
  }

  /** 1: a prompt that was let through has its row. */
  letThrough(messageId: string): void {
    this.#check(() => expect(this.#database().inbox.find(messageId)).not.toBeNull());
  }

  #isWhole({ info, parts }: HostRow): boolean {
    const { inbox } = this.#database();
    const input = inbox.find(info.id);
    const prompt = input && inbox.prompt(input.id);
    return prompt === null || isPromptComplete(parts, prompt);
  }

  #counts(name: string): void {
    this.#calls += 1;
    if (!this.isGone) this.#left -= 1;
    if (!this.isGone) return;
    this.crash();
    throw new Error(`The process is gone before ${name}.`);
  }

  /** 3 */
  async #counted<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#asked += 1;
    try {
      return await answer;
    } finally {
      this.#asked -= 1;
    }
  }

  /** The inbox reports a failure of ours like any other, and goes on. */
  #check(expected: () => void): void {
    try {
      expected();
    } catch (error) {
      this.violations.push(error);
    }
  }

  #does(name: string, args: readonly unknown[]): void {
    this.#leases(name, args);
    switch (name) {
      case "send":
        this.#sends((args[0] as { messageId: string }).messageId);
        return;
      // 7
      case "notify":
        expect(args[0]).not.toBe(this.#shown);
        this.#shown = String(args[0]);
        return;
      // 8
      case "promote":
        for (const id of args[0] as readonly string[]) expect(this.#whole.has(id)).toBe(true);
        return;
      // 9
      case "settle":
        if (args[1] === "answered") expect(this.#answered.has(String(args[0]))).toBe(true);
        return;
      default:
        return;
    }
  }

  /** 1, 4, 6 */
  #sends(messageId: string): void {
    const { inbox } = this.#database();
    const input = inbox.find(messageId);
    expect(input && inbox.prompt(input.id)).not.toBeNull();
    expect(this.#looking).toBe(true);
    expect(this.#sent).not.toContain(messageId);
    this.#sent.push(messageId);
    const step = this.#step;
    expect(["promote", "again", "send", "replace"]).toContain(String(step?.kind));
    const most = step?.kind === "send" || step?.kind === "replace" ? step.inputs.length : 1;
    expect(this.#sent.length).toBeLessThanOrEqual(most);
  }

  /** 11: it is renewed before it expires. */
  #leases(name: string, args: readonly unknown[]): void {
    expect(this.#heldUntilMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(this.#now());
    // Nobody else is there to have it.
    if (name === "acquire") {
      this.#heldUntilMs = (args[0] as { expiresAtMs: number }).expiresAtMs;
    }
    if (name === "release") this.#heldUntilMs = null;
  }
}

/** Plays the deeds, in processes that each end before so many writes and calls of the host. */
async function play(
  deeds: readonly Deed[],
  planned: readonly Answer[],
  crashesAfter: readonly number[],
): Promise<readonly Watcher[]> {
  const pending = [...crashesAfter];
  const watchers: Watcher[] = [];
  const newWitness = (host: FakeHost) => {
    const crashAfter = pending.shift() ?? Number.POSITIVE_INFINITY;
    const watcher = new Watcher(crashAfter, () => host.kill());
    watchers.push(watcher);
    return watcher;
  };
  const world = start(workspace, {}, newWitness);
  world.host.otherPlugin = (parts) => {
    for (const { messageID } of parts) watchers.at(-1)?.letThrough(String(messageID));
  };
  const isGone = () => watchers.at(-1)?.isGone ?? false;
  world.host.answers = [...planned];
  for (const [index, one] of deeds.entries()) {
    // A process that is gone answers nobody: whoever waits for it goes with it.
    const work = perform(world, one, index);
    if (one.kind !== "wake") await endOrGone(work, isGone);
    if (isGone()) restart(world);
  }
  do {
    if (isGone()) restart(world);
    await endOrGone(comeToRest(world), isGone);
  } while (isGone());
  for (const { violations } of watchers) if (violations.length > 0) throw violations[0];
  expectNothingLost(world);
  expect(watchers.at(-1)?.unanswered).toBe(0);
  world.stage.close();
  return watchers;
}

test(`I16: whatever happens in whatever order, and whichever write or call of the host is a process's last, the invariants hold at each of them and each prompt comes once (SEED=${SEED}, ${RUNS} runs)`, async () => {
  const answers = fc.array(fc.constantFrom("stop" as const, "hang" as const, "fail" as const), {
    maxLength: 6,
  });
  const crashes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { maxLength: 14 }),
      answers,
      crashes,
      async (deeds, planned, crashesAfter) => void (await play(deeds, planned, crashesAfter)),
    ),
    { seed: SEED, numRuns: RUNS },
  );
}, 600_000);

const settles: Deed = { kind: "wait", ms: 3_000 };
const runs: Deed = { kind: "wait", ms: 60 };

/** Each way that a prompt can take, by what is done before the process that ends and what in it. */
const WAYS: readonly (readonly [string, readonly Deed[], readonly Deed[]])[] = [
  [
    "a steer and a queue behind a turn",
    [],
    [
      { kind: "prompt", name: "a" },
      { kind: "queue", name: "q" },
      { kind: "queue", name: "r" },
      runs,
      { kind: "prompt", name: "b" },
      { kind: "release", answer: "stop" },
      runs,
      settles,
    ],
  ],
  [
    "a retry of what was stopped, and going on with what is held",
    [],
    [
      { kind: "prompt", name: "a" },
      runs,
      { kind: "queue", name: "q" },
      { kind: "interrupt" },
      { kind: "resume" },
      runs,
      { kind: "retry", name: "a" },
      settles,
    ],
  ],
  [
    "prompts that were never saved, in one batch",
    [
      { kind: "torn", savedParts: 0 },
      { kind: "torn", savedParts: 0 },
    ],
    [{ kind: "wait", ms: 20_000 }, { kind: "resume" }, runs, settles],
  ],
  [
    "a prompt that was saved in part and passed by, under another id",
    [
      { kind: "torn", savedParts: 1 },
      { kind: "prompt", name: "a" },
      { kind: "release", answer: "stop" },
      settles,
      { kind: "kill" },
    ],
    [{ kind: "wait", ms: 20_000 }, { kind: "resume" }, runs, settles],
  ],
];

test.each(WAYS)(
  "I16: a process that ends before any of its writes and calls of the host loses nothing and sends nothing twice: %s",
  async (_, before, deeds) => {
    const lives = before.filter(({ kind }) => kind === "torn" || kind === "kill").length;
    const calm = Array<number>(lives).fill(Number.POSITIVE_INFINITY);
    const planned: readonly Answer[] = ["hang", "stop", "hang"];
    const watchers = await play([...before, ...deeds], planned, calm);
    const calls = watchers[lives]?.calls ?? 0;
    expect(calls).toBeGreaterThan(15);
    const step = process.env.LONG === "1" ? 1 : 3;
    for (let crashAfter = 1; crashAfter <= calls; crashAfter += step) {
      await play([...before, ...deeds], planned, [...calm, crashAfter]);
    }
  },
  600_000,
);

const MAX_TURNS = 200_000;

/** Until the work has ended, or the process is gone with it. */
async function endOrGone(work: Promise<void>, isGone: () => boolean): Promise<void> {
  let stands: "open" | "over" = "open";
  const end = work
    .catch((error) => {
      if (!isGone()) throw error;
    })
    .finally(() => {
      stands = "over";
    });
  for (let turn = 0; stands === "open" && !isGone(); turn += 1) {
    if (turn > MAX_TURNS) throw new Error("Somebody was never answered.");
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!isGone()) await end;
}
