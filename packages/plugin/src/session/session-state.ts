// What the process holds of each session, in step with the database.
import { BoundedMap } from "../context/bounded-map.ts";
import type { Proposal } from "../ledger/boundary-view.ts";
import { HostSystemReader } from "../sources/host-system.ts";
import type { StorageError } from "../storage/errors.ts";
import type { PreparedEdit, SoundLedger } from "../storage/ledger-table.ts";
import type { SessionId } from "../storage/records.ts";
import { withSentBaseline } from "../storage/sent-baseline.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import type { OwnRewrite, Pass } from "./pass.ts";
import { notOnRecord, type PendingDrafts } from "./pending-drafts.ts";
import { nothingSent, type SentMessages } from "./sent-messages.ts";
import type { SessionSources } from "./session-sources.ts";
import { highestSeq, type ViewInput } from "./view.ts";

/** The last provider turn, as far as boundaries look back at it. */
interface LastTurn {
  readonly epochSeq: number;
  readonly providerId: string;
  readonly modelId: string;
  readonly sentAtMs: number;
}

/** What the process holds of a session: a copy of the stored ledger, and what needs no storing. */
export interface SessionState {
  readonly sessionId: SessionId;
  ledger: SoundLedger;
  /** Stored for an epoch that is about to begin. */
  prepared: readonly PreparedEdit[];
  /** In the order in which they were made. */
  proposals: readonly Proposal[];
  /** What the database said of others' writes before the ledger was read. */
  foreignVersion: number;
  lastTurn: LastTurn | null;
  /** By `modelKey`, when each model was last sent something; the newest turn's is added at a switch. */
  readonly modelSentAtMs: Map<string, number>;
  /** Of the last turn's epoch. */
  sent: SentMessages;
  unstored: PendingDrafts | null;
  /** The newest one of this process. */
  rewrite: OwnRewrite | null;
  /** By part id, what failed calls say in place of a text over the limit; stored with their boundary. */
  readonly boundedFailures: Map<string, string>;
  /** The epoch of which it is known that all that the host has shown in its calls is on record. */
  witnessedEpochSeq: number | null;
  readonly sources: SessionSources;
  readonly systems: HostSystemReader;
  /** The tools of the next call by name; null: the host does not say before it is decided. */
  offered: ReadonlySet<string> | null;
  /** What messages.transform decided, for the system.transform of the same call and its retries. */
  pass: Pass | null;
  /** Set between session.compacting and the messages.transform that the host makes for it. */
  compacting: boolean;
}

/** The most sessions whose ledgers are held; the least recently used one is forgotten first. */
const MAX_SESSIONS = 128;

