// The store of epochs and entries, in one sequence.
import * as z from "zod";
import { editSchema } from "../projection/edit.ts";
import {
  decodeRow,
  jsonColumn,
  storedDelta,
  storedSnapshot,
  storedText,
  storedTexts,
  toJson,
} from "./codec.ts";
import type { Driver, SqlRow } from "./driver.ts";
import type { EntryRecord, EpochRecord, SessionId, SessionLedger } from "./records.ts";
import { type CommitResult, type LedgerCommit, type LedgerStore, StorageError } from "./store.ts";

export function ledgerStore(driver: Driver): LedgerStore {
  return {
    load: (sessionId) => driver.read(() => load(driver, sessionId)),
    headSeq: (sessionId) => headSeq(driver, sessionId) ?? 0,
    commit(commit) {
      const rows = inSequence(commit);
      return driver.transaction(() => commitRows(driver, commit, rows));
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
  { sessionId, expectedSeq }: LedgerCommit,
  rows: readonly LedgerRow[],
): CommitResult {
  const head = headSeq(driver, sessionId);
  if ((head ?? 0) !== expectedSeq) return { kind: "lost" };
  if (head === null && rows[0]) {
    const createdAtMs = decidedAtMs(rows[0]);
    driver.run("INSERT INTO session (id, created_at_ms) VALUES (?, ?)", sessionId, createdAtMs);
  }
  for (const row of rows) {
    if (row.kind === "epoch") insertEpoch(driver, row.record);
    else insertEntry(driver, row.record);
  }
  return { kind: "committed" };
}

/** Null: the session has no rows. */
function headSeq(driver: Driver, sessionId: SessionId): number | null {
  const row = driver.get("SELECT head_seq FROM session WHERE id = ?", sessionId);
  return row ? Number(row.head_seq) : null;
}

function decidedAtMs(row: LedgerRow): number {
  return row.kind === "epoch" ? row.record.startedAtMs : row.record.decidedAtMs;
}

function load(driver: Driver, sessionId: SessionId): SessionLedger {
  return {
    epochs: driver.all(SELECT_EPOCHS, sessionId).map(epochOf),
    entries: driver.all(SELECT_ENTRIES, sessionId).map(entryOf),
  };
}

const SELECT_EPOCHS = `
  SELECT session_id, seq, cause, directory, worktree, start_message_id, baseline, parts, snapshot,
    started_at_ms
  FROM epoch WHERE session_id = ? ORDER BY seq`;

const INSERT_EPOCH = `
  INSERT INTO epoch (session_id, seq, cause, directory, worktree, start_message_id, baseline, parts,
    snapshot, started_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const epochRow = z.object({
  session_id: z.custom<SessionId>(),
  seq: z.int(),
  cause: z.enum(["first", "compacted", "moved", "replaced", "model"]),
  directory: z.string(),
  worktree: z.string(),
  start_message_id: z.string().nullable(),
  baseline: jsonColumn(storedText),
  parts: jsonColumn(storedTexts),
  snapshot: jsonColumn(storedSnapshot),
  started_at_ms: z.int(),
});

function epochOf(sql: SqlRow): EpochRecord {
  const row = decodeRow("epoch", epochRow, sql);
  return {
    sessionId: row.session_id,
    seq: row.seq,
    cause: row.cause,
    location: { directory: row.directory, worktree: row.worktree },
    startMessageId: row.start_message_id,
    baseline: row.baseline,
    parts: row.parts,
    snapshot: row.snapshot,
    startedAtMs: row.started_at_ms,
  };
}

function insertEpoch(driver: Driver, epoch: EpochRecord): void {
  driver.run(
    INSERT_EPOCH,
    epoch.sessionId,
    epoch.seq,
    epoch.cause,
    epoch.location.directory,
    epoch.location.worktree,
    epoch.startMessageId,
    toJson("epoch.baseline", storedText, epoch.baseline),
    toJson("epoch.parts", storedTexts, epoch.parts),
    toJson("epoch.snapshot", storedSnapshot, epoch.snapshot),
    epoch.startedAtMs,
  );
}

const SELECT_ENTRIES = `
  SELECT session_id, seq, epoch_seq, message_id, part_id, edit, told, delta, decided_at_ms
  FROM entry WHERE session_id = ? ORDER BY seq`;

const INSERT_ENTRY = `
  INSERT INTO entry (session_id, seq, epoch_seq, message_id, part_id, edit, told, delta,
    decided_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const entryRow = z.object({
  session_id: z.custom<SessionId>(),
  seq: z.int(),
  epoch_seq: z.int(),
  message_id: z.string(),
  part_id: z.string().nullable(),
  edit: jsonColumn(editSchema).nullable(),
  told: jsonColumn(storedTexts),
  delta: jsonColumn(storedDelta),
  decided_at_ms: z.int(),
});

function entryOf(sql: SqlRow): EntryRecord {
  const row = decodeRow("entry", entryRow, sql);
  return {
    sessionId: row.session_id,
    seq: row.seq,
    epochSeq: row.epoch_seq,
    messageId: row.message_id,
    partId: row.part_id,
    edit: row.edit,
    told: row.told,
    delta: row.delta,
    decidedAtMs: row.decided_at_ms,
  };
}

function insertEntry(driver: Driver, entry: EntryRecord): void {
  driver.run(
    INSERT_ENTRY,
    entry.sessionId,
    entry.seq,
    entry.epochSeq,
    entry.messageId,
    entry.partId,
    entry.edit && toJson("entry.edit", editSchema, entry.edit),
    toJson("entry.told", storedTexts, entry.told),
    toJson("entry.delta", storedDelta, entry.delta),
    entry.decidedAtMs,
  );
}
