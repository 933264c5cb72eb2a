// Holds the process's state of each session, in step with the database.
import { BoundedMap } from "../context/bounded-map.ts";
import type { Proposal } from "../ledger/policy.ts";
import { HostSystemReader } from "../sources/host-system.ts";
import type { RuntimeDatabase } from "../storage/database.ts";
import type { StorageError } from "../storage/errors.ts";
import type { PreparedEdit, SoundLedger } from "../storage/ledger-table.ts";
import type { SessionId } from "../storage/records.ts";
import { dropMismatchedBaseline } from "../storage/turn-store.ts";
import type { OwnRewrite, Pass } from "./pass.ts";
import { type PendingDrafts, selectUnrecorded } from "./pending-drafts.ts";
import { createSentMessages, type SentMessages } from "./sent-messages.ts";
import type { SessionSources } from "./session-sources.ts";
import { findHighestSeq, type ViewInput } from "./view.ts";

/** The last provider turn, as far as boundaries need it. */
interface LastTurn {
  readonly epochSeq: number;
  readonly providerId: string;
  readonly modelId: string;
  readonly sentAtMs: number;
}

/** The process's state of a session: a copy of the stored ledger, and state that needs no storing. */
export interface SessionState {
  readonly sessionId: SessionId;
  ledger: SoundLedger;
  /** Edits stored for an epoch that is about to begin. */
  prepared: readonly PreparedEdit[];
  /** Proposals in the order in which they were made. */
  proposals: readonly Proposal[];
  /** The database's count of other connections' writes before the ledger was read. */
  foreignVersion: number;
  lastTurn: LastTurn | null;
  /**
   * Maps `toModelKey` to the time at which each model was last sent something; the newest turn's time is added
   * when the model is switched.
   */
  readonly modelSentAtMs: Map<string, number>;
  /** The messages sent in the last turn's epoch. */
  sent: SentMessages;
  pendingDrafts: PendingDrafts | null;
  /** The newest rewrite that this process has made; null if there is none. */
  rewrite: OwnRewrite | null;
  /**
   * Maps part ids of failed calls to the texts that replace those over the limit; stored with their boundary.
   */
  readonly boundedFailures: Map<string, string>;
  /**
   * The epoch for which everything that the host has shown in its calls is known to be on record; null if
   * there is none.
   */
  witnessedEpochSeq: number | null;
  readonly sources: SessionSources;
  readonly systems: HostSystemReader;
  /** The names of the next call's tools; null if the host does not report them before the call is decided. */
  offered: ReadonlySet<string> | null;
  /** The decision of messages.transform, for the system.transform of the same call and its retries. */
  pass: Pass | null;
  /** True between session.compacting and the messages.transform that the host makes for it. */
  compacting: boolean;
}

/** The most sessions whose ledgers are held; the least recently used one is forgotten first. */
const MAX_HELD_SESSIONS = 128;

