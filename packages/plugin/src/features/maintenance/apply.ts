// Makes what a run proposed: each proposal is held against the present first, and made once.

import type { ProjectId } from "../../project/project.ts";
import type { Memory, MemoryChange, MemoryId } from "../memory/record.ts";
import type { MemoryStore } from "../memory/sqlite-store.ts";
import { listChangedIds, type Proposal } from "./proposal.ts";
import type { RunStore } from "./run-store.ts";
import type { ChangeRecord, MemorySnapshot } from "./run-table.ts";
import type { RejectionCode } from "./task.ts";

export interface ApplyDeps {
  readonly runs: RunStore;
  readonly memories: MemoryStore;
  readonly project: ProjectId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Reads all memories of the project, whatever their state. */
export function memoriesById({ memories, project }: ApplyDeps) {
  const all = memories.list(project);
  return new Map(all.map((memory) => [memory.id, memory]));
}

/** Makes all waiting changes, each in a transaction: a change and its record are stored together, or neither is. */
export function makeChanges(deps: ApplyDeps, runId: number): void {
  const { runs } = deps;
  for (const change of runs.changes(runId)) {
    if (change.state !== "proposed") continue;
    // Stopped by hand in the meantime.
    if (runs.find(runId)?.endedAtMs !== null) return;
    runs.atOnce(() => makeOne(deps, change));
  }
}

function makeOne(deps: ApplyDeps, { id, proposal, before }: ChangeRecord): void {
  const { runs, memories, project } = deps;
  if (proposal === null || proposal.kind === "document") return;
  const named = [...before.map((one) => one.id), ...listNamedIds(proposal)];
  const known = new Map(memories.some(project, named).map((one) => [one.id, one]));
  const why = findRefusalNow(deps, proposal, before, known);
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

/** Returns null when the proposal fits the present memories. */
function findRefusalNow(
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
