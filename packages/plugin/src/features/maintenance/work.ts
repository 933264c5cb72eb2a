// Defines upkeep's job: a step makes the changes proposed earlier, asks one question and stores the result.
import * as z from "zod";
import type { ProjectLease } from "../../feature-api/extension-point.ts";
import {
  type AnyJob,
  type JobEnd,
  ModelChain,
  type ModelPort,
  toAnyJob,
} from "../../feature-api/job.ts";
import type { Project } from "../../project/project.ts";
import type { Driver } from "../../storage/driver.ts";
import type { JobRecord } from "../../storage/job-records.ts";
import type { Memory } from "../memory/record.ts";
import type { MemoryStore } from "../memory/sqlite-store.ts";
import { type ApplyDeps, applyChanges } from "./apply.ts";
import { archiveTask } from "./archive.ts";
import { addTotals, askForProposals, countRemovals, type RunTotals, zeroTotals } from "./ask.ts";
import { consolidateTask } from "./consolidate.ts";
import { DOCUMENT_PATHS, docsTask } from "./docs.ts";
import { improveTask } from "./improve.ts";
import type { ProjectFiles } from "./project-files.ts";
import { type RunStore, type StepWork, UPKEEP_JOB_KIND } from "./run-store.ts";
import type { RunRecord } from "./run-table.ts";
import type { MaintenanceSettings, TaskSettings } from "./settings.ts";
import { keepStep, type StepOutput, toMemoryChanges } from "./step.ts";
import {
  findNamedPaths,
  type ProjectState,
  type Proposal,
  type Task,
  type TaskName,
} from "./task.ts";
import { verifyTask } from "./verify.ts";

