// Makes the changes that a run proposed, and undoes them: each is compared with the present first, and made once.
import type { ProjectId } from "../../project/project.ts";
import type { ChangeContext, Memory, MemoryChange, MemoryId } from "../memory/record.ts";
import type { MemoryStore } from "../memory/sqlite-store.ts";
import type { RunStore } from "./run-store.ts";
import type { ChangeRecord, MemorySnapshot } from "./run-table.ts";
import { listChangedIds, type Proposal, type RejectionCode } from "./task.ts";

export interface ApplyDeps {
  readonly runs: RunStore;
  readonly memories: MemoryStore;
  readonly project: ProjectId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Reads all memories of the project, whatever their state. */
function readMemoriesById({ memories, project }: ApplyDeps) {
  const all = memories.list(project);
  return new Map(all.map((memory) => [memory.id, memory]));
}

/**
 * Makes all waiting changes, each in a transaction, so that a change and its record are either both stored or
 * not.
 */
export function applyChanges(deps: ApplyDeps, runId: number): void {
  const { runs } = deps;
  for (const change of runs.changes(runId)) {
    if (change.state !== "proposed") continue;
    // The run was stopped by hand in the meantime.
    if (runs.find(runId)?.endedAtMs !== null) return;
    runs.atOnce(() => applyChange(deps, change));
  }
}

function applyChange(deps: ApplyDeps, { id, proposal, before }: ChangeRecord): void {
  const { runs, memories, project } = deps;
  if (proposal === null || proposal.kind === "document") return;
  const named = [...before.map((one) => one.id), ...listNamedIds(proposal)];
  const known = new Map(memories.some(project, named).map((one) => [one.id, one]));
  const why = findRefusal(deps, proposal, before, known);
  if (why !== null) {
    runs.put({ id, state: "refused", code: why });
    return;
  }
  const stampMs = deps.now();
  const by = { by: "upkeep", sessionId: null, segment: null, nowMs: stampMs } as const;
  const [outcome] = memories.apply(project, [toMemoryChange(proposal, before, known)], by);
  const isMade = outcome && outcome.kind !== "missing";
  if (isMade) runs.put({ id, state: "done", stampMs, resultId: outcome.memory.id });
  else runs.put({ id, state: "refused", code: "changed_since" });
}

function listNamedIds(proposal: Proposal): readonly MemoryId[] {
  return proposal.kind === "supersede" ? [proposal.by] : listChangedIds(proposal);
}

/** Returns why the proposal can't be made; null if it fits the present memories. */
function findRefusal(
  { memories, project }: ApplyDeps,
  proposal: Proposal,
  before: readonly MemorySnapshot[],
  known: ReadonlyMap<MemoryId, Memory>,
): RejectionCode | null {
  const isSame = (one: MemorySnapshot) => {
    const memory = known.get(one.id);
    return memory?.state.kind === "active" && memory.changedAtMs === one.changedAtMs;
  };
  if (before.length === 0 || !before.every(isSame)) return "changed_since";
  if (proposal.kind !== "rewrite" && proposal.kind !== "merge") return null;
  const saying = memories.saying(project, proposal.text);
  return saying === null || listChangedIds(proposal).includes(saying.id) ? null : "said_already";
}

function toMemoryChange(
  proposal: Exclude<Proposal, { readonly kind: "document" }>,
  before: readonly MemorySnapshot[],
  known: ReadonlyMap<MemoryId, Memory>,
): MemoryChange {
  switch (proposal.kind) {
    case "merge": {
      const { category, permanence } =
        before.find(({ text }) => text === proposal.text) ?? requireFirst(before);
      const importance = Math.max(...before.map((one) => one.importance));
      const kept = before.some((one) => one.permanence === "permanent") ? "permanent" : permanence;
      const wording = { category, importance, permanence: kept, text: proposal.text };
      return { kind: "merge", ids: proposal.ids, wording };
    }
    case "supersede": {
      const { category, importance, permanence, text } =
        known.get(proposal.by) ?? requireFirst(before);
      const wording = { category, importance, permanence, text };
      return { kind: "merge", ids: [proposal.id, proposal.by], wording };
    }
    case "archive":
      return { kind: "archive", id: proposal.id };
    case "rewrite":
      return { kind: "edit", id: proposal.id, wording: { text: proposal.text } };
    case "checked": {
      const { importance } = requireFirst(before);
      return { kind: "confirm", id: proposal.id, importance };
    }
  }
}

function requireFirst(before: readonly MemorySnapshot[]): MemorySnapshot {
  const [first] = before;
  if (!first) throw new Error("A change names no memory.");
  return first;
}

// Undoes a run: restores what the run has changed, except where somebody has changed it since.

interface UndoResult {
  /** The number of memories that are again as they were before the run. */
  readonly back: number;
  /** Refs of the memories that somebody, or a later run, has changed since. */
  readonly left: readonly string[];
}

/**
 * Undoes a run's changes, newest first, each in a transaction. A second undo finds nothing to do, or finishes
 * one that was cut short.
 */
export function undoRun(deps: ApplyDeps, runId: number): UndoResult {
  const { runs, now } = deps;
  let back = 0;
  const left: string[] = [];
  for (const change of runs.changes(runId).toReversed()) {
    if (change.state !== "done" || change.proposal === null) continue;
    const { proposal } = change;
    const state = runs.atOnce(() => undoAndRecord(deps, change, proposal));
    if (state === "left") left.push(change.ref);
    else if (proposal.kind !== "checked") back += change.before.length;
  }
  runs.undone(runId, now());
  return { back, left };
}

type UndoOutcome = "undone" | "left";

function undoAndRecord(deps: ApplyDeps, change: ChangeRecord, proposal: Proposal): UndoOutcome {
  const state = undoChange(deps, change, proposal);
  deps.runs.put({ id: change.id, state, ...(state === "left" && { code: "changed_since" }) });
  return state;
}

function undoChange(deps: ApplyDeps, change: ChangeRecord, proposal: Proposal): UndoOutcome {
  // A check that found a memory to be true remains valid, and a patch is only a file.
  if (proposal.kind === "checked" || proposal.kind === "document") return "undone";
  const { runs, memories, project } = deps;
  const known = readMemoriesById(deps);
  const { before } = change;
  if (before.every((one) => isRestored(one, known.get(one.id)))) return "undone";
  const stamps = runs.stamps();
  const isOurs = (id: MemoryId) => stamps.has(known.get(id)?.changedAtMs ?? -1);
  if (!isStillInEffect(change, proposal, { known, isOurs })) return "left";
  const ids = new Set<MemoryId>(before.map(({ id }) => id));
  const texts = new Set(before.map(({ text }) => text));
  const isRestatedElsewhere = [...known.values()].some(
    ({ id, text, state }) =>
      state.kind === "active" && texts.has(text) && !ids.has(id) && id !== change.resultId,
  );
  if (isRestatedElsewhere) return "left";
  const undoStampMs = deps.now();
  runs.put({ id: change.id, undoStampMs });
  // Makes one call for each author, because the author of each memory is restored too.
  for (const [by, changes] of listReverseChanges(change, known, undoStampMs)) {
    memories.apply(project, changes, by);
  }
  return "undone";
}

function isRestored(before: MemorySnapshot, memory: Memory | undefined): boolean {
  return memory?.state.kind === "active" && hasSameWording(before, memory);
}

function hasSameWording(
  before: MemorySnapshot,
  { text, category, importance, permanence }: Memory,
): boolean {
  return (
    text === before.text &&
    category === before.category &&
    importance === before.importance &&
    permanence === before.permanence
  );
}

interface CurrentMemories {
  readonly known: ReadonlyMap<MemoryId, Memory>;
  readonly isOurs: (id: MemoryId) => boolean;
}

/** Returns true while the change's result still holds; a person may have restored part of it. */
function isStillInEffect(
  { before, resultId }: ChangeRecord,
  proposal: Proposal,
  { known, isOurs }: CurrentMemories,
): boolean {
  const result = resultId === null ? undefined : known.get(resultId);
  switch (proposal.kind) {
    case "archive":
      return known.get(proposal.id)?.state.kind === "archived" && isOurs(proposal.id);
    case "rewrite":
      return result?.state.kind === "active" && result.text === proposal.text && isOurs(result.id);
    case "merge":
    case "supersede": {
      const isNew = before.every(({ id }) => id !== resultId);
      if (isNew && !(result && isOurs(result.id))) return false;
      return before.every((one) => {
        if (one.id === resultId) return known.get(one.id)?.text === one.text;
        const memory = known.get(one.id);
        if (isRestored(one, memory)) return true;
        return memory?.state.kind === "superseded" && memory.state.by === resultId;
      });
    }
    case "checked":
    case "document":
      return true;
  }
}

function listReverseChanges(
  { before, resultId }: ChangeRecord,
  known: ReadonlyMap<MemoryId, Memory>,
  nowMs: number,
): readonly (readonly [ChangeContext, readonly MemoryChange[]])[] {
  const byUpkeep: ChangeContext = { by: "upkeep", sessionId: null, segment: null, nowMs };
  const isNew = resultId !== null && before.every(({ id }) => id !== resultId);
  const isActive = resultId !== null && known.get(resultId)?.state.kind === "active";
  const restores = before.flatMap(({ id }): MemoryChange[] =>
    known.get(id)?.state.kind === "active" ? [] : [{ kind: "restore", id }],
  );
  const result: MemoryChange[] = isNew && isActive ? [{ kind: "archive", id: resultId }] : [];
  const edits = before.flatMap((one): [ChangeContext, MemoryChange[]][] => {
    const memory = known.get(one.id);
    if (memory && hasSameWording(one, memory)) return [];
    const { category, text, importance, permanence, by, sessionId, segment } = one;
    const wording = { category, text, importance, permanence };
    return [[{ by, sessionId, segment, nowMs }, [{ kind: "edit", id: one.id, wording }]]];
  });
  return [[byUpkeep, [...result, ...restores]], ...edits];
}