/** Holds sessions by id, each kept in step with the database at its own boundaries. */
export class SessionStates {
  readonly #held = new BoundedMap<SessionId, SessionState>(MAX_HELD_SESSIONS, (_, sessionId) =>
    this.forgotten(sessionId),
  );

  constructor(
    private readonly database: () => RuntimeDatabase,
    private readonly makeSources: () => SessionSources,
    /** Is called with each session that is no longer held. */
    private readonly forgotten: (sessionId: SessionId) => void,
    /** Is called with stored texts that are damaged; none of them is sent. */
    private readonly damaged: (sessionId: SessionId, found: readonly StorageError[]) => void,
  ) {}

  /** Returns the session's state. @throws StorageError if the session is not held and can't be read */
  getOrCreate(sessionId: SessionId): SessionState {
    const held = this.#held.get(sessionId);
    if (held) {
      this.#held.set(sessionId, held);
      return held;
    }
    const memory: SessionState = {
      sessionId,
      ...this.#read(sessionId),
      pendingDrafts: null,
      rewrite: null,
      boundedFailures: new Map(),
      sources: this.makeSources(),
      systems: new HostSystemReader(),
      offered: null,
      pass: null,
      compacting: false,
    };
    this.#held.set(sessionId, memory);
    return memory;
  }

  /**
   * Reads what other processes have written of this session only: another session may be between its two
   * hooks, and has to decide in both on what it has read.
   */
  refresh(memory: SessionState): void {
    const version = this.database().foreignVersion();
    if (version === memory.foreignVersion) return;
    if (this.#isWrittenElsewhere(memory)) this.reload(memory);
    memory.foreignVersion = version;
  }

  /** Reads the session again; if the database can't be read, everything stays as it is. */
  reload(memory: SessionState): void {
    const { lastTurn, sent } = memory;
    const read = this.#read(memory.sessionId);
    // If another process made the newest turn, this process has not seen what the host showed in it.
    if (readLastSentAtMs(read) > readLastSentAtMs(memory))
      Object.assign(memory, { sources: this.makeSources() });
    Object.assign(memory, read);
    // Storing a recorded draft again would undo what has been announced since.
    if (memory.pendingDrafts)
      memory.pendingDrafts = selectUnrecorded(memory.pendingDrafts, read.ledger.entries);
    // A turn's row is written after its send, so a turn newer than those on record is about to be written.
    const isOnRecord = lastTurn === null || readLastSentAtMs(read) >= lastTurn.sentAtMs;
    const hasEpoch = read.ledger.epochs.some(({ seq }) => seq === lastTurn?.epochSeq);
    if (!isOnRecord && hasEpoch) Object.assign(memory, { lastTurn, sent });
  }

  /** Reloads proposals after one was made in this process. */
  reloadProposals(memory: SessionState): void {
    memory.proposals = this.database().proposals.waiting(memory.sessionId);
  }

  /**
   * Says whether another process has written to the session. Two small queries usually spare reading a
   * ledger, because most foreign writes belong to other sessions.
   */
  #isWrittenElsewhere(memory: SessionState): boolean {
    const { ledger, turns } = this.database();
    if (ledger.headSeq(memory.sessionId) !== findHighestSeq(memory.ledger)) return true;
    this.reloadProposals(memory);
    const newest = turns.recent(memory.sessionId, 1)[0];
    return newest !== undefined && newest.sentAtMs > readLastSentAtMs(memory);
  }

  /** Returns what this epoch's calls have sent, read again when the session is back in a former epoch. */
  ensureSentMessages(memory: SessionState, epochSeq: number): SentMessages {
    if (memory.sent.epochSeq !== epochSeq) {
      memory.sent = readSentMessages(this.database(), memory.sessionId, epochSeq);
    }
    return memory.sent;
  }

  peek(sessionId: SessionId): SessionState | null {
    return this.#held.get(sessionId) ?? null;
  }

  forget(sessionId: SessionId): void {
    this.#held.delete(sessionId);
    this.forgotten(sessionId);
  }

  #read(sessionId: SessionId) {
    const database = this.database();
    // The version is read first, so that a write of another process during the read is noticed.
    const foreignVersion = database.foreignVersion();
    const found: StorageError[] = [];
    const reportDamage = (error: StorageError) => void found.push(error);
    const stored = database.ledger.loadSound(sessionId, reportDamage);
    const turns = database.turns.recent(sessionId, RECENT_TURN_COUNT);
    const lastTurn = turns[0] ?? null;
    const ledger = dropMismatchedBaseline(sessionId, stored, {
      newestTurn: lastTurn,
      damaged: reportDamage,
    });
    const sent = lastTurn
      ? readSentMessages(database, sessionId, lastTurn.epochSeq)
      : createSentMessages(null);
    const prepared = database.ledger.prepared(sessionId, reportDamage);
    if (found.length > 0 && needsNewEpoch(ledger, found)) this.damaged(sessionId, found);
    return {
      foreignVersion,
      ledger,
      prepared,
      proposals: database.proposals.waiting(sessionId),
      lastTurn,
      modelSentAtMs: new Map(turns.toReversed().map((turn) => [toModelKey(turn), turn.sentAtMs])),
      sent,
      witnessedEpochSeq: null,
    };
  }
}

/**
 * Says whether damage needs a new epoch. An epoch that began since is not affected, and the user has been
 * notified.
 */
function needsNewEpoch(
  { epochs, damagedSeqs }: SoundLedger,
  found: readonly StorageError[],
): boolean {
  const newestSeq = epochs.at(-1)?.seq ?? 0;
  return found.length > damagedSeqs.length || damagedSeqs.some((seq) => seq > newestSeq);
}

/**
 * The number of newest turns that are searched for each model's last call; a cache from before them is dead.
 */
const RECENT_TURN_COUNT = 32;

export function toModelKey({
  providerId,
  modelId,
}: Pick<LastTurn, "providerId" | "modelId">): string {
  return `${providerId}/${modelId}`;
}

function readLastSentAtMs({ lastTurn }: Pick<SessionState, "lastTurn">): number {
  return lastTurn?.sentAtMs ?? 0;
}

function readSentMessages(
  database: RuntimeDatabase,
  sessionId: SessionId,
  epochSeq: number,
): SentMessages {
  const ids = new Set(database.turns.sentMessageIds(sessionId, epochSeq));
  return { epochSeq, ids, history: [] };
}

/**
 * Returns the time of a session's own clock, which rises from decision to decision even if the machine's
 * clock was set back: a time identifies a call, and gives the order of turns, epochs and entries.
 */
export function toMonotonicMs(
  nowMs: number,
  memory: Pick<SessionState, "lastTurn" | "ledger">,
): number {
  const { epochs, entries } = memory.ledger;
  const decidedAtMs = [epochs.at(-1)?.startedAtMs ?? 0, entries.at(-1)?.decidedAtMs ?? 0];
  return Math.max(nowMs, ...[readLastSentAtMs(memory), ...decidedAtMs].map((moment) => moment + 1));
}

/** Returns the parts of a view that the process holds. */
export function pickHeldLedger(memory: SessionState): Pick<ViewInput, "ledger" | "lastEpochSeq"> {
  return { ledger: memory.ledger, lastEpochSeq: findLastEpochSeq(memory) };
}

/**
 * Returns the last turn's epoch; null if there is no epoch. If an epoch is newer than the last turn on
 * record, the row of its first turn was lost in a crash.
 */
function findLastEpochSeq({ ledger, lastTurn }: SessionState): number | null {
  const newest = ledger.epochs.at(-1);
  if (!newest) return null;
  return lastTurn && lastTurn.sentAtMs >= newest.startedAtMs ? lastTurn.epochSeq : newest.seq;
}
