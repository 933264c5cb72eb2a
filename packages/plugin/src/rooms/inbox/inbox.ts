// The durable inbox of one project directory's sessions: lets things happen, and runs what follows.

import type { InterruptResult } from "../../features/inbox-service.ts";
import type { ArrivingPrompt } from "../../features/prompt.ts";
import type { HostRow } from "../../features/prompt-host.ts";
import type { Happening as HostHappening } from "../../features/room-hooks.ts";
import type { SessionId } from "../../storage/records.ts";
import { StorageError } from "../../storage/store.ts";
import { PromptRefused } from "./arrival.ts";
import { idsOf, type LiveParts, readFacts, standsWhole } from "./facts.ts";
import type { Effect, Facts, Happening } from "./happenings.ts";
import { runOnHost } from "./host-effects.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { type Cause, type Drive, outcomeOf } from "./plan.ts";
import { isNote, newOwnInput, type OwnPrompt } from "./prompt.ts";
import type { Admission } from "./records.ts";
import { recoverSession } from "./recovery.ts";
import { reduce } from "./reduce.ts";
import { type EffectContext, runOnRows } from "./row-effects.ts";
import { emptyState, isTaken, type State, sessionOf } from "./state.ts";
import { stopTurn } from "./stop-turn.ts";
import { WaitingList } from "./waiting-list.ts";

/** Interrupted sessions that are looked at when the host starts. */
const RECOVERED_SESSIONS = 50;
const MOST_LIVE = 1_000;

/** The driver: all that it knows beside `#state` is who waits, and lists that the host owns. */
export class Inbox {
  #state: State = emptyState;
  readonly #live = new Map<string, LiveParts>();
  readonly #tickets = new Map<number, (drive: Drive) => void>();
  readonly #context: EffectContext;
  readonly #sinceMs: number;
  #lastTicket = 0;

  constructor(
    private readonly deps: InboxDeps,
    private readonly step: typeof reduce = reduce,
  ) {
    this.#sinceMs = deps.now();
    this.#context = { deps, live: this.#live, take: (happening) => this.#take(happening) };
  }

