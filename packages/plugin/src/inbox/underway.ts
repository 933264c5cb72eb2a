// Prompts on their way through the host, known to this process only.
import type { SessionId } from "../storage/records.ts";

/** How an input of ours is being given to the host. */
export type Sending =
  /** A queued prompt, as it was admitted; the host resolves it. */
  | "first"
  /** The stored parts take the place of what the host was given. */
  | "whole"
  /** It stands in the history: the loop runs again, and nothing is appended. */
  | "again";

type Parts = readonly Readonly<Record<string, unknown>>[];

function idsOf(parts: Parts): readonly string[] {
  return parts.map(({ id }) => String(id));
}

/** A prompt that has not been saved this long after it arrived never will be. */
const SAVE_MS = 10_000;
/** And one that stands in the history runs within this time, or asked for no reply. */
const RUN_MS = 2_000;

/** What only this process knows of prompts that are on their way through the host. */
export class Underway {
  readonly #busy = new Set<SessionId>();
  readonly #arriving = new Map<SessionId, number>();
  readonly #arrivedAt = new Map<string, number>();
  readonly #sending = new Map<string, Sending>();
  /** Prompts that were saved while their session was idle, and it has not run since. */
  readonly #quiet = new Map<SessionId, Set<string>>();

  /** How many prompts came, were saved or began to run so far, in all sessions. */
  #beginnings = 0;

  /** Parts as we left them, and the host's own list, which other plugins may change after us. */
  readonly #saving = new Map<string, { readonly ids: readonly string[]; readonly live: Parts }>();

  constructor(private readonly now: () => number) {}

  send(messageId: string, how: Sending): void {
    this.#sending.set(messageId, how);
    this.#arrivedAt.set(messageId, this.now());
  }

  /** How we are sending this message, if we are; asked once, when it arrives. */
  takeSending(messageId: string): Sending | null {
    const how = this.#sending.get(messageId) ?? null;
    this.#sending.delete(messageId);
    return how;
  }

  /** Given up: it did not reach the host. */
  abandon(messageId: string): void {
    this.#sending.delete(messageId);
    this.#arrivedAt.delete(messageId);
  }

  arrived(sessionId: SessionId, messageId: string): void {
    this.#beginnings += 1;
    const nowMs = this.now();
    this.#arriving.set(sessionId, nowMs);
    this.#arrivedAt.set(messageId, nowMs);
    if (this.#arrivedAt.size > 1_000) this.#forgetOld(nowMs);
  }

  /** A prompt that goes on to the next plugin, and then to the host's store. */
  saving(messageId: string, live: Parts): void {
    if (this.#saving.size > 1_000) this.#saving.clear();
    this.#saving.set(messageId, { ids: idsOf(live), live });
  }

  /** The parts that are not saved after all. */
  takenOut(messageId: string): ReadonlySet<string> {
    const left = new Set(this.savingIds(messageId));
    return new Set(this.#saving.get(messageId)?.ids.filter((id) => !left.has(id)));
  }

  /** The parts that the host still had to save when the prompt came; null where it came to another process. */
  savingIds(messageId: string): readonly string[] | null {
    const saving = this.#saving.get(messageId);
    return saving ? idsOf(saving.live) : null;
  }

  promoted(messageId: string): void {
    this.#saving.delete(messageId);
  }

  saved(sessionId: SessionId, messageId: string): void {
    this.#beginnings += 1;
    if (this.#busy.has(sessionId)) return;
    const quiet = this.#quiet.get(sessionId) ?? new Set();
    this.#quiet.set(sessionId, quiet.add(messageId));
  }

  /** Whether the session has not run since it saved this prompt. */
  isQuiet(sessionId: SessionId, messageId: string): boolean {
    return this.#quiet.get(sessionId)?.has(messageId) ?? false;
  }

  /** The same, asked once. */
  takeQuiet(sessionId: SessionId, messageId: string): boolean {
    const quiet = this.#quiet.get(sessionId);
    const isQuiet = quiet?.delete(messageId) ?? false;
    if (quiet?.size === 0) this.#quiet.delete(sessionId);
    return isQuiet;
  }

  get beginnings(): number {
    return this.#beginnings;
  }

  sawBusy(sessionId: SessionId): void {
    if (!this.#busy.has(sessionId)) this.#beginnings += 1;
    this.#busy.add(sessionId);
    this.#arriving.delete(sessionId);
    this.#quiet.delete(sessionId);
  }

  sawIdle(sessionId: SessionId): void {
    this.#busy.delete(sessionId);
    this.#arriving.delete(sessionId);
  }

  /** Whether a prompt of someone else is running, or about to. */
  isTaken(sessionId: SessionId): boolean {
    const arrivedMs = this.#arriving.get(sessionId);
    const arriving = arrivedMs !== undefined && this.now() - arrivedMs < RUN_MS;
    return arriving || this.#busy.has(sessionId);
  }

  isBusy(sessionId: SessionId): boolean {
    return this.#busy.has(sessionId);
  }

  mayStillCome(messageId: string, standing: "saved" | "unsaved"): boolean {
    const atMs = this.#arrivedAt.get(messageId);
    if (atMs === undefined) return false;
    // Nobody knows yet whether it asked for a reply.
    if (standing === "saved" && [...this.#quiet.values()].some((ids) => ids.has(messageId)))
      return true;
    return this.now() - atMs < (standing === "saved" ? RUN_MS : SAVE_MS);
  }

  #forgetOld(nowMs: number): void {
    for (const [messageId, atMs] of this.#arrivedAt) {
      if (nowMs - atMs > SAVE_MS) this.#arrivedAt.delete(messageId);
    }
  }
}

/** When to look again at what may still come. */
export const LOOK_AGAIN_MS = SAVE_MS + 1_000;
