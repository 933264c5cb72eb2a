// The durable inbox of the sessions in one project directory: the events that it handles, and what callers ask of it.
import type { SessionEvent } from "../../feature-api/feature-hooks.ts";
import type { ArrivingPrompt, HostRow, InterruptResult } from "../../feature-api/prompt.ts";
import type { SessionId } from "../../storage/records.ts";
import { handleArrival } from "./arrival.ts";
import { runCheck } from "./check.ts";
import { CheckScheduler, recoverSession, recoverSessions } from "./check-scheduler.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { createInstance, type Instance } from "./instance.ts";
import { type CheckCause, decide, type Outcome, type SendPermission } from "./plan.ts";
import { createOwnInput, isNote, type OwnPrompt } from "./prompt.ts";
import type { InputAdmission, InputRecord } from "./records.ts";
import { recordWithoutReply, sendAll, stopTurn } from "./send.ts";
import { WaitingList } from "./waiting-list.ts";

/**
 * These invariants hold for every order of events:
 *
 *  1. Rows come first. A prompt is let through, handed over or sent only when its row holds it. No text
 *     of a prompt is known here alone: a new process and the rows are enough to continue.
 *  2. One check per session runs at a time. However many wakes come during a check, one more follows.
 *  3. Each request for a check is answered once: when the check has ended, or when it is dropped.
 *  4. A check takes at most one step, and none while a prompt is on its way into the session.
 *  5. A stopped check sends nothing. It records and reports what it finds.
 *  6. A queued prompt is handed over only by a check, in an idle session, and in its turn. If it finds
 *     the session taken, it goes back to its place.
 *  7. Nothing is sent without the user's word while a prompt is open, nor after a turn that failed or
 *     was interrupted. The user is notified of a hold once until the next prompt is admitted.
 *  8. A prompt is promoted only once, and only when a boundary held all of it.
 *  9. A row settles as answered or undone only according to what the history shows or the host says,
 *     and as recorded only if its session has stayed idle in a process that is quiet.
 * 10. A retry adds nothing that the host already has. A prompt that is sent again is sent only once: as
 *     a new row, or under its own id.
 * 11. A session's lease is held while anything in it is open or running, and is renewed while held.
 * 12. Once the inbox is closed, no timer does anything, and no new work is begun.
 */
export class Inbox {
  readonly #instance: Instance;
  readonly #looks: CheckScheduler;
  readonly #sinceMs: number;

