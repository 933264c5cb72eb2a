// Reads a project's items from the local copy, and writes them to it.
import { toCanonicalJson } from "../../context/canonical.ts";
import type { ProjectId } from "../../project/project.ts";
import type { Driver } from "../../storage/driver.ts";
import type { MemoryId, NoteId } from "../memory/record.ts";
import { type MemoryRow, memoryTable, type NoteRow, noteTable } from "../memory/schema.ts";
import { findFreeRef } from "../memory/sqlite-rows.ts";
import {
  type DeletedItem,
  digestItem,
  type Item,
  type SharedMemory,
  type SharedNote,
} from "./item.ts";
import type { ItemRows, Lookup } from "./merge.ts";

/** Returns those of the rows that exist. */
export function lookUpItems(driver: Driver, project: ProjectId, lookup: Lookup): readonly Item[] {
  const [ids, digests, successors] = [lookup.ids, lookup.digests, lookup.successors].map((part) =>
    JSON.stringify(part),
  ) as [string, string, string];
  return [
    ...driver
      .all(SELECT_MEMORIES, project, ids, digests, successors)
      .map((row) => toSharedMemory(memoryTable.read(row))),
    ...driver.all(SELECT_NOTES, project, ids).map((row) => toSharedNote(noteTable.read(row))),
  ];
}

export function readMemoryItem(driver: Driver, id: string): SharedMemory | null {
  const row = memoryTable.in(driver).find({ id: id as MemoryId });
  return row && toSharedMemory(row);
}

export function readNoteItem(driver: Driver, id: string): SharedNote | null {
  const row = noteTable.in(driver).find({ id: id as NoteId });
  return row && toSharedNote(row);
}

function toSharedMemory(row: MemoryRow): SharedMemory {
  const { id, project, category, importance, permanence, source, by, member, ...rest } = row;
  const { writtenAtMs, changedAtMs, checkedAtMs, usedAtMs, text } = rest;
  return {
    kind: "memory",
    id,
    project,
    category,
    importance,
    permanence,
    source,
    by,
    writtenAtMs,
    changedAtMs,
    checkedAtMs,
    usedAtMs,
    text: toSendableText(text),
    member,
    state: toSharedState(rest),
  };
}

function toSharedState({
  state,
  candidate,
  supersededBy,
}: Pick<MemoryRow, "state" | "candidate" | "supersededBy">): SharedMemory["state"] {
  if (state === "superseded" && supersededBy !== null) return { kind: state, by: supersededBy };
  if (candidate === 1) return { kind: "candidate" };
  return { kind: state === "active" ? "active" : "archived" };
}

function toSharedNote(row: NoteRow): SharedNote {
  const { id, project, text, by, writtenAtMs, doneAtMs, member } = row;
  return {
    kind: "note",
    id,
    project,
    member,
    text: toSendableText(text),
    by,
    writtenAtMs,
    doneAtMs,
  };
}

/** Removes NUL characters, which PostgreSQL can't store. */
function toSendableText(text: string): string {
  return text.replaceAll("\0", "");
}

/** Returns true if both items are equal in all their fields. */
export function areSameItems(one: Item | undefined, other: Item): boolean {
  return one !== undefined && toCanonicalJson(one) === toCanonicalJson(other);
}

/** Writes items within the caller's transaction; at its end the references between rows must hold. */
export function writeItems(driver: Driver, known: ItemRows, changed: readonly Item[]): void {
  driver.exec("PRAGMA defer_foreign_keys = ON");
  const present = changed.filter(({ id }) => known.has(id)).map(({ id }) => id);
  // Active rows are archived first, because two rows that swap their words would collide in between.
  const memories = memoryTable.in(driver);
  const parked = { state: "archived", candidate: 0, supersededBy: null } as const;
  memories.update({ state: "active", id: present as MemoryId[] }, parked);
  const coming = new Set(changed.flatMap(({ kind, id }) => (kind === "memory" ? [id] : [])));
  const isKnown = (id: MemoryId) => coming.has(id) || memories.count({ id }) > 0;
  for (const item of changed) {
    if (item.kind === "memory") writeMemory(driver, item, isKnown);
    if (item.kind === "note") writeNote(driver, item);
  }
  for (const item of changed) if (item.kind === "gone") removeItem(driver, item);
}

function writeMemory(driver: Driver, item: SharedMemory, isKnown: (id: MemoryId) => boolean): void {
  const { kind: _, member, state, id, project, ...said } = item;
  const values = { ...said, digest: digestItem(item), ...toStateColumns(state, isKnown) };
  const memories = memoryTable.in(driver);
  const known = localColumns.in(driver).find({ id });
  if (known === null) {
    memories.insert({ ...values, id, project, member, ref: findFreeRef(driver, "m", id) });
    return;
  }
  // The session and segment stay only as long as the text is the one that this machine stored.
  const { sessionId, segment } = known.text === item.text ? known : foreignColumns;
  memories.update({ id }, { ...values, sessionId, segment, member: member ?? known.member });
}

const localColumns = memoryTable.pick("text", "sessionId", "segment", "member");

const foreignColumns = { sessionId: null, segment: null };

/** A memory whose successor isn't known here is stored as archived, so that it is not shown either. */
function toStateColumns(state: SharedMemory["state"], isKnown: (id: MemoryId) => boolean) {
  const stands = { candidate: 0, supersededBy: null } as const;
  switch (state.kind) {
    case "active":
    case "archived":
      return { ...stands, state: state.kind };
    case "candidate":
      return { ...stands, state: "archived", candidate: 1 } as const;
    case "superseded":
      return isKnown(state.by)
        ? ({ ...stands, state: "superseded", supersededBy: state.by } as const)
        : ({ ...stands, state: "archived" } as const);
  }
}

function writeNote(driver: Driver, { kind: _, ...note }: SharedNote): void {
  const notes = noteTable.in(driver);
  const { doneAtMs, member } = note;
  const id = note.id as NoteId;
  const state = doneAtMs === null ? "open" : "done";
  const changes = { state, doneAtMs, ...(member !== null && { member }) } as const;
  if (notes.update({ id }, changes).length > 0) return;
  notes.insert({ ...note, id, ref: findFreeRef(driver, "n", id), state });
}

function removeItem(driver: Driver, { id }: DeletedItem): void {
  memoryTable.in(driver).erase({ id: id as MemoryId });
  noteTable.in(driver).erase({ id: id as NoteId });
}

/** Each part of the query uses an index of its own. */
const SELECT_MEMORIES = `
  SELECT ${memoryTable.columns} FROM memory WHERE id IN (
    SELECT value FROM json_each(?2)
    UNION SELECT memory.id FROM memory JOIN json_each(?3)
      ON memory.project = ?1 AND digest = value AND state = 'active'
    UNION SELECT memory.id FROM memory JOIN json_each(?4) ON superseded_by = value
  ) AND project = ?1`;

const SELECT_NOTES = `
  SELECT ${noteTable.columns} FROM note
  WHERE project = ? AND session_id IS NULL AND condition IS NULL
    AND id IN (SELECT value FROM json_each(?))`;
