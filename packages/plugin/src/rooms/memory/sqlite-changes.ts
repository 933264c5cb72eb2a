// Applies one change of a project's memories, within the caller's transaction.
import type { Driver } from "../../storage/driver.ts";
import { StorageError } from "../../storage/store.ts";
import { formerId } from "./ids.ts";
import {
  type Author,
  type Change,
  type ChangeOutcome,
  type Learnt,
  type Memory,
  type MemoryChange,
  type MemoryId,
  type ProjectId,
  SOURCES,
  type Source,
  sourceOf,
  strongest,
  type Wording,
} from "./record.ts";
import { memoryTable } from "./schema.ts";
import { fingerprint } from "./similar.ts";
import { activeSaying, candidateSaying, freeRef, memoryById, newId } from "./sqlite-rows.ts";

/** Whose memories are changed where, by whom and when. */
interface Place {
  readonly driver: Driver;
  readonly project: ProjectId;
  readonly by: Change;
}

/** Where the words of a change are an active memory's already, that one stands for both, and for candidates. */
export function applyChange(place: Place, change: MemoryChange): ChangeOutcome {
  const { driver, by } = place;
  switch (change.kind) {
    case "add":
      return add(place, change.wording, sourceOf(by.by));
    case "learn":
      return learn(place, change);
    case "confirm":
      return onMemory(place, change.id, ({ id }) => {
        driver.run(CONFIRM, by.nowMs, change.importance, id);
      });
    case "edit":
      return edit(place, change);
    case "archive":
      return onMemory(place, change.id, ({ id, state }) => {
        const stands = state.kind === "active" || state.kind === "candidate";
        if (stands) driver.run(ARCHIVE, by.nowMs, id);
      });
    case "restore":
      return restore(place, change.id);
    case "merge":
      return merge(place, change);
  }
}

function add(place: Place, wording: Wording, source: Source) {
  const { driver, project, by } = place;
  const { digest } = fingerprint(wording.text);
  const known = activeSaying(driver, project, digest);
  if (known) {
    driver.run(CONFIRM, by.nowMs, wording.importance, known.id);
    driver.run(VOUCH, strongest([known.source, source]), known.id);
    return { kind: "known", memory: stored(driver, project, known.id) } as const;
  }
  const candidate = candidateSaying(driver, project, digest);
  if (candidate === null) {
    const memory = insert(place, { wording, source, state: "active", segment: by.segment });
    return { kind: "done", memory } as const;
  }
  rewrite(place, candidate.id, wording, source);
  confirm(place, { id: candidate.id, text: wording.text });
  return { kind: "done", memory: stored(driver, project, candidate.id) } as const;
}

function learn(place: Place, learnt: Learnt): ChangeOutcome {
  const { driver, project } = place;
  if (learnt.state === "active") {
    const by = { ...place.by, segment: learnt.segment };
    return add({ ...place, by }, learnt.wording, learnt.source);
  }
  const { digest } = fingerprint(learnt.wording.text);
  const known = activeSaying(driver, project, digest) ?? candidateSaying(driver, project, digest);
  if (known) return { kind: "known", memory: known };
  return { kind: "done", memory: insert(place, learnt) };
}

function insert(
  { driver, project, by }: Place,
  { wording, source, state, segment }: Omit<Learnt, "kind">,
): Memory {
  const { nowMs, ...origin } = by;
  const { id, ref } = newId(driver, "m");
  memoryTable.insert(driver, {
    ...wording,
    ...origin,
    id: id as MemoryId,
    ref,
    project,
    source,
    segment,
    digest: fingerprint(wording.text).digest,
    ...(state === "candidate" ? { state: "archived", candidate: 1 } : { state }),
    writtenAtMs: nowMs,
    changedAtMs: nowMs,
    checkedAtMs: nowMs,
  });
  return stored(driver, project, id as MemoryId);
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
    if (sourceOf(by.by) !== "user") return { kind: "known", memory: known };
    // A person's word is not weaker for having been said by a model before.
    const kept = permanence === "permanent" ? permanence : known.permanence;
    const most = Math.max(importance, known.importance);
    rewrite(place, known.id, { ...known, importance: most, permanence: kept }, "user");
    return { kind: "known", memory: stored(driver, project, known.id) };
  }
  if (text !== memory.text) keepFormer(place, memory);
  const said = { category, text, importance, permanence };
  rewrite(place, id, said, editedSource(memory, by.by));
  if (memory.state.kind === "candidate") confirm(place, { id, text });
  return { kind: "done", memory: stored(driver, project, id) };
}