  constructor(
    private readonly deps: InboxDeps,
    private readonly decideOn: typeof decide = decide,
  ) {
    this.#sinceMs = deps.now();
    this.#instance = createInstance(deps, (sessionId) => this.#looks.wake(sessionId));
    this.#looks = new CheckScheduler((sessionId, cause, leave) =>
      this.#runCheck(sessionId, cause, leave),
    );
  }

  /**
   * Handles a prompt in chat.message.
   * @throws PromptRefusedError; StorageError if the prompt can't be kept
   */
  async onArrival(prompt: ArrivingPrompt): Promise<void> {
    await this.#instance.lifetime.ensure();
    if (isNote(prompt.parts)) return;
    await handleArrival(this.#instance, prompt);
    this.#instance.live.keep(prompt.message.id, prompt.parts);
  }

  /**
   * Takes a boundary's history before its call is sent; prompts that it holds whole are promoted after the
   * send.
   */
  onBoundary(sessionId: SessionId, history: readonly HostRow[], afterSendMs: number): void {
    const { lifetime, live, unpromoted } = this.#instance;
    const awaited = unpromoted.listIds(sessionId);
    if (awaited.size === 0) return;
    const isFound = ({ info: { id }, parts }: HostRow) =>
      awaited.has(id) && live.hasAllParts(id, parts);
    const found = history.filter(isFound).map(({ info: { id } }) => id);
    const foundAtMs = this.deps.now();
    if (found.length === 0) return;
    lifetime.schedule("promotion", afterSendMs, () => this.#promote(sessionId, found, foundAtMs));
  }

  /**
   * Promotes prompts. If the rows can't be written, the prompts stay unpromoted and the next boundary tries
   * again.
   */
  #promote(sessionId: SessionId, messageIds: readonly string[], foundAtMs: number): void {
    const { rows, live, traffic, unpromoted, wake } = this.#instance;
    rows().promote(messageIds, foundAtMs);
    for (const messageId of messageIds) live.forget(messageId);
    unpromoted.remove(sessionId, messageIds);
    // A turn this short has already ended, and was checked too early.
    if (!traffic.isBusy(sessionId)) wake(sessionId);
  }

  /** Handles an event of the host; events that concern neither prompts nor work are ignored. */
  onEvent(happening: SessionEvent): void {
    const { leases, traffic } = this.#instance;
    const { sessionId } = happening;
    switch (happening.kind) {
      case "busy":
        traffic.recordRun(sessionId);
        // The lease may not have been free when the prompt was admitted; whoever runs a session drives it.
        if (!leases.has(sessionId)) leases.acquire(sessionId);
        return;
      case "idle":
        traffic.recordIdle(sessionId);
        return;
      case "saved":
        this.#onSaved(sessionId, happening.messageId);
        return;
      case "removed":
        this.#onRemoved(happening.messageId);
        return;
      case "deleted":
        this.#onDeleted(sessionId);
        return;
      case "billed":
      case "compacted":
      case "refused":
      case "touched":
        return;
    }
  }

  /** Handles the host's saving of a user's message, whose parts are about to be saved. */
  #onSaved(sessionId: SessionId, messageId: string): void {
    const { lifetime, live, traffic, unpromoted } = this.#instance;
    if (!unpromoted.has(sessionId, messageId)) return;
    if (traffic.recordSave(sessionId, messageId) === "quiet") {
      const record = () => recordWithoutReply(this.#instance, sessionId, messageId);
      void lifetime.runAlone("inbox", record);
    }
    live.follow(messageId);
  }

  #onRemoved(messageId: string): void {
    const { rows, unpromoted } = this.#instance;
    const input = rows().find(messageId);
    if (input?.messageId !== messageId) return;
    unpromoted.remove(input.sessionId, [messageId]);
    rows().settle(input.id, "undone", this.deps.now());
  }

  /** Forgets a deleted session, whose rows have been deleted with it. */
  #onDeleted(sessionId: SessionId): void {
    this.#looks.drop(sessionId);
    this.#instance.unpromoted.forget(sessionId);
    this.#instance.holds.clear(sessionId);
  }

  /** Lets what is waiting continue, once the session is idle and nothing else is to be written first. */
  onSettled(sessionId: SessionId): void {
    this.#looks.wake(sessionId);
  }

  /**
   * Admits a prompt from a command or from code. A queued prompt waits its turn; a steer is sent now, and a
   * retry of a steer only if the steer was abandoned.
   */
  async admit(prompt: OwnPrompt): Promise<InputAdmission> {
    const admission = await this.store(prompt);
    const { kind, record } = admission;
    if (kind === "conflict") return admission;
    if (record.delivery === "queue") this.#looks.wake(record.sessionId);
    else if (kind === "admitted" || this.#isAbandoned(record)) await this.#sendNow(record);
    return admission;
  }

  async #sendNow(record: InputRecord): Promise<void> {
    const { rows } = this.#instance;
    const reply = rows().prompt(record.id)?.reply ?? "wanted";
    await sendAll(this.#instance, [record]);
    if (reply === "none") rows().settle(record.id, "recorded", this.deps.now());
  }

  /** Returns true if the prompt is not answered and nothing is about to run for it. */
  #isAbandoned({ sessionId, messageId, state }: InputRecord): boolean {
    const { traffic } = this.#instance;
    switch (state) {
      case "handed":
      case "refused":
        return messageId !== null && !traffic.mayStillArrive(messageId, "unsaved");
      case "saved":
      case "promoted":
        return !traffic.isTaken(sessionId);
      case "waiting":
      case "recorded":
      case "answered":
      case "dropped":
      case "undone":
      case "swallowed":
        return false;
    }
  }

  /** Admits a prompt and sends nothing: whoever next opens the session continues with the prompt. */
  async store(prompt: OwnPrompt): Promise<InputAdmission> {
    await this.#instance.lifetime.ensure();
    const { directory, ids, now } = this.deps;
    return this.#instance
      .rows()
      .admit({ ...createOwnInput(prompt, ids.createMessageId(), now()), directory });
  }

  /** Continues with what was interrupted or held. */
  resume(sessionId: SessionId): Promise<Outcome> {
    return this.#requestCheck(sessionId, "resume");
  }

  /** Reports what is open, without starting anything. */
  check(sessionId: SessionId): Promise<Outcome> {
    return this.#requestCheck(sessionId, "look");
  }

  /** Stops what is running and waits until it has stopped; an idle session is left as it is. */
  async interrupt(sessionId: SessionId): Promise<InterruptResult> {
    await this.#looks.interrupt(sessionId);
    // The caller gets the result of the wait, even if this inbox is closed in the meantime.
    return stopTurn(this.deps, sessionId, () => this.#instance.traffic.isTaken(sessionId));
  }

  /**
   * Runs when the host starts: finds what an earlier process has left, reports it, and resumes what it may.
   */
  recover(): Promise<void> {
    // Prompts that this process itself has taken in are on their way, and not interruptions.
    return recoverSessions(this.#instance, this.#looks, this.#sinceMs);
  }

  /**
   * Called when a user opens the session here: reports what was left by a process that ended after this one
   * began.
   */
  async onOpened(sessionId: SessionId): Promise<void> {
    const { leases, lifetime } = this.#instance;
    if (this.deps.recovery === "off" || lifetime.isClosed) return;
    // Open prompts of this process are already known to the user who works here.
    if (leases.has(sessionId)) return;
    await recoverSession(this.#instance, this.#looks, sessionId, "ask");
  }

  /** Returns the notice of a hold or a crash, as it was shown to the user; null if there is none. */
  findHoldNotice(sessionId: SessionId): string | null {
    return this.#instance.holds.findNotice(sessionId);
  }

  /** Reads the session's queue of waiting prompts. */
  async readQueue(sessionId: SessionId): Promise<WaitingList> {
    await this.#instance.lifetime.ensure();
    const activity = await this.deps.host.activity(sessionId);
    return new WaitingList(this.deps, sessionId, activity === "idle");
  }

  /**
   * Closes this inbox once another instance has taken over the sessions: it no longer opens, sends or writes
   * anything.
   */
  close(): void {
    this.#instance.lifetime.close();
    this.#instance.leases.releaseAll();
  }

  async #requestCheck(sessionId: SessionId, cause: CheckCause): Promise<Outcome> {
    await this.#instance.lifetime.ensure();
    return this.#looks.ask(sessionId, cause);
  }

  async #runCheck(
    sessionId: SessionId,
    cause: CheckCause,
    leave: () => SendPermission,
  ): Promise<Outcome | null> {
    const { lifetime } = this.#instance;
    let drive: Outcome | null = null;
    try {
      await lifetime.ensure();
      await this.deps.traced(sessionId, async () => {
        drive = await runCheck(this.#instance, { sessionId, cause, leave, decide: this.decideOn });
        return drive?.kind ?? "stopped";
      });
      this.deps.worked("inbox");
    } catch (error) {
      lifetime.reportFailure("inbox", error);
      return null;
    }
    return drive;
  }
}
