// Applies one change to a project's memories, within the caller's transaction.
import { hashText } from "../../context/canonical.ts";
import type { ProjectId } from "../../project/project.ts";
import type { Driver } from "../../storage/driver.ts";
import { StorageError } from "../../storage/errors.ts";
import type { RowFilter } from "../../storage/rows.ts";
import {
  type Author,
  type ChangeContext,
  type ChangeOutcome,
  type LearnedFact,
  type Memory,
  type MemoryChange,
  type MemoryContent,
  type MemoryId,
  pickStrongestSource,
  resolveAuthorSource,
  SOURCES,
  type Source,
} from "./record.ts";
import { type MemoryRow, memoryTable } from "./schema.ts";
import { fingerprint } from "./similar.ts";
import {
  createId,
  findActiveByDigest,
  findCandidateByDigest,
  findFreeRef,
  findMemory,
} from "./sqlite-rows.ts";

// Derives the ids of memories' former wordings. Pure.

/** Returns the same id on every machine, so that machines that share a memory agree on former wordings. */
export function deriveFormerId(memory: string, text: string): MemoryId {
  const digits = hashText(`former ${memory} ${text}`) + hashText(`${memory} had ${text}`);
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  return parts.map(([from, to]) => digits.slice(from, to)).join("-") as MemoryId;
}

/** The place, the author and the time of a change to memories. */
interface ChangeTarget {
  readonly driver: Driver;
  readonly project: ProjectId;
  readonly by: ChangeContext;
}

const getMemoryRows = ({ driver }: ChangeTarget) => memoryTable.in(driver);

const changedAtColumns = memoryTable.pick("id", "changedAtMs");

/** Returns a time after the memory's previous change, even one made on a machine whose clock is ahead. */
const computeChangeMs = ({ changedAtMs }: Pick<Memory, "changedAtMs">, { nowMs }: ChangeContext) =>
  Math.max(nowMs, changedAtMs + 1);

/** Marks the memories that a filter finds as superseded by one memory. */
function supersedeMemories(
  { driver, by }: ChangeTarget,
  into: MemoryId,
  which: RowFilter<MemoryRow>,
): void {
  for (const former of changedAtColumns.in(driver).list(which)) {
    const state = { state: "superseded", candidate: 0, supersededBy: into } as const;
    const { id } = former;
    memoryTable.in(driver).update({ id }, { ...state, changedAtMs: computeChangeMs(former, by) });
  }
}

/**
 * Applies a change. If an active memory already has the new words, that memory stands for both, and for
 * candidates with the same words.
 */
export function applyChange(place: ChangeTarget, change: MemoryChange): ChangeOutcome {
  switch (change.kind) {
    case "add":
      return addMemory(place, change.wording, resolveAuthorSource(place.by.by));
    case "learn":
      return learnFact(place, change);
    case "confirm":
      return changeMemory(place, change.id, (memory) =>
        confirmMemory(place, memory, change.importance),
      );
    case "edit":
      return editMemory(place, change);
    case "archive":
      return changeMemory(place, change.id, (memory) => {
        if (memory.state.kind !== "active" && memory.state.kind !== "candidate") return;
        const state = { state: "archived", candidate: 0 } as const;
        const { id } = memory;
        getMemoryRows(place).update(
          { id },
          { ...state, changedAtMs: computeChangeMs(memory, place.by) },
        );
      });
    case "restore":
      return restoreMemory(place, change.id);
    case "merge":
      return mergeMemories(place, change);
  }
}

function confirmMemory(place: ChangeTarget, { id, importance }: Memory, atLeast: number): void {
  const most = Math.max(importance, atLeast);
  getMemoryRows(place).update({ id }, { checkedAtMs: place.by.nowMs, importance: most });
}

function addMemory(place: ChangeTarget, wording: MemoryContent, source: Source) {
  const { driver, project, by } = place;
  const { digest } = fingerprint(wording.text);
  const known = findActiveByDigest(driver, project, digest);
  if (known) {
    confirmMemory(place, known, wording.importance);
    getMemoryRows(place).update(
      { id: known.id },
      { source: pickStrongestSource([known.source, source]) },
    );
    return { kind: "known", memory: readStoredMemory(driver, project, known.id) } as const;
  }
  const candidate = findCandidateByDigest(driver, project, digest);
  if (candidate === null) {
    const memory = insertMemory(place, { wording, source, state: "active", segment: by.segment });
    return { kind: "done", memory } as const;
  }
  rewriteMemory(place, candidate, wording, source);
  activateMemory(place, { id: candidate.id, text: wording.text });
  return { kind: "done", memory: readStoredMemory(driver, project, candidate.id) } as const;
}

function learnFact(place: ChangeTarget, learnt: LearnedFact): ChangeOutcome {
  const { driver, project } = place;
  if (learnt.state === "active") {
    const by = { ...place.by, segment: learnt.segment };
    return addMemory({ ...place, by }, learnt.wording, learnt.source);
  }
  const { digest } = fingerprint(learnt.wording.text);
  const known =
    findActiveByDigest(driver, project, digest) ?? findCandidateByDigest(driver, project, digest);
  if (known) return { kind: "known", memory: known };
  return { kind: "done", memory: insertMemory(place, learnt) };
}

