import type {
  ArrivingPrompt,
  Dispatch,
  SavedMessage,
  StoredPrompt,
} from "../../../src/feature-api/prompt.ts";
import { handleArrival } from "../../../src/features/inbox/arrival.ts";
import { runCheck } from "../../../src/features/inbox/check.ts";
import { Inbox } from "../../../src/features/inbox/inbox.ts";
import type { InboxDeps } from "../../../src/features/inbox/inbox-deps.ts";
import { createInstance, type Instance } from "../../../src/features/inbox/instance.ts";
import {
  type CheckCause,
  decide,
  type Facts,
  type InputStatus,
  type Outcome,
  type SendPermission,
} from "../../../src/features/inbox/plan.ts";
import type { PromptStatus } from "../../../src/features/inbox/prompt-status.ts";
import type { InputAdmission, InputRecord, NewInput } from "../../../src/features/inbox/records.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { session } from "../../storage/records.ts";
import { FakeClock, quiet } from "./fake-clock.ts";
import { createPrompt } from "./records.ts";

/** Something that an inbox does: a write, a call of the host, a timer, a word to the user. */
export interface ProcessLog {
  readonly kind: string;
  readonly [of: string]: unknown;
}

export const kinds = (did: readonly ProcessLog[]) => did.map(({ kind }) => kind);

/** One process whose rows and host say what a test wants, and which notes what it does, in order. */
export class Process {
  readonly clock = new FakeClock();
  readonly failures: string[] = [];
  /** What is found in the rows by message id. */
  readonly rows = new Map<string, InputRecord>();
  working: readonly InputRecord[] = [];
  waiting: readonly InputRecord[] = [];
  /** What is stored of each prompt; null: gone. */
  stored: Partial<StoredPrompt> | null = { form: "resolved" };
  admission: InputAdmission["kind"] = "admitted";
  lease: "mine" | "held" = "mine";
  activity: "busy" | "idle" = "idle";
  saved: SavedMessage | null = null;
  missing: readonly string[] = [];
  /** The host takes no prompt. */
  isBroken = false;
  #did: ProcessLog[] = [];
  #made = 0;

  readonly deps = {
    ensure: async () => undefined,
    database: () => ({ inbox: this.#inbox, leases: this.#leases }),
    host: {
      session: async () => ({ title: "", revert: "none" }),
      activity: async () => {
        this.#does({ kind: "check idle" });
        return this.activity;
      },
      history: async () => [],
      message: async () => {
        this.#does({ kind: "read message" });
        return this.saved;
      },
      send: async ({ messageId, reply }: Dispatch) => {
        if (this.isBroken) throw new Error("refused");
        this.#does({ kind: "send", messageId, reply });
      },
    },
    directory: "/project",
    ids: {
      createMessageId: () => `fresh_${this.#made++}`,
      createPartId: () => `prt_${this.#made++}`,
    },
    owner: "owner",
    isProcessDead: () => false,
    recovery: "ask",
    missingSources: async () => {
      this.#does({ kind: "check sources" });
      return this.missing;
    },
    now: this.clock.now,
    later: (work: () => void, delayMs: number) => {
      this.#does({ kind: "later", delayMs });
      this.clock.later(work, delayMs);
    },
    traced: async (_: SessionId, looked: () => Promise<string>) => void (await looked()),
    notify: (_: SessionId, text: string) => this.#does({ kind: "show", text }),
    failed: (where: string, error: unknown) => this.failures.push(`${where}: ${error}`),
  } as unknown as { -readonly [Name in keyof InboxDeps]: InboxDeps[Name] };

  /** For what is one function; `inbox` for what happens to the whole. */
  readonly instance: Instance = createInstance(this.deps, (sessionId) =>
    this.#does({ kind: "wake", sessionId }),
  );
  readonly inbox = new Inbox(this.deps);

  get #inbox() {
    const does = this.#does.bind(this);
    return {
      admit: ({ id, sessionId, digest }: NewInput) => {
        does({ kind: "admit", id });
        const record = this.rows.get(id) ?? input(id, { sessionId, digest });
        return { kind: this.admission, record };
      },
      find: (id: string) => this.rows.get(id) ?? null,
      prompt: (id: string) => this.stored && { ...createPrompt(id), ...this.stored },
      working: () => this.working,
      waiting: (_: SessionId, from: number, count: number) =>
        this.waiting.slice(from, from + count),
      countWaiting: () => this.waiting.length,
      openSessions: () => [],
      hand: (id: string, messageId: string) => {
        does({ kind: "hand", id, messageId });
        return "handed";
      },
      resolve: (id: string, { agent }: StoredPrompt) => does({ kind: "resolve", id, agent }),
      turnBack: (id: string) => does({ kind: "turn back", id }),
      promote: (messageIds: readonly string[], foundAtMs: number) =>
        does({ kind: "promote", messageIds, foundAtMs }),
      save: (ids: readonly string[]) => does({ kind: "save", ids }),
      settle: (id: string, state: string) => does({ kind: "settle", id, state }),
      replace: (id: string, { messageId }: { readonly messageId: string }) =>
        does({ kind: "replace", id, messageId }),
      forget: (id: string) => does({ kind: "forget", id }),
    };
  }

  get #leases() {
    return {
      acquire: ({ sessionId }: { readonly sessionId: SessionId }) => {
        this.#does({ kind: "acquire", sessionId });
        return this.lease;
      },
      release: (sessionId: SessionId) => this.#does({ kind: "release", sessionId }),
    };
  }

