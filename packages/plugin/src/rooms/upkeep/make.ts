// Makes what a run proposed: each proposal is held against the present first, and made once.
import type { Memory, MemoryChange, MemoryId, ProjectId } from "../memory/record.ts";
import { fingerprint } from "../memory/similar.ts";
import type { MemoryStore } from "../memory/sqlite-store.ts";
import { idsOf, type Proposal } from "./proposal.ts";
import type { RunStore } from "./run-store.ts";
import type { Before, ChangeRecord } from "./run-table.ts";
import type { RefusalCode } from "./task.ts";

export interface MakeDeps {
  readonly runs: RunStore;
  readonly memories: MemoryStore;
  readonly project: ProjectId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** All of the project, whatever their state. */
export function memoriesById({ memories, project }: MakeDeps) {
  const all = memories.list(project);
  return new Map(all.map((memory) => [memory.id, memory]));
}

/** All that waits. After a kill in the middle it goes on where it was. */
export function makeChanges(deps: MakeDeps, runId: number): void {
  const open = deps.runs
    .changes(runId)
    .filter(({ state }) => state === "proposed" || state === "making");
  for (const change of open) {
    // Stopped by hand in the meantime.
    if (deps.runs.find(runId)?.endedAtMs !== null) return;
    makeOne(deps, change);
  }
}

/** Of a run that is over: what was being made when its process was killed, was made or was not. */
export function settleMaking(deps: MakeDeps, runId: number): void {
  const { runs } = deps;
  const known = memoriesById(deps);
  for (const change of runs.changes(runId)) {
    if (change.state !== "making") continue;
    const resultId = alreadyMade(change, known);
    if (resultId === null) runs.put({ id: change.id, state: "refused", code: "not_made" });
    else runs.put({ id: change.id, state: "done", resultId });
  }
}

function makeOne(deps: MakeDeps, change: ChangeRecord): void {
  const { runs, memories, project } = deps;
  const { id, proposal } = change;
  if (proposal === null || proposal.kind === "document") return;
  const known = memoriesById(deps);
  const resultId = change.state === "making" ? alreadyMade(change, known) : null;
  if (resultId !== null) {
    runs.put({ id, state: "done", resultId });
    return;
  }
  const why = refusedNow(proposal, change.before, known);
  if (why !== null) {
    runs.put({ id, state: "refused", code: why });
    return;
  }
  const stampMs = change.stampMs ?? deps.now();
  // Before it is made: a process that is killed now finds out by the time whether it was.
  runs.put({ id, state: "making", stampMs });
  const by = { by: "upkeep", sessionId: null, segment: null, nowMs: stampMs } as const;
  const [outcome] = memories.apply(project, [changeOf(proposal, change.before, known)], by);
  const isMade = outcome && outcome.kind !== "missing";
  if (isMade) runs.put({ id, state: "done", resultId: outcome.memory.id });
  else runs.put({ id, state: "refused", code: "changed_since" });
}

/** Null: it fits the present. */
function refusedNow(
  proposal: Proposal,
  before: readonly Before[],
  known: ReadonlyMap<MemoryId, Memory>,
): RefusalCode | null {
  const isSame = (one: Before) => {
    const memory = known.get(one.id);
    return memory?.state.kind === "active" && memory.changedAtMs === one.changedAtMs;
  };
  if (before.length === 0 || !before.every(isSame)) return "changed_since";
  if (proposal.kind !== "rewrite" && proposal.kind !== "merge") return null;
  const ids = idsOf(proposal);
  const others = [...known.values()].filter(
    ({ id, state }) => state.kind === "active" && !ids.includes(id),
  );
  const { digest } = fingerprint(proposal.text);
  return others.some(({ text }) => fingerprint(text).digest === digest) ? "said_already" : null;
}

/** What stands for its memories, where their time shows that the change was made; null: it was not. */
function alreadyMade(
  { proposal, stampMs, before }: ChangeRecord,
  known: ReadonlyMap<MemoryId, Memory>,
): MemoryId | null {
  const time = proposal?.kind === "checked" ? "checkedAtMs" : "changedAtMs";
  const touched = before
    .flatMap(({ id }) => known.get(id) ?? [])
    .find((memory) => memory[time] === stampMs);
  if (!touched) return null;
  return touched.state.kind === "superseded" ? touched.state.by : touched.id;
}

function changeOf(
  proposal: Exclude<Proposal, { readonly kind: "document" }>,
  before: readonly Before[],
  known: ReadonlyMap<MemoryId, Memory>,
): MemoryChange {
  switch (proposal.kind) {
    case "merge": {
      const { category, permanence } =
        before.find(({ text }) => text === proposal.text) ?? firstOf(before);
      const importance = Math.max(...before.map((one) => one.importance));
      const kept = before.some((one) => one.permanence === "permanent") ? "permanent" : permanence;
      const wording = { category, importance, permanence: kept, text: proposal.text };
      return { kind: "merge", ids: proposal.ids, wording };
    }
    case "supersede": {
      const { category, importance, permanence, text } = known.get(proposal.by) ?? firstOf(before);
      const wording = { category, importance, permanence, text };
      return { kind: "merge", ids: [proposal.id, proposal.by], wording };
    }
    case "archive":
      return { kind: "archive", id: proposal.id };
    case "rewrite":
      return { kind: "edit", id: proposal.id, wording: { text: proposal.text } };
    case "checked": {
      const { importance } = firstOf(before);
      return { kind: "confirm", id: proposal.id, importance };
    }
  }
}

function firstOf(before: readonly Before[]): Before {
  const [first] = before;
  if (!first) throw new Error("A change names no memory.");
  return first;
}
