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
import {
  type EntryRecord,
  type EpochRecord,
  epochCauses,
  type PreparedEdit,
  type SessionId,
  type SessionLedger,
} from "./records.ts";
import { ensureSession } from "./session-store.ts";
import { type CommitResult, type LedgerCommit, type LedgerStore, StorageError } from "./store.ts";

export function ledgerStore(driver: Driver): LedgerStore {
  return {
    load: (sessionId) => driver.read(() => load(driver, sessionId)),
    headSeq: (sessionId) => headSeq(driver, sessionId) ?? 0,
    prepare: (sessionId, edits, atMs) =>
      driver.transaction(() => prepare(driver, { sessionId, edits, atMs })),
    prepared: (sessionId) => driver.all(SELECT_PREPARED, sessionId).map(preparedOf),
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
  if (head === null && rows[0]) ensureSession(driver, sessionId, decidedAtMs(rows[0]));
  for (const row of rows) {
    if (row.kind === "epoch") insertEpoch(driver, row.record);
    else insertEntry(driver, row.record);
  }
  if (epoch) driver.run("DELETE FROM prepared_edit WHERE session_id = ?", sessionId);
  return { kind: "committed" };
}

const TAKE_PROPOSALS = `
  UPDATE job SET state = 'taken' WHERE state = 'settled' AND id IN (SELECT value FROM json_each(?))`;

const INSERT_PREPARED =
  "INSERT INTO prepared_edit (session_id, rank, origin, edit) VALUES (?, ?, ?, ?)";

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
    const json = toJson("prepared_edit.edit", editSchema, edit);
    driver.run(INSERT_PREPARED, sessionId, index + 1, origin, json);
  }
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
  cause: z.enum(epochCauses),
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

const SELECT_PREPARED = "SELECT origin, edit FROM prepared_edit WHERE session_id = ? ORDER BY rank";

const preparedRow = z.object({ origin: z.string(), edit: jsonColumn(editSchema) });

function preparedOf(sql: SqlRow): PreparedEdit {
  return decodeRow("prepared_edit", preparedRow, sql);
}

const SELECT_ENTRIES = `
  SELECT session_id, seq, epoch_seq, origin, message_id, part_id, end_message_id, edit, told, delta,
    decided_at_ms
  FROM entry WHERE session_id = ? ORDER BY seq`;

const INSERT_ENTRY = `
  INSERT INTO entry (session_id, seq, epoch_seq, origin, message_id, part_id, end_message_id, edit,
    told, delta, decided_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const entryRow = z.object({
  session_id: z.custom<SessionId>(),
  seq: z.int(),
  epoch_seq: z.int(),
  origin: z.string(),
  message_id: z.string(),
  part_id: z.string().nullable(),
  end_message_id: z.string().nullable(),
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
    origin: row.origin,
    messageId: row.message_id,
    partId: row.part_id,
    endMessageId: row.end_message_id,
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
    entry.origin,
    entry.messageId,
    entry.partId,
    entry.endMessageId,
    entry.edit && toJson("entry.edit", editSchema, entry.edit),
    toJson("entry.told", storedTexts, entry.told),
    toJson("entry.delta", storedDelta, entry.delta),
    entry.decidedAtMs,
  );
}
