// The store of epochs and entries, in one sequence, and of proposals that wait for a boundary.
import { anyJson, brandedText, integer, knownValue, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import { StorageError } from "./errors.ts";
import {
  type EntryRecord,
  type EpochRecord,
  entryTable,
  epochTable,
  type PreparedEdit,
  preparedTable,
  type SessionLedger,
  type SoundLedger,
} from "./ledger-table.ts";
import type { SessionId } from "./records.ts";
import { ensureSession, sessionTable } from "./session-store.ts";
import { localSessionRules, type RowOf, table } from "./table.ts";

// The store of proposals: changes that tools, commands and jobs ask for, waiting for a boundary.

/**
 * Holds waiting proposals. A boundary that takes a proposal, or finds it stale, deletes it with its commit.
 */
export const proposalTable = table(
  "proposal",
  {
    id: integer,
    sessionId: brandedText<SessionId>(),
    /** Names the kind of change, which determines who reads `output`. */
    kind: text,
    /** `command` means that the user asked for the change, and gives up the provider's cache for it. */
    urgency: knownValue(["command", "waits"]),
    output: anyJson,
  },
  {
    ...{ key: ["id"], ...localSessionRules },
    sql: {
      // An id is never reused: a process may still hold one that another has taken.
      columns: { id: "PRIMARY KEY AUTOINCREMENT" },
      constraints: ["UNIQUE (session_id, kind, urgency, output)"],
    },
  },
);

export type NewProposal = Omit<RowOf<typeof proposalTable>, "id">;

const waitingSelection = proposalTable.pick("id", "kind", "urgency", "output");

export type ProposalStore = ReturnType<typeof createProposalStore>;

export function createProposalStore(driver: Driver) {
  return {
    /** Adds a proposal, unless the same one is waiting already. */
    add: (proposal: NewProposal, nowMs: number): void =>
      driver.transaction(() => {
        ensureSession(driver, proposal.sessionId, nowMs);
        proposalTable.in(driver).insertNew(proposal);
      }),
    /** Returns the waiting proposals in the order in which they were made. */
    waiting: (sessionId: SessionId) => waitingSelection.in(driver).list({ sessionId }, "id"),
  };
}

const headSelection = sessionTable.pick("headSeq");

/** Holds what one boundary decided; it is written in one transaction or not at all. */
export interface LedgerCommit {
  readonly sessionId: SessionId;
  /** The highest sequence number that the decision was based on; 0 for a new session. */
  readonly expectedSeq: number;
  readonly epoch: EpochRecord | null;
  readonly entries: readonly EntryRecord[];
}

type CommitResult =
  | { readonly kind: "committed" }
  /**
   * Another process committed first: drop the draft, load the ledger again, and replay what that process
   * wrote.
   */
  | { readonly kind: "lost" };

export type LedgerStore = ReturnType<typeof createLedgerStore>;

/** Stores every session's ledger. Each write is one short `BEGIN IMMEDIATE` transaction. */
export function createLedgerStore(driver: Driver) {
  return {
    /** Reads one state of the whole ledger, by rank; empty for an unknown session. */
    load: (sessionId: SessionId): SessionLedger =>
      driver.read(() => ({
        epochs: epochTable.in(driver).list({ sessionId }, "seq").map(toEpochRecord),
        entries: entryTable.in(driver).list({ sessionId }, "seq"),
      })),
    /**
     * Reads as `load` does, but skips damaged rows and reports each to `damaged`.
     * @throws StorageError if the file itself fails
     */
    loadSound: (sessionId: SessionId, damaged: (error: StorageError) => void): SoundLedger =>
      driver.read(() => {
        const epochs = epochTable.in(driver).listReadable({ sessionId }, "seq");
        const entries = entryTable.in(driver).listReadable({ sessionId }, "seq");
        const lost = [...epochs.damaged, ...entries.damaged];
        for (const { error } of lost) damaged(error);
        return {
          epochs: epochs.rows.map(toEpochRecord),
          entries: entries.rows,
          damagedSeqs: lost.map(({ cells }) => Number(cells.seq)),
        };
      }),
    /** Returns the highest sequence number without reading the ledger; 0 for an unknown session. */
    headSeq: (sessionId: SessionId): number => readHeadSeq(driver, sessionId) ?? 0,
    /** Stores a boundary's decision and deletes the proposals that it takes or found stale. */
    commit(commit: LedgerCommit, settled: readonly number[] = []): CommitResult {
      const rows = toOrderedRows(commit);
      return driver.transaction(() => {
        const result = commitRows(driver, commit, rows);
        if (result.kind === "committed") removeProposals(driver, settled);
        return result;
      });
    },
    /** Returns, in order, what `prepare` has stored and no epoch has taken since. */
    prepared(
      sessionId: SessionId,
      damaged: (error: StorageError) => void,
    ): readonly PreparedEdit[] {
      const { rows, damaged: lost } = preparedTable.in(driver).listReadable({ sessionId }, "rank");
      for (const { error } of lost) damaged(error);
      // Prepared edits belong together: if one is lost, the rest is decided again.
      return lost.length > 0 ? [] : rows.map(({ origin, edit }) => ({ origin, edit }));
    },
    /**
     * Stores what the first call of an epoch sends before the epoch itself can be stored. The proposals that
     * these edits take are deleted with it, so any proposal waiting beside prepared edits came later.
     */
    prepare: ({ sessionId, edits, settled, atMs }: Preparation): void =>
      driver.transaction(() => {
        const rows = preparedTable.in(driver);
        ensureSession(driver, sessionId, atMs);
        rows.delete({ sessionId });
        for (const [index, { origin, edit }] of edits.entries()) {
          rows.insert({ sessionId, rank: index + 1, origin, edit });
        }
        removeProposals(driver, settled);
      }),
  };
}

interface Preparation {
  readonly sessionId: SessionId;
  readonly edits: readonly PreparedEdit[];
  /** The ids of the proposals that the edits settle. */
  readonly settled: readonly number[];
  readonly atMs: number;
}

function removeProposals(driver: Driver, ids: readonly number[]): void {
  if (ids.length > 0) proposalTable.in(driver).delete({ id: ids });
}

type LedgerRow =
  | { readonly kind: "epoch"; readonly record: EpochRecord }
  | { readonly kind: "entry"; readonly record: EntryRecord };

/** Returns a commit's rows by rank, which must follow `expectedSeq` without a gap. */
function toOrderedRows({ sessionId, expectedSeq, epoch, entries }: LedgerCommit): LedgerRow[] {
  const rows: LedgerRow[] = entries.map((record) => ({ kind: "entry", record }));
  if (epoch) rows.push({ kind: "epoch", record: epoch });
  rows.sort((left, right) => left.record.seq - right.record.seq);
  rows.forEach(({ kind, record }, index) => {
    const seq = expectedSeq + 1 + index;
    if (record.seq === seq && record.sessionId === sessionId) return;
    const found = `${kind} ${record.seq} of ${record.sessionId}`;
    throw new StorageError("failed", `Commit of ${sessionId}: ${found} stands where ${seq} must.`);
  });
  return rows;
}

function commitRows(
  driver: Driver,
  { sessionId, expectedSeq, epoch }: LedgerCommit,
  rows: readonly LedgerRow[],
): CommitResult {
  const head = readHeadSeq(driver, sessionId);
  if ((head ?? 0) !== expectedSeq) return { kind: "lost" };
  if (head === null && epoch) ensureSession(driver, sessionId, epoch.startedAtMs);
  for (const row of rows) {
    if (row.kind === "entry") entryTable.in(driver).insert(row.record);
    else epochTable.in(driver).insert({ ...row.record, ...row.record.location });
  }
  if (epoch) preparedTable.in(driver).delete({ sessionId });
  return { kind: "committed" };
}

/** Returns the session's highest sequence number; null if the session has no rows. */
function readHeadSeq(driver: Driver, id: SessionId): number | null {
  return headSelection.in(driver).find({ id })?.headSeq ?? null;
}

function toEpochRecord({ directory, worktree, ...epoch }: RowOf<typeof epochTable>): EpochRecord {
  return { ...epoch, location: { directory, worktree } };
}
