import { HostSystemReader } from "../sources/host-system-reader.ts";
import type { SessionId, SessionLedger } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import type { Pass } from "./pass.ts";
import { nothingSent, type SentMessages } from "./sent-messages.ts";
import type { SessionSources } from "./session-sources.ts";
import type { Unstored } from "./unstored.ts";

/** The last provider turn, as far as boundaries look back at it. */
export interface LastTurn {
  readonly epochSeq: number;
  readonly providerId: string;
  readonly modelId: string;
  readonly sentAtMs: number;
}

/** What the process holds of a session: a copy of the stored ledger, and what needs no storing. */
export interface SessionMemory {
  readonly sessionId: SessionId;
  ledger: SessionLedger;
  lastTurn: LastTurn | null;
  /** Of the last turn's epoch. */
  sent: SentMessages;
  unstored: Unstored | null;
  /** By part id, what failed calls say in place of a text over the limit; stored with their boundary. */
  readonly boundedFailures: Map<string, string>;
  /** The epoch of which it is known that all that the host has shown in its calls is on record. */
  witnessedEpochSeq: number | null;
  readonly sources: SessionSources;
  readonly systems: HostSystemReader;
  /** What messages.transform decided, for the system.transform of the same call and its retries. */
  pass: Pass | null;
  /** Set between session.compacting and the messages.transform that the host makes for it. */
  compacting: boolean;
}

/** The most sessions whose ledgers are held; the least recently used one is forgotten first. */
const HELD_SESSIONS = 128;

/** Sessions by id, kept in step with the database: another process's write empties the memory. */
export class SessionMemories {
  readonly #held = new Map<SessionId, SessionMemory>();
  #foreignVersion: number | null = null;

  constructor(
    private readonly database: () => RuntimeDatabase,
    private readonly makeSources: () => SessionSources,
    /** Hears of each session that is no longer held. */
    private readonly forgotten: (sessionId: SessionId) => void,
  ) {}

  /** @throws StorageError when the session is not held and can't be read. */
  of(sessionId: SessionId): SessionMemory {
    const held = this.#held.get(sessionId);
    if (held) {
      this.#held.delete(sessionId);
      this.#held.set(sessionId, held);
      return held;
    }
    // Before the first read: what another process writes after it is to be noticed.
    this.#foreignVersion ??= this.database().foreignVersion();
    const memory: SessionMemory = {
      sessionId,
      ...this.#read(sessionId),
      unstored: null,
      boundedFailures: new Map(),
      sources: this.makeSources(),
      systems: new HostSystemReader(),
      pass: null,
      compacting: false,
    };
    this.#held.set(sessionId, memory);
    if (this.#held.size > HELD_SESSIONS) this.#forgetOldest();
    return memory;
  }

  /** Takes up what other processes have written; a database that can't be read leaves all as it is. */
  refresh(memory: SessionMemory): void {
    const version = this.database().foreignVersion();
    if (version === this.#foreignVersion) return;
    for (const held of new Set([...this.#held.values(), memory])) this.#takeUp(held);
    this.#foreignVersion = version;
  }

  /** What the host has shown to another process since, this one has not seen. */
  #takeUp(held: SessionMemory): void {
    const read = this.#read(held.sessionId);
    const sentAtMs = held.lastTurn?.sentAtMs ?? 0;
    const isDrivenElsewhere = (read.lastTurn?.sentAtMs ?? 0) > sentAtMs;
    Object.assign(held, read, isDrivenElsewhere ? { sources: this.makeSources() } : {});
  }

  /** What this epoch's calls have sent; read anew when the session is back in a former epoch. */
  sentIn(memory: SessionMemory, epochSeq: number): SentMessages {
    if (memory.sent.epochSeq !== epochSeq) {
      memory.sent = readSent(this.database(), memory.sessionId, epochSeq);
    }
    return memory.sent;
  }

  reload(memory: SessionMemory): void {
    Object.assign(memory, this.#read(memory.sessionId));
  }

  peek(sessionId: SessionId): SessionMemory | null {
    return this.#held.get(sessionId) ?? null;
  }

  forget(sessionId: SessionId): void {
    this.#held.delete(sessionId);
    this.forgotten(sessionId);
  }

  #forgetOldest(): void {
    const oldest = this.#held.keys().next();
    if (!oldest.done) this.forget(oldest.value);
  }

  #read(
    sessionId: SessionId,
  ): Pick<SessionMemory, "ledger" | "lastTurn" | "sent" | "witnessedEpochSeq"> {
    const database = this.database();
    const ledger = database.ledger.load(sessionId);
    const turn = database.turns.recent(sessionId, 1)[0] ?? null;
    const sent = turn ? readSent(database, sessionId, turn.epochSeq) : nothingSent(null);
    return { ledger, lastTurn: turn, sent, witnessedEpochSeq: null };
  }
}

function readSent(database: RuntimeDatabase, sessionId: SessionId, epochSeq: number): SentMessages {
  const ids = new Set(database.turns.sentMessageIds(sessionId, epochSeq));
  return { epochSeq, ids, history: [] };
}

/** The highest sequence number of the ledger: what the next commit expects to find. */
export function highestSeq(ledger: SessionLedger): number {
  const seqs = [ledger.epochs.at(-1)?.seq ?? 0, ledger.entries.at(-1)?.seq ?? 0];
  return Math.max(...seqs);
}

/** Turns are told apart by their time, so that no two calls of a session may share a millisecond. */
export function monotonicNow(nowMs: number, memory: Pick<SessionMemory, "lastTurn">): number {
  return Math.max(nowMs, (memory.lastTurn?.sentAtMs ?? 0) + 1);
}
