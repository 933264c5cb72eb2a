// Tracks what this process sees: which sessions are running, and which prompts are on their way through the host.
import type { SessionId } from "../../storage/records.ts";

/** The form in which one of our inputs is given to the host. */
export type SendState =
  /** A queued prompt is given as it was admitted, and the host resolves it. */
  | "first"
  /** The stored parts replace what the host was given. */
  | "whole"
  /** The history already has the prompt: the loop runs again, and nothing is appended. */
  | "again";

interface SessionTraffic {
  activity: "busy" | "idle";
  /** The time when the session's newest prompt arrived; null once the session has run since. */
  arrivedAtMs: number | null;
}

/** A prompt on its way through the host. */
interface InFlightPrompt {
  readonly sessionId: SessionId;
  /**
   * The form in which the prompt was sent, until it arrives; null afterwards, since a send is claimed only
   * once.
   */
  sending: SendState | null;
  /** The time when the prompt was sent or arrived; null if it did not reach the host. */
  sinceMs: number | null;
  /** `quiet`: the prompt was saved in an idle session that has not run since. */
  saved: "quiet" | "no matter";
}

/** A prompt that has not been saved this long after it arrived never will be. */
const SAVE_TIMEOUT_MS = 10_000;
/** A prompt that the history contains runs within this time, unless it asked for no reply. */
const RUN_START_TIMEOUT_MS = 2_000;
/** A prompt that may still arrive is checked again after this time. */
export const RECHECK_DELAY_MS = SAVE_TIMEOUT_MS + 1_000;

const MAX_IN_FLIGHT_PROMPTS = 1_000;

export class InFlightPrompts {
  #beginnings = 0;
  readonly #sessions = new Map<SessionId, SessionTraffic>();
  /** The prompts on their way, keyed by message id. */
  readonly #passages = new Map<string, InFlightPrompt>();

  constructor(private readonly now: () => number) {}

  /** The number of times that a prompt has arrived, been saved or begun to run, in all sessions. */
  get beginnings(): number {
    return this.#beginnings;
  }

  /** The number of prompts that are remembered. */
  get size(): number {
    return this.#passages.size;
  }

  isBusy(sessionId: SessionId): boolean {
    return this.#sessions.get(sessionId)?.activity === "busy";
  }

  /** Returns true while any prompt of the session is running or about to run. */
  isTaken(sessionId: SessionId): boolean {
    const { activity, arrivedAtMs } = this.#ensureTraffic(sessionId);
    return (
      activity === "busy" ||
      (arrivedAtMs !== null && this.now() - arrivedAtMs < RUN_START_TIMEOUT_MS)
    );
  }

  /** Returns true while the host may still save a prompt, or run one that it has saved. */
  mayStillArrive(messageId: string, standing: "saved" | "unsaved"): boolean {
    const { sinceMs = null, saved } = this.#passages.get(messageId) ?? {};
    if (sinceMs === null) return false;
    // It is not known yet whether the prompt asked for a reply.
    if (standing === "saved" && saved === "quiet") return true;
    return this.now() - sinceMs < (standing === "saved" ? RUN_START_TIMEOUT_MS : SAVE_TIMEOUT_MS);
  }

  /** Records that we give a prompt to the host. */
  recordSend(sessionId: SessionId, messageId: string, how: SendState): void {
    Object.assign(this.#ensurePrompt(sessionId, messageId), { sending: how, sinceMs: this.now() });
  }

  /** Returns the form in which we sent an arriving prompt; null if it is not ours, or has already arrived. */
  claimSend(messageId: string): SendState | null {
    const passage = this.#passages.get(messageId);
    const sending = passage?.sending ?? null;
    if (passage) passage.sending = null;
    return sending;
  }

  /** Records that a prompt is let through. */
  recordArrival(sessionId: SessionId, messageId: string): void {
    const nowMs = this.now();
    this.#ensureTraffic(sessionId).arrivedAtMs = nowMs;
    Object.assign(this.#ensurePrompt(sessionId, messageId), { sending: null, sinceMs: nowMs });
    this.#beginnings += 1;
    if (this.#passages.size > MAX_IN_FLIGHT_PROMPTS) this.#forgetOldPrompts(nowMs);
  }

  /** Records that a prompt was kept out of the host, or didn't reach it. */
  recordFailure(messageId: string): void {
    const passage = this.#passages.get(messageId);
    if (passage) Object.assign(passage, { sending: null, sinceMs: null });
  }

  /**
   * Records that the host has the prompt's message. `quiet`: nothing is running that would answer the prompt.
   */
  recordSave(sessionId: SessionId, messageId: string): "quiet" | "no matter" {
    this.#beginnings += 1;
    if (this.isBusy(sessionId)) return "no matter";
    this.#ensurePrompt(sessionId, messageId).saved = "quiet";
    return "quiet";
  }

  isQuiet(messageId: string): boolean {
    return this.#passages.get(messageId)?.saved === "quiet";
  }

  /** Ends the wait for a prompt in an idle session. */
  endQuietWait(messageId: string): void {
    const passage = this.#passages.get(messageId);
    if (passage) passage.saved = "no matter";
  }

  recordRun(sessionId: SessionId): void {
    if (!this.isBusy(sessionId)) this.#beginnings += 1;
    this.#sessions.set(sessionId, { activity: "busy", arrivedAtMs: null });
    for (const passage of this.#passages.values()) {
      if (passage.sessionId === sessionId) passage.saved = "no matter";
    }
  }

  recordIdle(sessionId: SessionId): void {
    this.#sessions.set(sessionId, { activity: "idle", arrivedAtMs: null });
  }

  #ensureTraffic(sessionId: SessionId): SessionTraffic {
    const session = this.#sessions.get(sessionId) ?? { activity: "idle", arrivedAtMs: null };
    this.#sessions.set(sessionId, session);
    return session;
  }

  #ensurePrompt(sessionId: SessionId, messageId: string): InFlightPrompt {
    const passage: InFlightPrompt = this.#passages.get(messageId) ?? {
      sessionId,
      sending: null,
      sinceMs: null,
      saved: "no matter",
    };
    this.#passages.set(messageId, passage);
    return passage;
  }

  #forgetOldPrompts(nowMs: number): void {
    for (const [messageId, { sending, saved, sinceMs }] of this.#passages) {
      const isRecent = sinceMs !== null && nowMs - sinceMs <= SAVE_TIMEOUT_MS;
      if (sending === null && saved !== "quiet" && !isRecent) this.#passages.delete(messageId);
    }
  }
}