interface WorkDeps {
  /** @throws StorageError while the database isn't open. */
  readonly runs: () => RunStore;
  /** @throws StorageError while the database isn't open. */
  readonly memories: () => MemoryStore;
  /** Rejects if the project can't be determined now. */
  readonly project: () => Promise<Project>;
  readonly files: (root: string) => ProjectFiles;
  /** @returns the path of the patch with a run's changes to documents */
  readonly writePatch: (
    run: RunRecord,
    proposals: readonly Proposal[],
    texts: ReadonlyMap<string, string>,
  ) => Promise<string>;
  /** Returns the lease that one of a team's machines at a time can hold. */
  readonly lease: () => Pick<ProjectLease, "hold" | "release">;
  readonly settings: MaintenanceSettings;
  /** Models that are asked if the task's own model fails. */
  readonly fallbacks: readonly string[];
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

interface StepDeps extends WorkDeps {
  /** Returns the same chain for each step of a task, so that a failed model is not tried first again. */
  readonly chooseModels: (task: TaskName, settings: TaskSettings) => ModelChain;
}

const stepWorkSchema = z.object({ runId: z.int(), step: z.int() });

export function defineMaintenanceJob(given: WorkDeps): AnyJob {
  const chains = new Map<TaskName, ModelChain>();
  const chooseModels = (task: TaskName, { model }: TaskSettings) => {
    const models = chains.get(task) ?? new ModelChain([model, ...given.fallbacks]);
    chains.set(task, models);
    return models;
  };
  const deps: StepDeps = { ...given, chooseModels };
  return toAnyJob({
    kind: UPKEEP_JOB_KIND,
    input: (stored) => stepWorkSchema.parse(stored),
    run: (model, work) => runStepUnderLease(deps, model, work),
    keep: (driver: Driver, output: StepOutput, job: JobRecord) =>
      keepStep(driver, output, job, deps.now()),
  });
}

const tasks: Readonly<Record<TaskName, Task>> = {
  verify: verifyTask,
  consolidate: consolidateTask,
  archive: archiveTask,
  improve: improveTask,
  docs: docsTask,
};

const DAY_MS = 24 * 60 * 60_000;

/** A memory is checked again after this time, even if nothing has changed. */
const FRESHNESS_MS_BY_TASK: Readonly<Record<TaskName, number>> = {
  verify: 7 * DAY_MS,
  consolidate: 30 * DAY_MS,
  archive: 30 * DAY_MS,
  improve: 90 * DAY_MS,
  docs: 30 * DAY_MS,
};

/** A run takes at most this many steps, even if memories are left unchecked. */
const MAX_STEPS = 200;

/** Renews the lease at each step, and changes nothing while another machine runs the task. */
async function runStepUnderLease(
  deps: StepDeps,
  model: ModelPort,
  { runId, step }: StepWork,
): Promise<JobEnd<StepOutput>> {
  const run = deps.runs().find(runId);
  if (!run || run.endedAtMs !== null) return toRunEnd(runId, step, null);
  const settings = deps.settings.tasks[run.task];
  if (!settings) return toRunEnd(runId, step, "task_off");
  const held = await deps.lease().hold(run.project, run.holder);
  if (held === "elsewhere") return toRunEnd(runId, step, "elsewhere");
  // A run that a person started goes on: that person sees the result, and changes by two machines are merged.
  if (held === "away" && run.askedBy === "schedule") return toRunEnd(runId, step, "store_away");
  const end = await runStep(deps, model, { run, settings, step });
  if (end.kind === "done" && end.output.ended !== null) {
    const { code } = end.output.ended;
    const isDone = code === null || code === "budget";
    await deps.lease().release(run.project, run.holder, isDone ? run.task : null);
  }
  return end;
}

interface StepInput {
  readonly run: RunRecord;
  readonly settings: TaskSettings;
  readonly step: number;
}

async function runStep(
  deps: StepDeps,
  model: ModelPort,
  { run, settings, step }: StepInput,
): Promise<JobEnd<StepOutput>> {
  const runs = deps.runs();
  const { id: runId } = run;
  const project = await deps.project();
  const memories = deps.memories();
  const make: ApplyDeps = { runs, memories, project: project.id, now: deps.now };
  applyChanges(make, runId);
  const files = deps.files(project.worktree);
  const active = memories.list(project.id).filter(({ state }) => state.kind === "active");
  const state = await readProjectState(make, { run, files, active });
  const [batch] = tasks[run.task].inspect(state);
  if (!batch || step > MAX_STEPS) return toRunEnd(runId, step, null);
  const asked = {
    ...batch,
    files: state.files,
    nowMs: state.nowMs,
    texts: await files.read(batch.paths),
  };
  const activeMemories = run.activeMemories ?? active.length;
  const end = await askForProposals(model, {
    task: tasks[run.task],
    asked,
    models: deps.chooseModels(run.task, settings),
    active: activeMemories,
    taken: sumRemovalsSoFar(runs, runId),
    tokensLeft: () => countRemainingTokens(make, run, settings),
  });
  if (end.kind !== "checked") {
    return end.kind === "over"
      ? toRunEnd(runId, step, end.code)
      : { kind: "failed", code: end.code };
  }
  const { proposals } = end.checked;
  const hasPatch = proposals.some(({ kind }) => kind === "document");
  const output: StepOutput = {
    runId,
    step,
    activeMemories,
    ended: null,
    looked: batch.memories.map(({ id }) => id),
    changes: toMemoryChanges(end.checked, active),
    patch: hasPatch ? await deps.writePatch(run, proposals, asked.texts) : null,
  };
  return { kind: "done", output };
}

function toRunEnd(runId: number, step: number, code: string | null): JobEnd<StepOutput> {
  const nothing = { looked: [], changes: [], activeMemories: null, patch: null };
  return { kind: "done", output: { runId, step, ...nothing, ended: { code } } };
}

async function readProjectState(
  { runs, now }: ApplyDeps,
  {
    run: { id, project, task },
    files,
    active,
  }: {
    readonly run: RunRecord;
    readonly files: ProjectFiles;
    readonly active: readonly Memory[];
  },
): Promise<ProjectState> {
  const nowMs = now();
  const looked = runs.looks(id);
  const before = runs.lookedAt(project, task);
  const isFresh = ({ id: memoryId, changedAtMs }: Memory) => {
    const atMs = before.get(memoryId) ?? 0;
    return (
      looked.has(memoryId) || (atMs >= changedAtMs && atMs > nowMs - FRESHNESS_MS_BY_TASK[task])
    );
  };
  const named = active.flatMap(({ text }) => findNamedPaths(text));
  return {
    memories: active,
    nowMs,
    files: await files.look([...new Set([...named, ...DOCUMENT_PATHS])]),
    fresh: new Set(active.filter(isFresh).map((memory) => memory.id)),
  };
}

function sumRemovalsSoFar(runs: RunStore, runId: number): RunTotals {
  return runs
    .changes(runId)
    .flatMap(({ state, proposal }) =>
      proposal === null || state === "refused" ? [] : [countRemovals(proposal)],
    )
    .reduce(addTotals, zeroTotals);
}

/** Counts the tokens that a run has left; the tokens recorded for the call under way count in full. */
function countRemainingTokens(
  { runs, now }: ApplyDeps,
  { id, project, task }: RunRecord,
  { tokensPerRun, tokensPerDay }: { readonly tokensPerRun: number; readonly tokensPerDay: number },
): number {
  const ofDay = tokensPerDay - runs.countUsedTokens(project, task, now() - DAY_MS);
  return Math.min(tokensPerRun - runs.tokens(id), ofDay);
}
