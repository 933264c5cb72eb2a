// The durable inbox of one project directory's sessions.
import type { Admission } from "../storage/inbox-records.ts";
import type { SessionId } from "../storage/records.ts";
import { type ArrivingPrompt, arrive } from "./arrival.ts";
import { Coordinator } from "./coordinator.ts";
import { type Drive, type DriveDeps, drive, outcomeOf } from "./drive.ts";
import type { HostRow } from "./host.ts";
import { hasOlder, type InboxDeps } from "./inbox-deps.ts";
import { Leases } from "./lease.ts";
import { Lifetime } from "./lifetime.ts";
import { type Cause, type Findings, isEmpty, mayGoOnByItself } from "./plan.ts";
import { nothingAsked, type OwnPrompt, previewOf, promptDigest } from "./prompt.ts";
import { RecordOnly } from "./record-only.ts";
import { Requests } from "./requests.ts";
import type { InterruptResult } from "./service.ts";
import { sendSteer } from "./steer.ts";
import { stopTurn } from "./stop-turn.ts";
import { Underway } from "./underway.ts";
import { WaitingList } from "./waiting-list.ts";
import { dropTakenOut, standsWhole } from "./whole.ts";
import { describeFindings, describeHold, RESUME_HINT } from "./words.ts";

/** Interrupted sessions that are looked at when the host starts. */
const RECOVERED_SESSIONS = 50;

/** The durable inbox of one project directory's sessions. */
export class Inbox {
  readonly #lifetime = new Lifetime();
  private readonly deps: InboxDeps;
  readonly #underway: Underway;
  readonly #recordOnly: RecordOnly;
  readonly #leases: Leases;
  readonly #coordinator: Coordinator<SessionId>;
  readonly #requests = new Requests();
  /** Ids of messages that no boundary has held yet; loaded at the session's first boundary. */
  readonly #unpromoted = new Map<SessionId, Set<string>>();
  readonly #toldHold = new Map<SessionId, string>();
  readonly #sinceMs: number;

