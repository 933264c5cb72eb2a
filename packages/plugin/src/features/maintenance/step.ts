// Builds the result of a step, and stores it in the same transaction that settles its job.
import type { Driver } from "../../storage/driver.ts";
import type { JobRecord } from "../../storage/job-records.ts";
import type { Memory, MemoryId } from "../memory/record.ts";
import { addStep, beginRun, createRunStore, endRun } from "./run-store.ts";
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
  /** The path of the step's patch; null if there is none. */
  readonly patch: string | null;
  /** Null while the run goes on; `code` is the reason if the run ended before everything was checked. */
  readonly ended: { readonly code: string | null } | null;
}

/** Records each proposal with its memories as they were shown, so that undo can restore them. */
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

/** Lists the memories that must still be unchanged when the proposal is carried out. */
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

/** Stores a step in the transaction that settles the job, so that a kill at any time stores nothing twice. */
export function keepStep(
  driver: Driver,
  { runId, step, looked, changes, activeMemories, patch, ended }: StepOutput,
  { model, board: worker }: Pick<JobRecord, "model" | "board">,
  nowMs: number,
): void {
  const run = createRunStore(driver).find(runId);
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
    // The run goes on, because a person who asks for all tasks may not know which of them are set.
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

/** Returns true if the code also keeps the project's other tasks from running. */
function isProjectWide(code: string | null): boolean {
  return code === "elsewhere" || code === "store_away";
}
