// Applies one change of a project's memories, within the caller's transaction.
import type { Driver } from "../storage/driver.ts";
import { StorageError } from "../storage/store.ts";
import { formerId } from "./ids.ts";
import type {
  Change,
  ChangeOutcome,
  Memory,
  MemoryChange,
  MemoryId,
  ProjectId,
  Wording,
} from "./record.ts";
import { memoryTable } from "./schema.ts";
import { fingerprint } from "./similar.ts";
import { activeSaying, freeRef, memoryById, newId } from "./sqlite-rows.ts";

/** Whose memories are changed where, by whom and when. */
interface Place {
  readonly driver: Driver;
  readonly project: ProjectId;
  readonly by: Change;
}

/** Where the words of a change are an active memory's already, that one stands for both. */
export function applyChange(place: Place, change: MemoryChange): ChangeOutcome {
  const { driver, by } = place;
  switch (change.kind) {
    case "add":
      return add(place, change.wording);
    case "confirm":
      return onMemory(place, change.id, ({ id }) => {
        driver.run(CONFIRM, by.nowMs, change.importance, id);
      });
    case "edit":
      return edit(place, change);
    case "archive":
      return onMemory(place, change.id, ({ id, state }) => {
        if (state.kind === "active") driver.run(ARCHIVE, by.nowMs, id);
      });
    case "restore":
      return restore(place, change.id);
    case "merge":
      return merge(place, change);
  }
}

function add({ driver, project, by }: Place, wording: Wording) {
  const { nowMs, ...origin } = by;
  const { digest } = fingerprint(wording.text);
  const known = activeSaying(driver, project, digest);
  if (known) {
    driver.run(CONFIRM, nowMs, wording.importance, known.id);
    return { kind: "known", memory: stored(driver, project, known.id) } as const;
  }
  const { id, ref } = newId(driver, "m");
  memoryTable.insert(driver, {
    ...wording,
    ...origin,
    ...{ id: id as MemoryId, ref, project, digest, state: "active" },
    ...{ writtenAtMs: nowMs, changedAtMs: nowMs, checkedAtMs: nowMs },
  });
  return { kind: "done", memory: stored(driver, project, id as MemoryId) } as const;
}

function edit(
  place: Place,
  { id, wording }: MemoryChange & { readonly kind: "edit" },
): ChangeOutcome {
  const { driver, project, by } = place;
  const memory = memoryById(driver, project, id);
  if (!memory) return { kind: "missing" };
  const { category, text, importance, permanence } = { ...memory, ...wording };
  const { digest } = fingerprint(text);
  const known = activeSaying(driver, project, digest);
  if (known && known.id !== id) {
    driver.run(SUPERSEDE, known.id, by.nowMs, id);
    return { kind: "known", memory: known };
  }
  if (text !== memory.text) keepFormer(place, memory);
  const said = [category, text, digest, importance, permanence];
  driver.run(EDIT, ...said, by.by, by.sessionId, by.segment, by.nowMs, by.nowMs, id);
  return { kind: "done", memory: stored(driver, project, id) };
}

/** A row of its own, so that nothing that was once known is lost; a wording that was there before has one. */
function keepFormer({ driver, by }: Place, memory: Memory): void {
  const { state: _, ...former } = memory;
  const id = formerId(memory.id, memory.text);
  const known = memoryById(driver, memory.project, id);
  if (known?.text === memory.text) return;
  // One that was restored since may say something else by now.
  const free = known === null ? { id, ref: freeRef(driver, "m", id) } : newId(driver, "m");
  memoryTable.insert(driver, {
    ...former,
    ...{ id: free.id as MemoryId, ref: free.ref, digest: fingerprint(former.text).digest },
    ...{ state: "superseded", supersededBy: memory.id, changedAtMs: by.nowMs },
  });
}

function restore({ driver, project, by }: Place, id: MemoryId): ChangeOutcome {
  const memory = memoryById(driver, project, id);
  if (!memory) return { kind: "missing" };
  const known = activeSaying(driver, project, fingerprint(memory.text).digest);
  if (known) return { kind: known.id === id ? "done" : "known", memory: known };
  driver.run(RESTORE, by.nowMs, by.nowMs, id);
  return { kind: "done", memory: stored(driver, project, id) };
}

function merge(place: Place, change: MemoryChange & { readonly kind: "merge" }): ChangeOutcome {
  const { driver, project, by } = place;
  const { ids, wording } = change;
  const merged = ids.map((id) => memoryById(driver, project, id));
  if (merged.length === 0 || merged.includes(null)) return { kind: "missing" };
  const outcome = add(place, wording);
  const { id: into } = outcome.memory;
  for (const id of ids) if (id !== into) driver.run(SUPERSEDE, into, by.nowMs, id);
  return outcome;
}

function onMemory(
  { driver, project }: Place,
  id: MemoryId,
  change: (memory: Memory) => void,
): ChangeOutcome {
  const memory = memoryById(driver, project, id);
  if (!memory) return { kind: "missing" };
  change(memory);
  return { kind: "done", memory: stored(driver, project, id) };
}

function stored(driver: Driver, project: ProjectId, id: MemoryId): Memory {
  const memory = memoryById(driver, project, id);
  if (!memory) throw new StorageError("failed", `The memory ${id} is gone.`);
  return memory;
}

const CONFIRM = `
  UPDATE memory SET checked_at_ms = ?, importance = max(importance, ?) WHERE id = ?`;

/** Later than the change that it follows, also where that one was made on a machine whose clock is ahead. */
const ARCHIVE =
  "UPDATE memory SET state = 'archived', changed_at_ms = max(?, changed_at_ms + 1) WHERE id = ?";

const SUPERSEDE = `
  UPDATE memory SET state = 'superseded', superseded_by = ?, changed_at_ms = max(?, changed_at_ms + 1) WHERE id = ?`;

const EDIT = `
  UPDATE memory SET category = ?, text = ?, digest = ?, importance = ?, permanence = ?, by = ?,
    session_id = ?, segment = ?, changed_at_ms = max(?, changed_at_ms + 1), checked_at_ms = ? WHERE id = ?`;

const RESTORE = `
  UPDATE memory SET state = 'active', superseded_by = NULL, changed_at_ms = max(?, changed_at_ms + 1), checked_at_ms = ?
  WHERE id = ?`;
