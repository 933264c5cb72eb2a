// The interfaces of the stores, and of the database as a whole.
// Folder: The SQLite database: schema, stores, drivers.
import type { BriefStore } from "./brief-records.ts";
import type { Driver } from "./driver.ts";
import type { FormStore } from "./form-records.ts";
import type { JobStore } from "./job-records.ts";
import type { OverviewStore } from "./overview-records.ts";
import type {
  EntryRecord,
  EpochRecord,
  PreparedEdit,
  SessionId,
  SessionLedger,
  TurnOutcome,
  TurnRecord,
  UpdateBytes,
} from "./records.ts";

/** What one boundary decided; it is written in one transaction or not at all. */
export interface LedgerCommit {
  readonly sessionId: SessionId;
  /** The highest sequence number that the decision was made on: 0 for a new session. */
  readonly expectedSeq: number;
  readonly epoch: EpochRecord | null;
  readonly entries: readonly EntryRecord[];
}

export type CommitResult =
  | { readonly kind: "committed" }
  /** Another process committed first: drop the draft, load again, replay what it wrote. */
  | { readonly kind: "lost" };

/** The ledger of every session. Each write is one short `BEGIN IMMEDIATE` transaction. */
export interface LedgerStore {
  /** All of one state of the database, by rank; empty for a session that is not known. */
  load(sessionId: SessionId): SessionLedger;
  /** Its highest sequence number, without reading it; 0 for a session that is not known. */
  headSeq(sessionId: SessionId): number;
  /** With it go the proposals that these entries take, or that were found stale. */
  commit(commit: LedgerCommit, settled?: readonly number[]): CommitResult;
  /** What `prepare` has put on disk and no epoch has taken since, in its order. */
  prepared(sessionId: SessionId): readonly PreparedEdit[];
  /** Puts on disk what the first call of an epoch sends before the epoch itself can be stored. */
  prepare(sessionId: SessionId, edits: readonly PreparedEdit[], atMs: number): void;
}

/** Provider turns; written after the send. Each belongs to an epoch that is stored. */
export interface TurnStore {
  /** Takes the next rank itself; a row for the same session and `sentAtMs` is not written twice. */
  append(turn: Omit<TurnRecord, "seq" | "usage" | "cost">): void;
  /** Gives that turn its usage, if it has none yet; a second report changes nothing. */
  settle(sessionId: SessionId, outcome: TurnOutcome): void;
  /** Of the turn that `sentAtMs` identifies; zeros where there is none. */
  updateBytes(sessionId: SessionId, sentAtMs: number): UpdateBytes;
  /** Newest first. */
  recent(sessionId: SessionId, count: number): readonly TurnRecord[];
  /** Every message id that this epoch's turns have sent. */
  sentMessageIds(sessionId: SessionId, epochSeq: number): ReadonlySet<string>;
}

export interface SessionStore {
  /** The session runs in this host; those that none has claimed run in OpenCode. */
  claim(sessionId: SessionId, harness: string, atMs: number): void;
  /** All rows of the session go, in one transaction. */
  remove(sessionId: SessionId): void;
}

export interface DatabaseHealth {
  readonly path: string;
  /** The file and what only its WAL holds yet. */
  readonly sizeBytes: number;
  readonly schemaVersion: number;
}

/** One open database. Errors are `StorageError`s with a code. */
export interface RuntimeDatabase {
  readonly sessions: SessionStore;
  readonly ledger: LedgerStore;
  readonly turns: TurnStore;
  readonly briefs: BriefStore;
  readonly forms: FormStore;
  readonly jobs: JobStore;
  readonly overview: OverviewStore;
  /** A feature's own store; each `make` is called once for this connection. */
  store<Store>(make: (driver: Driver) => Store): Store;
  /** Changes when another connection has written: what is held in memory is stale then. */
  foreignVersion(): number;
  health(): DatabaseHealth;
  close(): void;
}

export type StorageErrorCode =
  | "locked"
  | "read_only"
  | "full"
  | "corrupt"
  | "newer_schema"
  | "older_schema"
  | "unopenable"
  | "gone"
  | "failed";

/** Why a source can't be read whose text is kept in the runtime's own database. */
export const DATABASE_UNREADABLE = "database_unreadable";

export class StorageError extends Error {
  constructor(
    readonly code: StorageErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "StorageError";
  }
}
