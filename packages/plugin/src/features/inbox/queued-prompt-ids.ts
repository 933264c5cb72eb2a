// Messages of prompts that no boundary has held yet, by session: read from the rows once, and then known here.
import type { SessionId } from "../../storage/records.ts";
import type { InboxStore } from "./store.ts";

export class QueuedPromptIds {
  readonly #bySession = new Map<SessionId, Set<string>>();

  constructor(private readonly rows: () => Pick<InboxStore, "working">) {}

  /** @throws StorageError where they have to be read */
  of(sessionId: SessionId): ReadonlySet<string> {
    return this.#bySession.get(sessionId) ?? this.#read(sessionId);
  }

  /** Returns true for a message that is known to be a queued prompt. */
  has(sessionId: SessionId, messageId: string): boolean {
    return this.#bySession.get(sessionId)?.has(messageId) ?? false;
  }

  /** Remembers a prompt whose row exists. @throws StorageError where the rows have to be read */
  add(sessionId: SessionId, messageId: string): void {
    const known = this.#bySession.get(sessionId);
    if (known) known.add(messageId);
    else this.#read(sessionId);
  }

  remove(sessionId: SessionId, messageIds: readonly string[]): void {
    for (const messageId of messageIds) this.#bySession.get(sessionId)?.delete(messageId);
  }

  /** Forgets a session's ids; they are read again when the session comes back. */
  forget(sessionId: SessionId): void {
    this.#bySession.delete(sessionId);
  }

  #read(sessionId: SessionId): ReadonlySet<string> {
    const open = this.rows()
      .working(sessionId)
      .filter(({ promotedAtMs }) => promotedAtMs === null);
    const read = new Set(open.flatMap(({ messageId }) => messageId ?? []));
    this.#bySession.set(sessionId, read);
    return read;
  }
}
