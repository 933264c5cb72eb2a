// Reads memories and notes from SQLite's rows.
import { deriveRef, type Ref, type RefKind } from "../../ledger/ref.ts";
import type { ProjectId } from "../../project/project.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { RowFilter } from "../../storage/rows.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { createDamagedRowError } from "../../storage/table.ts";
import type {
  MemberNames,
  Memory,
  MemoryId,
  MemoryState,
  NoteId,
  ReadableMemory,
} from "./record.ts";
import { type MemoryRow, memoryTable, type Note, type NoteRow, noteTable } from "./schema.ts";

/** Runs a write in one transaction, and gives the store another version. */
export type WriteTransaction = <Result>(body: () => Result) => Result;

/**
 * Follows the index `memory_by_rank`: people's memories first, then permanent, more important and newer ones.
 */
const RANK_ORDER =
  "(source = 'user') DESC, permanence DESC, importance DESC, changed_at_ms DESC, id";

export function listReadableMemories(
  driver: Driver,
  project: ProjectId,
  count: number,
): readonly ReadableMemory[] {
  const own = driver
    .all(SELECT_ACTIVE_MEMORIES, project, count)
    .map((row) => toReadableMemory(row, null));
  const shared = driver
    .all(SELECT_SHARING_PROJECTS, project)
    .flatMap(({ id, name, shares }) =>
      driver
        .all(SELECT_SHARED_MEMORIES, String(id), String(shares), count)
        .map((row) => toReadableMemory(row, String(name))),
    );
  // The sort is stable, so the project's own memories stay before others of the same rank.
  return shared.length === 0 ? own : [...own, ...shared].toSorted(compareRank).slice(0, count);
}

function compareRank(left: Memory, right: Memory): number {
  const rankTier = ({ source, permanence }: Memory) =>
    (source === "user" ? 2 : 0) + (permanence === "permanent" ? 1 : 0);
  return rankTier(right) - rankTier(left) || right.importance - left.importance;
}

function toReadableMemory(row: SqlRow, sharedBy: string | null): ReadableMemory {
  return { ...readMemory(row), sharedBy };
}

export function listOwnMemories(driver: Driver, project: ProjectId): readonly Memory[] {
  return driver.all(SELECT_OWN_MEMORIES, project).map(readMemory);
}

/** Reads all memories that a filter finds. */
export function listMemories(driver: Driver, where: RowFilter<MemoryRow>): readonly Memory[] {
  return memoryTable.in(driver).list(where).map(toMemory);
}

/** Reads the memory that a filter finds; null if there is none. */
export function findMemory(driver: Driver, where: RowFilter<MemoryRow>): Memory | null {
  const row = memoryTable.in(driver).find(where);
  return row && toMemory(row);
}

export function readMembers(driver: Driver, project: ProjectId): MemberNames {
  const rows = memoryTable.pick("id", "member").in(driver).list({ project });
  return new Map(rows.flatMap(({ id, member }) => (member === null ? [] : [[id, member]])));
}

/** Finds the active memory with these words; null if there is none. */
export function findActiveByDigest(
  driver: Driver,
  project: ProjectId,
  digest: string,
): Memory | null {
  return findMemory(driver, { project, digest, state: "active" });
}

export function findCandidateByDigest(
  driver: Driver,
  project: ProjectId,
  digest: string,
): Memory | null {
  return findMemory(driver, { project, digest, candidate: 1 });
}

/** Creates a new id whose ref no other row of the table has. */
export function createId(driver: Driver, kind: StoredRefKind) {
  for (;;) {
    const id = crypto.randomUUID();
    const ref = deriveRef(kind, id);
    if (!isRefTaken(driver, kind, ref)) return { id, ref };
  }
}

/** Returns a ref for an id from elsewhere: the id's own or, if another row has that, the next free one. */
export function findFreeRef(driver: Driver, kind: StoredRefKind, id: string): Ref {
  for (let attempt = 0; ; attempt += 1) {
    const ref = deriveRef(kind, attempt === 0 ? id : `${id} ${attempt}`);
    if (!isRefTaken(driver, kind, ref)) return ref;
  }
}

function isRefTaken(driver: Driver, kind: StoredRefKind, ref: Ref): boolean {
  const rows = kind === "m" ? memoryTable.in(driver) : noteTable.in(driver);
  return rows.count({ ref }) > 0;
}

type StoredRefKind = Extract<RefKind, "m" | "n">;

const readMemory = (cells: SqlRow) => toMemory(memoryTable.read(cells));