  constructor(private readonly given: InboxDeps) {
    const deps = this.#lifetime.bound(given);
    this.deps = deps;
    this.#sinceMs = deps.now();
    this.#underway = new Underway(deps.now);
    this.#recordOnly = new RecordOnly(deps, this.#underway);
    this.#leases = new Leases({
      leases: () => deps.database().leases,
      owner: deps.owner,
      isGone: deps.isGone,
      now: deps.now,
      later: deps.later,
      failed: (error) => deps.failed("lease", error),
    });
    this.#coordinator = new Coordinator({
      run: (sessionId, signal) => this.#run(sessionId, signal),
      failed: (_sessionId, error) => deps.failed("inbox", error),
    });
  }

  /**
   * chat.message.
   * @throws PromptRefused; StorageError where the prompt can't be kept.
   */
  async arrive(prompt: ArrivingPrompt): Promise<void> {
    await this.deps.ensure();
    await arrive(
      {
        deps: this.deps,
        underway: this.#underway,
        admitted: (sessionId, messageId) => this.#admitted(sessionId, messageId),
      },
      prompt,
    );
    this.#underway.saving(prompt.message.id, prompt.parts);
  }

  /** A boundary's history, before its call is sent; what it promotes is written after the send. */
  boundary(sessionId: SessionId, history: readonly HostRow[], afterSendMs: number): void {
    const unpromoted = this.#unpromotedOf(sessionId);
    if (unpromoted.size === 0) return;
    const isFound = ({ info: { id }, parts }: HostRow) =>
      unpromoted.has(id) && standsWhole(this.deps, this.#underway, id, parts);
    const found = history.filter(isFound).map(({ info: { id } }) => id);
    const atMs = this.deps.now();
    if (found.length > 0) this.deps.later(() => this.#promote(sessionId, found, atMs), afterSendMs);
  }

  /** A user's message stands in the host's history now; its parts are about to. */
  saved(sessionId: SessionId, messageId: string): void {
    if (!this.#unpromoted.get(sessionId)?.has(messageId)) return;
    dropTakenOut(this.deps, messageId, this.#underway.takenOut(messageId));
    this.#recordOnly.saved(sessionId, messageId);
  }

  /** A message was taken back. */
  removed(messageId: string): void {
    const input = this.deps.database().inbox.find(messageId);
    if (input?.messageId !== messageId) return;
    this.#unpromoted.get(input.sessionId)?.delete(messageId);
    this.deps.database().inbox.settle(input.id, "undone", this.deps.now());
  }

  status(sessionId: SessionId, status: "busy" | "idle"): void {
    if (status === "busy") {
      this.#underway.sawBusy(sessionId);
      // Where it could not be had at the prompt's admission: whoever runs a session drives it.
      if (!this.#leases.isHeld(sessionId)) this.#leases.acquire(sessionId);
      return;
    }
    this.#underway.sawIdle(sessionId);
  }

  /** The session is idle, and nothing else is to be written first: what waits may go on. */
  settled(sessionId: SessionId): void {
    this.#coordinator.wake(sessionId);
  }

  /** The session was deleted: its rows are gone. */
  forget(sessionId: SessionId): void {
    this.#unpromoted.delete(sessionId);
    this.#requests.drop(sessionId);
    this.#toldHold.delete(sessionId);
  }

  /** Admits a prompt of a command or of code, and sends it when its turn has come. */
  async admit(prompt: OwnPrompt): Promise<Admission> {
    const admission = await this.store(prompt);
    if (admission.kind === "conflict") return admission;
    if (prompt.delivery === "queue") this.#coordinator.wake(prompt.sessionId);
    else await sendSteer(this.#driveDeps(), admission);
    return admission;
  }

  /** Admits a prompt and sends nothing: whoever opens the session next goes on with it. */
  async store({ sessionId, id, parts, delivery, reply }: OwnPrompt): Promise<Admission> {
    await this.deps.ensure();
    const messageId = id?.startsWith("msg_") ? id : this.deps.ids.message();
    return this.deps.database().inbox.admit({
      sessionId,
      id: id ?? messageId,
      directory: this.deps.directory,
      delivery,
      state: delivery === "queue" ? "waiting" : "handed",
      messageId: delivery === "queue" ? null : messageId,
      digest: promptDigest(parts, nothingAsked),
      preview: previewOf(parts),
      prompt: { ...nothingAsked, form: "given", reply, parts },
      admittedAtMs: this.deps.now(),
    });
  }

  /** Goes on with what was interrupted, or held. */
  async resume(sessionId: SessionId): Promise<Drive> {
    return this.#look(sessionId, "resume");
  }

  /** What there is, without starting anything. */
  async look(sessionId: SessionId): Promise<Drive> {
    return this.#look(sessionId, "look");
  }

  /** Stops what runs, and waits until it has; an idle session is left as it is. */
  async interrupt(sessionId: SessionId): Promise<InterruptResult> {
    this.#requests.drop(sessionId);
    await this.#coordinator.interrupt(sessionId);
    // Whoever waits for its end hears of it, also where this inbox is closed meanwhile.
    return stopTurn(this.given, sessionId, () => this.#underway.isTaken(sessionId));
  }

  /** At the host's start: finds what an earlier process left, tells it, and goes on where it may. */
  async recover(): Promise<void> {
    const { recovery, ensure, database, directory } = this.deps;
    if (recovery === "off" || this.#lifetime.hasEnded) return;
    await ensure();
    for (const { sessionId } of database().inbox.openSessions(directory, RECOVERED_SESSIONS)) {
      if (!hasOlder(database().inbox, sessionId, this.#sinceMs)) continue;
      const looked = await this.look(sessionId);
      if (looked.kind !== "looked" || isEmpty(looked.found.findings)) continue;
      await this.#goOnOrTell(sessionId, looked.found.findings);
    }
  }

  /** What waits in a session's queue. */
  async queue(sessionId: SessionId): Promise<WaitingList> {
    await this.deps.ensure();
    const activity = await this.deps.host.activity(sessionId);
    return new WaitingList(this.deps, sessionId, activity === "idle");
  }

  /** Given up: another instance has the sessions, and nothing is opened, sent or written here any more. */
  close(): void {
    this.#leases.releaseAll();
    this.#lifetime.end();
  }

  async #goOnOrTell(sessionId: SessionId, findings: Findings): Promise<void> {
    if (this.deps.recovery === "auto" && mayGoOnByItself(findings)) {
      this.deps.tell(sessionId, `Going on after an interruption: ${describeFindings(findings)}`);
      await this.resume(sessionId);
      return;
    }
    this.deps.tell(sessionId, `Interrupted: ${describeFindings(findings)} ${RESUME_HINT}`);
  }

  async #look(sessionId: SessionId, cause: Cause): Promise<Drive> {
    await this.deps.ensure();
    const request = this.#requests.ask(sessionId, cause);
    for (;;) {
      if (request.answer) return request.answer;
      // The run that is joined may be one that had begun before.
      await this.#coordinator.resume(sessionId);
    }
  }

  async #run(sessionId: SessionId, signal: AbortSignal): Promise<void> {
    const request = this.#requests.take(sessionId);
    let answer: Drive = { kind: "nothing" };
    try {
      await this.deps.ensure();
      await this.deps.traced(sessionId, async () => {
        answer = await drive(this.#driveDeps(), sessionId, request?.cause ?? "settled", signal);
        return outcomeOf(answer);
      });
    } finally {
      if (request) request.answer = answer;
    }
  }

  #driveDeps(): DriveDeps {
    return {
      deps: this.deps,
      leases: this.#leases,
      underway: this.#underway,
      wake: (sessionId) => this.#coordinator.wake(sessionId),
      held: (sessionId, why, { findings, unread }) => {
        // An answer that was cut short is no news: whoever stopped it knows.
        if (unread === 0 && findings.waiting === 0 && findings.unsaved === 0) return;
        const text = describeHold(why, findings);
        if (this.#toldHold.get(sessionId) === text) return;
        this.#toldHold.set(sessionId, text);
        this.deps.tell(sessionId, text);
      },
    };
  }

  #admitted(sessionId: SessionId, messageId: string): void {
    this.#underway.arrived(sessionId, messageId);
    this.#unpromotedOf(sessionId).add(messageId);
    this.#toldHold.delete(sessionId);
    this.#leases.acquire(sessionId);
  }

  #unpromotedOf(sessionId: SessionId): Set<string> {
    const known = this.#unpromoted.get(sessionId);
    if (known) return known;
    const ids = this.deps
      .database()
      .inbox.working(sessionId)
      .flatMap(({ messageId, promotedAtMs }) =>
        messageId !== null && promotedAtMs === null ? [messageId] : [],
      );
    const loaded = new Set(ids);
    this.#unpromoted.set(sessionId, loaded);
    return loaded;
  }

  #promote(sessionId: SessionId, messageIds: readonly string[], atMs: number): void {
    try {
      this.deps.database().inbox.promote(messageIds, atMs);
      for (const id of messageIds) {
        this.#unpromoted.get(sessionId)?.delete(id);
        this.#underway.promoted(id);
      }
      // A turn as short as that is over by now, and was looked at too early.
      if (!this.#underway.isBusy(sessionId)) this.#coordinator.wake(sessionId);
    } catch (error) {
      // They stay in memory, and the next boundary tries again.
      this.deps.failed("promotion", error);
    }
  }
}