function insertMemory(
  { driver, project, by }: ChangeTarget,
  { wording, source, state, segment }: Omit<LearnedFact, "kind">,
): Memory {
  const { nowMs, ...origin } = by;
  const { id, ref } = createId(driver, "m");
  memoryTable.in(driver).insert({
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
  return readStoredMemory(driver, project, id as MemoryId);
}

function editMemory(
  place: ChangeTarget,
  { id, wording }: MemoryChange & { readonly kind: "edit" },
): ChangeOutcome {
  const { driver, project, by } = place;
  const memory = findMemory(driver, { project, id });
  if (!memory) return { kind: "missing" };
  const { category, text, importance, permanence } = { ...memory, ...wording };
  const { digest } = fingerprint(text);
  const known = findActiveByDigest(driver, project, digest);
  if (known && known.id !== id) {
    supersedeMemories(place, known.id, { id });
    if (resolveAuthorSource(by.by) !== "user") return { kind: "known", memory: known };
    // A person's words count in full, even if a model has said the same before.
    const kept = permanence === "permanent" ? permanence : known.permanence;
    const most = Math.max(importance, known.importance);
    rewriteMemory(place, known, { ...known, importance: most, permanence: kept }, "user");
    return { kind: "known", memory: readStoredMemory(driver, project, known.id) };
  }
  if (text !== memory.text) keepFormerWording(place, memory);
  const said = { category, text, importance, permanence };
  rewriteMemory(place, memory, said, resolveEditedSource(memory, by.by));
  if (memory.state.kind === "candidate") activateMemory(place, { id, text });
  return { kind: "done", memory: readStoredMemory(driver, project, id) };
}

function rewriteMemory(
  place: ChangeTarget,
  memory: Memory,
  wording: MemoryContent,
  source: Source,
): void {
  const { category, text, importance, permanence } = wording;
  const { nowMs, ...origin } = place.by;
  const said = { category, text, digest: fingerprint(text).digest, importance, permanence, source };
  const times = { changedAtMs: computeChangeMs(memory, place.by), checkedAtMs: nowMs };
  getMemoryRows(place).update({ id: memory.id }, { ...said, ...origin, ...times });
}

/** The source stays if upkeep rewords a memory, or brings back what the historian had found. */
function resolveEditedSource({ source }: Memory, by: Author): Source {
  return by === "upkeep" || by === "historian" ? source : resolveAuthorSource(by);
}

/** Keeps the former wording in a row of its own, unless one exists already, so that no knowledge is lost. */
function keepFormerWording({ driver, by }: ChangeTarget, memory: Memory): void {
  const { state: _, number: _number, ...former } = memory;
  const id = deriveFormerId(memory.id, memory.text);
  const known = findMemory(driver, { project: memory.project, id });
  if (known?.text === memory.text) return;
  // A former wording that was restored in the meantime may have another text by now.
  const free = known === null ? { id, ref: findFreeRef(driver, "m", id) } : createId(driver, "m");
  memoryTable.in(driver).insert({
    ...former,
    id: free.id as MemoryId,
    ref: free.ref,
    digest: fingerprint(former.text).digest,
    state: "superseded",
    supersededBy: memory.id,
    changedAtMs: by.nowMs,
  });
}

function restoreMemory(place: ChangeTarget, id: MemoryId): ChangeOutcome {
  const { driver, project } = place;
  const memory = findMemory(driver, { project, id });
  if (!memory) return { kind: "missing" };
  const known = findActiveByDigest(driver, project, fingerprint(memory.text).digest);
  if (known?.id === id) return { kind: "done", memory: known };
  if (known) {
    if (memory.state.kind === "candidate") supersedeMemories(place, known.id, { id });
    return { kind: "known", memory: known };
  }
  activateMemory(place, memory);
  return { kind: "done", memory: readStoredMemory(driver, project, id) };
}

/** Makes a memory active, and supersedes candidates that say the same. */
function activateMemory(place: ChangeTarget, { id, text }: Pick<Memory, "id" | "text">): void {
  const { driver, project, by } = place;
  const former = changedAtColumns.in(driver).find({ id });
  const state = { state: "active", candidate: 0, supersededBy: null } as const;
  const changedAtMs = former ? computeChangeMs(former, by) : by.nowMs;
  getMemoryRows(place).update({ id }, { ...state, changedAtMs, checkedAtMs: by.nowMs });
  supersedeMemories(place, id, { project, digest: fingerprint(text).digest, candidate: 1 });
}

function mergeMemories(
  place: ChangeTarget,
  change: MemoryChange & { readonly kind: "merge" },
): ChangeOutcome {
  const { driver, project, by } = place;
  const { ids, wording } = change;
  const merged = ids.map((id) => findMemory(driver, { project, id }));
  const there = merged.filter((memory) => memory !== null);
  if (there.length === 0 || there.length < ids.length) return { kind: "missing" };
  const outcome = addMemory(place, wording, resolveMergedSource(there, wording, by.by));
  const { id: into } = outcome.memory;
  for (const id of ids) if (id !== into) supersedeMemories(place, into, { id });
  return outcome;
}

/** Upkeep merges into one memory's words, keeping its source, or into new words with the weakest source. */
function resolveMergedSource(
  merged: readonly Memory[],
  { text }: MemoryContent,
  by: Author,
): Source {
  if (by !== "upkeep") return resolveAuthorSource(by);
  const same = merged.find((memory) => memory.text === text);
  if (same) return same.source;
  return SOURCES.findLast((source) => merged.some((one) => one.source === source)) ?? "tool";
}

function changeMemory(
  { driver, project }: ChangeTarget,
  id: MemoryId,
  change: (memory: Memory) => void,
): ChangeOutcome {
  const memory = findMemory(driver, { project, id });
  if (!memory) return { kind: "missing" };
  change(memory);
  return { kind: "done", memory: readStoredMemory(driver, project, id) };
}

function readStoredMemory(driver: Driver, project: ProjectId, id: MemoryId): Memory {
  const memory = findMemory(driver, { project, id });
  if (!memory) throw new StorageError("failed", `The memory ${id} is gone.`);
  return memory;
}