  /**
   * chat.message.
   * @throws PromptRefused; StorageError where the prompt can't be kept.
   */
  async arrive(prompt: ArrivingPrompt): Promise<void> {
    await this.#ensure();
    const { message, parts } = prompt;
    if (isNote(parts)) return;
    const known = this.#inbox.find(message.id);
    await this.#take({ kind: "arrives", prompt, known });
    if (this.#live.size > MOST_LIVE) this.#live.clear();
    this.#live.set(message.id, { ids: idsOf(parts), live: parts });
  }

  /** A boundary's history, before its call is sent; what it promotes is written after the send. */
  boundary(sessionId: SessionId, history: readonly HostRow[], afterSendMs: number): void {
    if (!sessionOf(this.#state, sessionId).unpromoted) {
      runOnRows(this.#context, { kind: "read rows", sessionId });
    }
    const { unpromoted } = sessionOf(this.#state, sessionId);
    const isFound = ({ info: { id }, parts }: HostRow) =>
      unpromoted?.has(id) && standsWhole(this.deps, id, parts, this.#live.get(id));
    const whole = history.filter(isFound).map(({ info: { id } }) => id);
    this.#take({ kind: "boundary", sessionId, whole, afterSendMs });
  }

  /** What the host says; what says nothing of prompts or of work is left alone. */
  heard(happening: HostHappening): void {
    switch (happening.kind) {
      case "busy":
      case "idle":
        this.#take({ kind: "status", sessionId: happening.sessionId, status: happening.kind });
        return;
      case "saved":
      case "deleted":
        this.#take(happening);
        return;
      case "removed": {
        const { messageId } = happening;
        const input = this.#inbox.find(messageId);
        if (input?.messageId === messageId) this.#take({ kind: "removed", input, messageId });
        return;
      }
      case "billed":
      case "compacted":
      case "refused":
      case "touched":
        return;
    }
  }

  /** The session is idle, and nothing else is to be written first: what waits may go on. */
  settled(sessionId: SessionId): void {
    this.#take({ kind: "woken", sessionId });
  }

  /** Admits a prompt of a command or of code, and sends it when its turn has come. */
  async admit(prompt: OwnPrompt): Promise<Admission> {
    const admission = await this.store(prompt);
    const reply = this.#inbox.prompt(admission.record.id)?.reply ?? "wanted";
    await this.#take({ kind: "by code", admission, reply });
    return admission;
  }

  /** Admits a prompt and sends nothing: whoever opens the session next goes on with it. */
  async store(prompt: OwnPrompt): Promise<Admission> {
    await this.#ensure();
    const { directory, ids, now } = this.deps;
    return this.#inbox.admit({ ...newOwnInput(prompt, ids.message(), now()), directory });
  }

  /** Goes on with what was interrupted, or held. */
  resume(sessionId: SessionId): Promise<Drive> {
    return this.#ask(sessionId, "resume");
  }

  /** What there is, without starting anything. */
  look(sessionId: SessionId): Promise<Drive> {
    return this.#ask(sessionId, "look");
  }

  /** Stops what runs, and waits until it has; an idle session is left as it is. */
  async interrupt(sessionId: SessionId): Promise<InterruptResult> {
    await this.#answerTo((ticket) => ({ kind: "interrupted", sessionId, ticket }));
    // Whoever waits for its end hears of it, also where this inbox is closed meanwhile.
    return stopTurn(this.deps, sessionId, () => isTaken(this.#state, sessionId, this.deps.now()));
  }

  /** At the host's start: finds what an earlier process left, reports it, and resumes what it may. */
  async recover(): Promise<void> {
    const { directory, recovery } = this.deps;
    if (recovery === "off" || this.#state.life === "closed") return;
    await this.#ensure();
    // What this process has taken in itself is on its way, and no interruption.
    for (const sessionId of this.#inbox.openSessions(
      directory,
      this.#sinceMs,
      RECOVERED_SESSIONS,
    )) {
      await this.#recoverSession(sessionId, recovery === "auto" ? "continue" : "report");
    }
  }

  /** A user opens the session here: reports what a process has left that ended after this one began. */
  async opened(sessionId: SessionId): Promise<void> {
    if (this.deps.recovery === "off" || this.#state.life === "closed") return;
    // What is open and is this process's own is known to whoever works here.
    if (sessionOf(this.#state, sessionId).lease === "held") return;
    await this.#recoverSession(sessionId, "report");
  }

  /** What a hold or a crash has left in the session, as the user was shown it; null: nothing. */
  held(sessionId: SessionId): string | null {
    return sessionOf(this.#state, sessionId).heldText;
  }

  /** What waits in a session's queue. */
  async queue(sessionId: SessionId): Promise<WaitingList> {
    await this.#ensure();
    const activity = await this.deps.host.activity(sessionId);
    return new WaitingList(this.deps, sessionId, activity === "idle");
  }

  /** Given up: another instance has the sessions, and nothing is opened, sent or written here any more. */
  close(): void {
    this.#take({ kind: "closed" });
  }

  get #inbox() {
    return this.deps.database().inbox;
  }

  async #ensure(): Promise<void> {
    if (this.#state.life === "closed") {
      throw new StorageError("unopenable", "This inbox was closed.");
    }
    await this.deps.ensure();
  }

  #take(happening: Happening): Promise<void> | undefined {
    const { state, effects } = this.step(this.#state, { ...happening, atMs: this.deps.now() });
    this.#state = state;
    return this.#runAll(effects);
  }

  /** In order, and at once as far as nothing takes time. */
  #runAll(effects: readonly Effect[]): Promise<void> | undefined {
    for (const [index, effect] of effects.entries()) {
      const running = this.#run(effect);
      if (running) return running.then(() => this.#runAll(effects.slice(index + 1)));
    }
    return;
  }

  #run(effect: Effect): Promise<void> | undefined {
    switch (effect.kind) {
      case "look":
        void this.#look(effect.sessionId, effect.cause);
        return;
      case "later":
        this.deps.later(() => void this.#happensLater(effect.happening), effect.delayMs);
        return;
      case "answer":
        for (const ticket of effect.tickets) this.#answer(ticket, effect.drive);
        return;
      case "show":
        this.deps.tell(effect.sessionId, effect.text);
        return;
      case "refuse":
        throw new PromptRefused(effect.reason, effect.text);
      case "hand":
      case "send":
      case "read retry":
      case "check sources":
      case "bring in":
      case "check idle":
        return runOnHost(this.#context, effect);
      default:
        return runOnRows(this.#context, effect);
    }
  }

  async #happensLater(happening: Happening): Promise<void> {
    if (this.#state.life === "closed") return;
    try {
      await this.#take(happening);
    } catch (error) {
      this.#failed(whereOf(happening), error);
    }
  }

  async #look(sessionId: SessionId, cause: Cause): Promise<void> {
    let end: "done" | "failed" = "failed";
    try {
      await this.#ensure();
      await this.deps.traced(sessionId, async () => {
        const facts = await this.#readFacts(sessionId, cause);
        await this.#take({ kind: "looked", sessionId, facts: facts() });
        return outcomeOf(sessionOf(this.#state, sessionId).look?.drive ?? null);
      });
      end = "done";
    } catch (error) {
      this.#failed("inbox", error);
    }
    this.#take({ kind: "look ended", sessionId, end });
  }

  async #readFacts(sessionId: SessionId, cause: Cause): Promise<() => Facts> {
    const isBusy = sessionOf(this.#state, sessionId).activity === "busy";
    if (cause === "settled" && isBusy) return () => ({ kind: "busy" });
    const acquire = () => {
      runOnRows(this.#context, { kind: "acquire", sessionId });
      return sessionOf(this.#state, sessionId).lease;
    };
    return readFacts({ ...this.deps, acquire }, sessionId);
  }

  async #ask(sessionId: SessionId, cause: Cause): Promise<Drive> {
    await this.#ensure();
    return this.#answerTo((ticket) => ({ kind: "asked", sessionId, cause, ticket }));
  }

  #answerTo(question: (ticket: number) => Happening): Promise<Drive> {
    this.#lastTicket += 1;
    const ticket = this.#lastTicket;
    const { promise, resolve } = Promise.withResolvers<Drive>();
    this.#tickets.set(ticket, resolve);
    this.#take(question(ticket));
    return promise;
  }

  #answer(ticket: number, drive: Drive): void {
    this.#tickets.get(ticket)?.(drive);
    this.#tickets.delete(ticket);
  }

  #recoverSession(sessionId: SessionId, may: "continue" | "report"): Promise<void> {
    const inbox = {
      look: () => this.look(sessionId),
      resume: () => this.resume(sessionId),
      tell: this.deps.tell,
      hold: (_: SessionId, text: string) => this.#take({ kind: "left open", sessionId, text }),
    };
    return recoverSession(inbox, sessionId, may);
  }

  /** What a closed inbox has put off is not a failure. */
  #failed(where: string, error: unknown): void {
    if (this.#state.life === "open") this.deps.failed(where, error);
  }
}

function whereOf({ kind }: Happening): string {
  if (kind === "call sent") return "promotion";
  return kind === "renewal due" ? "lease" : "inbox";
}