/** Sessions by id, each kept in step with the database at its own boundaries. */
export class SessionStates {
  readonly #held = new BoundedMap<SessionId, SessionState>(MAX_SESSIONS, (_, sessionId) =>
    this.forgotten(sessionId),
  );

  constructor(
    private readonly database: () => RuntimeDatabase,
    private readonly makeSources: () => SessionSources,
    /** Hears of each session that is no longer held. */
    private readonly forgotten: (sessionId: SessionId) => void,
    /** Hears of stored texts that are not as they were written: none of them is sent. */
    private readonly damaged: (sessionId: SessionId, found: readonly StorageError[]) => void,
  ) {}

  /** @throws StorageError when the session is not held and can't be read. */
  of(sessionId: SessionId): SessionState {
    const held = this.#held.get(sessionId);
    if (held) {
      this.#held.set(sessionId, held);
      return held;
    }
    const memory: SessionState = {
      sessionId,
      ...this.#read(sessionId),
      unstored: null,
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
   * Takes up what other processes have written of this session. Of no other one: that may be between
   * its two hooks, and what it decides there is decided on what it has read.
   */
  refresh(memory: SessionState): void {
    const version = this.database().foreignVersion();
    if (version === memory.foreignVersion) return;
    if (this.#isWrittenElsewhere(memory)) this.reload(memory);
    memory.foreignVersion = version;
  }

  /** Reads the session again; a database that can't be read leaves all as it is. */
  reload(memory: SessionState): void {
    const { lastTurn, sent } = memory;
    const read = this.#read(memory.sessionId);
    // What the host has shown to another process since, this one has not seen.
    if (sentAtMs(read) > sentAtMs(memory)) Object.assign(memory, { sources: this.makeSources() });
    Object.assign(memory, read);
    // Stored again after what has been announced since, it would take that back.
    if (memory.unstored) memory.unstored = notOnRecord(memory.unstored, read.ledger.entries);
    // The row of a turn follows its send: one that is newer than those on record is on its way there.
    const isOnRecord = lastTurn === null || sentAtMs(read) >= lastTurn.sentAtMs;
    const hasEpoch = read.ledger.epochs.some(({ seq }) => seq === lastTurn?.epochSeq);
    if (!isOnRecord && hasEpoch) Object.assign(memory, { lastTurn, sent });
  }

  /** Something was proposed in this process. */
  reloadProposals(memory: SessionState): void {
    memory.proposals = this.database().proposals.waiting(memory.sessionId);
  }

  /** Most that others write is of other sessions: two small questions spare the reading of a ledger. */
  #isWrittenElsewhere(memory: SessionState): boolean {
    const { ledger, turns } = this.database();
    if (ledger.headSeq(memory.sessionId) !== highestSeq(memory.ledger)) return true;
    this.reloadProposals(memory);
    const newest = turns.recent(memory.sessionId, 1)[0];
    return newest !== undefined && newest.sentAtMs > sentAtMs(memory);
  }

  /** What this epoch's calls have sent; read again when the session is back in a former epoch. */
  ensureSentMessages(memory: SessionState, epochSeq: number): SentMessages {
    if (memory.sent.epochSeq !== epochSeq) {
      memory.sent = readSent(this.database(), memory.sessionId, epochSeq);
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
    // Before the first read: what another process writes after it is to be noticed.
    const foreignVersion = database.foreignVersion();
    const found: StorageError[] = [];
    const damaged = (error: StorageError) => void found.push(error);
    const stored = database.ledger.loadSound(sessionId, damaged);
    const turns = database.turns.recent(sessionId, RECENT_TURNS);
    const lastTurn = turns[0] ?? null;
    const ledger = withSentBaseline(sessionId, stored, { newestTurn: lastTurn, damaged });
    const sent = lastTurn ? readSent(database, sessionId, lastTurn.epochSeq) : nothingSent(null);
    const prepared = database.ledger.prepared(sessionId, damaged);
    if (found.length > 0 && isDue(ledger, found)) this.damaged(sessionId, found);
    return {
      foreignVersion,
      ledger,
      prepared,
      proposals: database.proposals.waiting(sessionId),
      lastTurn,
      modelSentAtMs: new Map(turns.toReversed().map((turn) => [modelKey(turn), turn.sentAtMs])),
      sent,
      witnessedEpochSeq: null,
    };
  }
}

/** An epoch that has begun since is not touched by damage before it, and the user has read of that. */
function isDue({ epochs, damagedSeqs }: SoundLedger, found: readonly StorageError[]): boolean {
  const newestSeq = epochs.at(-1)?.seq ?? 0;
  return found.length > damagedSeqs.length || damagedSeqs.some((seq) => seq > newestSeq);
}

/** Beyond so many calls a provider's cache of a session is dead. */
const RECENT_TURNS = 32;

export function modelKey({
  providerId,
  modelId,
}: Pick<LastTurn, "providerId" | "modelId">): string {
  return `${providerId}/${modelId}`;
}

function sentAtMs({ lastTurn }: Pick<SessionState, "lastTurn">): number {
  return lastTurn?.sentAtMs ?? 0;
}

function readSent(database: RuntimeDatabase, sessionId: SessionId, epochSeq: number): SentMessages {
  const ids = new Set(database.turns.sentMessageIds(sessionId, epochSeq));
  return { epochSeq, ids, history: [] };
}

/**
 * A session's own clock: it rises from decision to decision, also where the machine's was set back, so
 * that a moment identifies a call and the order of turns, epochs and entries can be read off it.
 */
export function monotonicNow(
  nowMs: number,
  memory: Pick<SessionState, "lastTurn" | "ledger">,
): number {
  const { epochs, entries } = memory.ledger;
  const decidedAtMs = [epochs.at(-1)?.startedAtMs ?? 0, entries.at(-1)?.decidedAtMs ?? 0];
  return Math.max(nowMs, ...[sentAtMs(memory), ...decidedAtMs].map((moment) => moment + 1));
}

/** What of a view the process holds. */
export function heldLedger(memory: SessionState): Pick<ViewInput, "ledger" | "lastEpochSeq"> {
  return { ledger: memory.ledger, lastEpochSeq: lastEpochSeq(memory) };
}

/** An epoch that is younger than the last turn on record: a crash took the row of its first turn. */
function lastEpochSeq({ ledger, lastTurn }: SessionState): number | null {
  const newest = ledger.epochs.at(-1);
  if (!newest) return null;
  return lastTurn && lastTurn.sentAtMs >= newest.startedAtMs ? lastTurn.epochSeq : newest.seq;
}