function rewrite(
  { driver, by }: Place,
  id: MemoryId,
  { category, text, importance, permanence }: Wording,
  source: Source,
): void {
  const said = [category, text, fingerprint(text).digest, importance, permanence, source];
  driver.run(EDIT, ...said, by.by, by.sessionId, by.segment, by.nowMs, by.nowMs, id);
}

/** Upkeep says again what was said; an undo of it brings back what the historian had found. */
function editedSource({ source }: Memory, by: Author): Source {
  return by === "upkeep" || by === "historian" ? source : sourceOf(by);
}

/** A row of its own, so that nothing that was once known is lost; a wording that was there before has one. */
function keepFormer({ driver, by }: Place, memory: Memory): void {
  const { state: _, number: _number, ...former } = memory;
  const id = formerId(memory.id, memory.text);
  const known = memoryById(driver, memory.project, id);
  if (known?.text === memory.text) return;
  // One that was restored since may say something else by now.
  const free = known === null ? { id, ref: freeRef(driver, "m", id) } : newId(driver, "m");
  memoryTable.insert(driver, {
    ...former,
    id: free.id as MemoryId,
    ref: free.ref,
    digest: fingerprint(former.text).digest,
    state: "superseded",
    supersededBy: memory.id,
    changedAtMs: by.nowMs,
  });
}

function restore(place: Place, id: MemoryId): ChangeOutcome {
  const { driver, project, by } = place;
  const memory = memoryById(driver, project, id);
  if (!memory) return { kind: "missing" };
  const known = activeSaying(driver, project, fingerprint(memory.text).digest);
  if (known?.id === id) return { kind: "done", memory: known };
  if (known) {
    if (memory.state.kind === "candidate") driver.run(SUPERSEDE, known.id, by.nowMs, id);
    return { kind: "known", memory: known };
  }
  confirm(place, memory);
  return { kind: "done", memory: stored(driver, project, id) };
}

/** It stands from now on, and for candidates that say the same. */
function confirm({ driver, project, by }: Place, { id, text }: Pick<Memory, "id" | "text">): void {
  driver.run(RESTORE, by.nowMs, by.nowMs, id);
  driver.run(SETTLE_CANDIDATES, id, by.nowMs, project, fingerprint(text).digest);
}

function merge(place: Place, change: MemoryChange & { readonly kind: "merge" }): ChangeOutcome {
  const { driver, project, by } = place;
  const { ids, wording } = change;
  const merged = ids.map((id) => memoryById(driver, project, id));
  const there = merged.filter((memory) => memory !== null);
  if (there.length === 0 || there.length < ids.length) return { kind: "missing" };
  const outcome = add(place, wording, mergedSource(there, wording, by.by));
  const { id: into } = outcome.memory;
  for (const id of ids) if (id !== into) driver.run(SUPERSEDE, into, by.nowMs, id);
  return outcome;
}

/** Upkeep takes the words of one, or makes new ones of all, which rest on the weakest source. */
function mergedSource(merged: readonly Memory[], { text }: Wording, by: Author): Source {
  if (by !== "upkeep") return sourceOf(by);
  const same = merged.find((memory) => memory.text === text);
  if (same) return same.source;
  return SOURCES.findLast((source) => merged.some((one) => one.source === source)) ?? "tool";
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

const VOUCH = "UPDATE memory SET source = ? WHERE id = ?";

/** Later than the change that it follows, also where that one was made on a machine whose clock is ahead. */
const ARCHIVE = `
  UPDATE memory SET state = 'archived', candidate = 0, changed_at_ms = max(?, changed_at_ms + 1)
  WHERE id = ?`;

const SUPERSEDED = `
  UPDATE memory SET state = 'superseded', candidate = 0, superseded_by = ?,
    changed_at_ms = max(?, changed_at_ms + 1)`;

const SUPERSEDE = `${SUPERSEDED} WHERE id = ?`;

const SETTLE_CANDIDATES = `${SUPERSEDED} WHERE project = ? AND digest = ? AND candidate = 1`;

const EDIT = `
  UPDATE memory SET category = ?, text = ?, digest = ?, importance = ?, permanence = ?, source = ?,
    by = ?, session_id = ?, segment = ?, changed_at_ms = max(?, changed_at_ms + 1), checked_at_ms = ? WHERE id = ?`;

const RESTORE = `
  UPDATE memory SET state = 'active', candidate = 0, superseded_by = NULL,
    changed_at_ms = max(?, changed_at_ms + 1), checked_at_ms = ?
  WHERE id = ?`;
