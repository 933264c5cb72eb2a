// The store of epochs and entries, in one sequence.
import { editSchema } from "../projection/edit.ts";
import { json, longText, storedDelta, storedSnapshot, storedTexts } from "./codec.ts";
import { branded, integer, oneOf, orNull, text } from "./column.ts";
import type { Driver, SqlRow } from "./driver.ts";
import {
  type EntryRecord,
  type EpochRecord,
  epochCauses,
  type Location,
  type PreparedEdit,
  type SessionId,
  type SessionLedger,
} from "./records.ts";
import { ensureSession } from "./session-store.ts";
import { type CommitResult, type LedgerCommit, type LedgerStore, StorageError } from "./store.ts";
import { table } from "./table.ts";

interface Ranked {
  readonly sessionId: SessionId;
  readonly rank: number;
}

const inLedger = {
  sessionColumn: "session_id",
  // Triggers see to it that epochs and entries are put in by their one sequence.
  exported: { kind: "in order", by: "seq", sequence: "seq" },
  activityColumn: null,
} as const;

type EpochRow = Omit<EpochRecord, "location"> & Location;

export const epochTable = table<EpochRow>(
  "epoch",
  {
    sessionId: branded(),
    seq: integer,
    cause: oneOf(epochCauses),
    directory: text,
    worktree: text,
    startMessageId: orNull(text),
    baseline: longText,
    parts: json(storedTexts),
    snapshot: json(storedSnapshot),
    startedAtMs: integer,
  },
  { key: ["sessionId", "seq"], ...inLedger },
);

export const entryTable = table<EntryRecord>(
  "entry",
  {
    sessionId: branded(),
    seq: integer,
    epochSeq: integer,
    origin: text,
    messageId: text,
    partId: orNull(text),
    endMessageId: orNull(text),
    edit: orNull(json(editSchema)),
    announced: json(storedTexts),
    delta: json(storedDelta),
    decidedAtMs: integer,
  },
  { key: ["sessionId", "seq"], ...inLedger },
);

/** What the first call of an epoch sends, until the epoch is stored. */
export const preparedTable = table<PreparedEdit & Ranked>(
  "prepared_edit",
  { sessionId: branded(), rank: integer, origin: text, edit: json(editSchema) },
  {
    key: ["sessionId", "rank"],
    sessionColumn: "session_id",
    exported: { kind: "never" },
    activityColumn: null,
  },
);

export function ledgerStore(driver: Driver): LedgerStore {
  return {
    load: (sessionId) => driver.read(() => load(driver, sessionId)),
    headSeq: (sessionId) => headSeq(driver, sessionId) ?? 0,
    prepare: (sessionId, edits, atMs) =>
      driver.transaction(() => prepare(driver, { sessionId, edits, atMs })),
    prepared: (sessionId) => driver.all(SELECT_PREPARED, sessionId).map(prepared.read),
    commit(commit, settled = []) {
      const rows = inSequence(commit);
      return driver.transaction(() => {
        const result = commitRows(driver, commit, rows);
        if (result.kind === "committed" && settled.length > 0) {
          driver.run(TAKE_PROPOSALS, JSON.stringify(settled));
        }
        return result;
      });
    },
  };
}

type LedgerRow =
  | { readonly kind: "epoch"; readonly record: EpochRecord }
  | { readonly kind: "entry"; readonly record: EntryRecord };

/** The rows of a commit by rank, which must go on from `expectedSeq` without a gap. */
function inSequence({ sessionId, expectedSeq, epoch, entries }: LedgerCommit): LedgerRow[] {
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
  const head = headSeq(driver, sessionId);
  if ((head ?? 0) !== expectedSeq) return { kind: "lost" };
  if (head === null && epoch) ensureSession(driver, sessionId, epoch.startedAtMs);
  for (const row of rows) {
    if (row.kind === "entry") entryTable.insert(driver, row.record);
    else epochTable.insert(driver, { ...row.record, ...row.record.location });
  }
  if (epoch) driver.run("DELETE FROM prepared_edit WHERE session_id = ?", sessionId);
  return { kind: "committed" };
}

const TAKE_PROPOSALS = `
  UPDATE job SET state = 'taken' WHERE state = 'settled' AND id IN (SELECT value FROM json_each(?))`;

function prepare(
  driver: Driver,
  {
    sessionId,
    edits,
    atMs,
  }: { sessionId: SessionId; edits: readonly PreparedEdit[]; atMs: number },
): void {
  ensureSession(driver, sessionId, atMs);
  driver.run("DELETE FROM prepared_edit WHERE session_id = ?", sessionId);
  for (const [index, { origin, edit }] of edits.entries()) {
    preparedTable.insert(driver, { sessionId, rank: index + 1, origin, edit });
  }
}

/** Null: the session has no rows. */
function headSeq(driver: Driver, sessionId: SessionId): number | null {
  const row = driver.get("SELECT head_seq FROM session WHERE id = ?", sessionId);
  return row ? Number(row.head_seq) : null;
}

function load(driver: Driver, sessionId: SessionId): SessionLedger {
  return {
    epochs: driver.all(SELECT_EPOCHS, sessionId).map(epochOf),
    entries: driver.all(SELECT_ENTRIES, sessionId).map(entryTable.read),
  };
}

const SELECT_EPOCHS = `
  SELECT ${epochTable.columns} FROM epoch WHERE session_id = ? ORDER BY seq`;

const SELECT_ENTRIES = `
  SELECT ${entryTable.columns} FROM entry WHERE session_id = ? ORDER BY seq`;

const prepared = preparedTable.pick("origin", "edit");

const SELECT_PREPARED = `
  SELECT ${prepared.columns} FROM prepared_edit WHERE session_id = ? ORDER BY rank`;

function epochOf(row: SqlRow): EpochRecord {
  const { directory, worktree, ...epoch } = epochTable.read(row);
  return { ...epoch, location: { directory, worktree } };
}