  #does(did: ProcessLog): void {
    this.#did.push(did);
  }

  /** What it has done since it was asked last. */
  did(): readonly ProcessLog[] {
    return this.#did.splice(0);
  }

  /** What it does until nothing more happens at this moment. */
  async does(work: () => unknown): Promise<readonly ProcessLog[]> {
    this.did();
    await work();
    await quiet();
    return this.did();
  }

  /** A prompt that comes from outside, up to the host's own work on it. */
  async comes(id: string): Promise<readonly ProcessLog[]> {
    return this.does(() => handleArrival(this.instance, arriving(id)));
  }

  /** One look at what is found: what it does about it. */
  async looks(facts: Facts, asked: ProcessRequest = {}): Promise<readonly ProcessLog[]> {
    return this.does(async () => {
      this.drive = await this.look(facts, asked);
    });
  }

  /** What the last look came to. */
  drive: Outcome | null = null;

  look(
    facts: Facts,
    { cause = "settled", leave = "given" }: ProcessRequest,
  ): Promise<Outcome | null> {
    this.#made = 0;
    const rows = facts.working.map(({ input: row }) => row);
    this.working = rows.length > 0 || facts.head ? rows : [input("msg_over")];
    this.waiting = facts.head ? Array(facts.waiting).fill(facts.head) : [];
    return runCheck(this.instance, {
      sessionId: session,
      cause,
      leave: () => leave,
      decide: (_, circumstances) => {
        this.did();
        return decide(facts, circumstances);
      },
    });
  }

  /** Lets its timers come so much later. */
  async passes(ms: number): Promise<readonly ProcessLog[]> {
    return this.does(() => this.clock.pass(ms));
  }
}

interface ProcessRequest {
  readonly cause?: CheckCause;
  readonly leave?: SendPermission;
}

export function input(id: string, change: Partial<InputRecord> = {}): InputRecord {
  return {
    sessionId: session,
    id,
    rank: 1,
    delivery: "steer",
    state: "handed",
    messageId: id,
    digest: "",
    preview: "",
    admittedAtMs: 1,
    promotedAtMs: null,
    ...change,
  };
}

export const queued = (id: string) =>
  input(id, { delivery: "queue", state: "waiting", messageId: null });

export function arriving(id: string): ArrivingPrompt {
  const model = { providerID: "anthropic", modelID: "claude" };
  const asked = { agent: null, model: null, variant: null };
  return { sessionId: session, message: { id, agent: "build", model }, parts: [], asked };
}

export const open = (...standings: readonly PromptStatus[]): readonly InputStatus[] =>
  standings.map((standing, index) => ({ input: input(`msg_${index}`), standing }));

/** What a look finds in a session that rests. */
export function found(change: Partial<Facts> = {}): Facts {
  return {
    revert: "none",
    turn: { end: "clean", openTools: [] },
    working: [],
    head: null,
    waiting: change.head ? 1 : 0,
    since: "nothing",
    newest: { agent: null, model: null, variant: null },
    freshIds: ["fresh_0", "fresh_1", "fresh_2", "fresh_3"],
    ...change,
  };
}
