// Builds the result of a step, and stores it in the very transaction that settles its job.
import type { Driver } from "../../storage/driver.ts";
import type { JobRecord } from "../../storage/job-records.ts";
import type { Memory, MemoryId } from "../memory/record.ts";
import { addStep, beginRun, endRun, runStore } from "./run-store.ts";
import {
  type ChangeRecord,
  changeTable,
  checkTable,
  type MemorySnapshot,
  runTable,
} from "./run-table.ts";
import { listChangedIds, type Proposal, type TaskResult } from "./task.ts";

export interface StepOutput {
  readonly runId: number;
  readonly step: number;
  readonly looked: readonly MemoryId[];
  readonly changes: readonly Pick<ChangeRecord, "state" | "proposal" | "before" | "code" | "ref">[];
  readonly activeMemories: number | null;
  /** The file that its patch is in. */
  readonly patch: string | null;
  /** Set when the run is over; `code` is the reason if not everything was checked. */
  readonly ended: { readonly code: string | null } | null;
}

/** Adds the memories as they were shown: undo brings back what they say now. */
export function toMemoryChanges(
  { proposals, refused }: TaskResult,
  active: readonly Memory[],
): StepOutput["changes"] {
  const known = new Map(active.map((memory) => [memory.id, memory]));
  const proposed = proposals.map((proposal) => {
    const before = listTouchedIds(proposal).flatMap((id) => toSnapshots(known.get(id)));
    const state = proposal.kind === "document" ? "done" : "proposed";
    return { state, proposal, before, code: null, ref: before[0]?.ref ?? "" } as const;
  });
  const not = refused.map(
    ({ code, ref }) => ({ state: "refused", proposal: null, before: [], code, ref }) as const,
  );
  return [...proposed, ...not];
}

/** Lists the memories that must be unchanged for the proposal to fit. */
function listTouchedIds(proposal: Proposal): readonly MemoryId[] {
  return proposal.kind === "supersede" ? [proposal.id, proposal.by] : listChangedIds(proposal);
}

function toSnapshots(memory: Memory | undefined): readonly MemorySnapshot[] {
  if (!memory) return [];
  const { id, ref, category, text, importance, permanence, by, sessionId, segment } = memory;
  const { changedAtMs } = memory;
  const wording = { category, text, importance, permanence };
  return [{ id, ref, ...wording, by, sessionId, segment, changedAtMs }];
}

/** Stores a step within the transaction that settles the job: nothing is stored twice, whatever is killed when. */
export function keepStep(
  driver: Driver,
  { runId, step, looked, changes, activeMemories, patch, ended }: StepOutput,
  { model, board: worker }: Pick<JobRecord, "model" | "board">,
  nowMs: number,
): void {
  const run = runStore(driver).find(runId);
  if (!run || run.endedAtMs !== null) return;
  const runs = runTable.in(driver);
  runs.update(
    { id: runId },
    {
      activeMemories: run.activeMemories ?? activeMemories,
      model: model ?? run.model,
      patch: patch ?? run.patch,
    },
  );
  for (const memoryId of looked) {
    checkTable.in(driver).insertNew({ runId, memoryId, lookedAtMs: nowMs });
  }
  for (const change of changes) changeTable.in(driver).insert({ runId, ...change });
  const [next, ...rest] = run.rest;
  if (ended?.code === "task_off" && next !== undefined) {
    // A person who asks for all tasks on the command line doesn't know which are set.
    runs.update({ id: runId }, { task: next, rest });
    addStep(driver, { ...run, board: worker, step: step + 1 }, nowMs);
  } else if (ended) {
    endRun(driver, runId, { code: ended.code, nowMs });
    if (!isProjectWide(ended.code))
      beginRun(driver, { ...run, board: worker, tasks: run.rest }, nowMs);
  } else {
    addStep(driver, { ...run, board: worker, step: step + 1 }, nowMs);
  }
}

/** Returns true for a code that keeps the project's other tasks from running as well. */
function isProjectWide(code: string | null): boolean {
  return code === "elsewhere" || code === "store_away";
}