function toMemory(stored: MemoryRow): Memory {
  const { state, candidate, supersededBy, digest: _, member: _member, ...row } = stored;
  if (candidate === 1) return { ...row, state: { kind: "candidate" } };
  return { ...row, state: toMemoryState(row.id, state, supersededBy) };
}

function toMemoryState(
  id: MemoryId,
  state: MemoryRow["state"],
  supersededBy: MemoryId | null,
): MemoryState {
  switch (state) {
    case "active":
    case "archived":
      return { kind: state };
    case "superseded":
      // The schema's checks prevent a superseded memory without a successor.
      if (supersededBy === null)
        throw createDamagedRowError(`memory (${id})`, "superseded_by (missing)");
      return { kind: state, by: supersededBy };
  }
}

const SELECT_ACTIVE_MEMORIES = `
  SELECT ${memoryTable.columns} FROM memory WHERE project = ? AND state = 'active'
  ORDER BY ${RANK_ORDER} LIMIT ?`;

const SELECT_SHARING_PROJECTS = `
  SELECT other.id, other.name, other.shares FROM memory_project AS other
  JOIN memory_project AS own ON own.workspace = other.workspace
  WHERE own.id = ? AND other.id <> own.id AND other.shares <> '' ORDER BY other.name, other.id`;

/** Commas enclose each category, so that it matches no part of another category's name. */
const SELECT_SHARED_MEMORIES = `
  SELECT ${memoryTable.columns} FROM memory WHERE project = ? AND state = 'active'
    AND instr(',' || ? || ',', ',' || category || ',') > 0
  ORDER BY ${RANK_ORDER} LIMIT ?`;

const SELECT_OWN_MEMORIES = `
  SELECT ${memoryTable.columns} FROM memory WHERE project = ? ORDER BY category, ${RANK_ORDER}`;

// Stores notes in SQLite. Reminders, which are notes that wait for a condition, share some of these functions.

type NewNote = Pick<Note, "project" | "sessionId" | "text" | "by">;

export function createNoteStore(driver: Driver, written: WriteTransaction) {
  const listOpenNotes = (project: ProjectId, sessionId: SessionId | null): readonly Note[] =>
    listVisibleNotes(driver, project, sessionId).filter(({ condition }) => condition === null);
  return {
    /** Lists the open notes of the project and of the session, oldest first. */
    openNotes: listOpenNotes,

    addNote: (note: NewNote, nowMs: number): Note =>
      written(() => insertNote(driver, { ...note, condition: null, state: "open" }, nowMs)),

    /** @returns the note; null if the session may see no open note with this ref */
    finishNote: (
      project: ProjectId,
      sessionId: SessionId | null,
      ref: Ref,
      nowMs: number,
    ): Note | null =>
      written(() => finishNote(driver, listOpenNotes(project, sessionId), { ref, nowMs })),
  };
}

/** Lists unfinished notes and reminders of the project and of the session, oldest first. */
export function listVisibleNotes(
  driver: Driver,
  project: ProjectId,
  sessionId: SessionId | null,
): readonly Note[] {
  return driver
    .all(SELECT_VISIBLE_NOTES, project, sessionId)
    .map((row) => toNote(noteTable.read(row)));
}

export function toNote({ member: _, ...note }: NoteRow): Note {
  return note;
}

/** Inserts a note within the caller's transaction. */
export function insertNote<New extends NewNote & Pick<Note, "condition" | "state">>(
  driver: Driver,
  note: New,
  nowMs: number,
): New & Note {
  const { id, ref } = createId(driver, "n");
  if (note.sessionId !== null) ensureSession(driver, note.sessionId, nowMs);
  const times = { writtenAtMs: nowMs, checkedAtMs: 0, doneAtMs: null };
  const row = { ...note, ...times, id: id as NoteId, ref };
  noteTable.in(driver).insert(row);
  return row;
}

/** Finishes a note within the caller's transaction. @returns the note; null if no note has the ref */
export function finishNote(
  driver: Driver,
  notes: readonly Note[],
  { ref, nowMs }: { readonly ref: Ref; readonly nowMs: number },
): Note | null {
  const note = notes.find((one) => one.ref === ref);
  if (!note) return null;
  const done = { state: "done", doneAtMs: nowMs } as const;
  noteTable.in(driver).update({ id: note.id }, done);
  return { ...note, ...done };
}

const SELECT_VISIBLE_NOTES = `
  SELECT ${noteTable.columns} FROM note
  WHERE project = ? AND (session_id IS NULL OR session_id = ?) AND state <> 'done'
  ORDER BY written_at_ms, rowid`;
