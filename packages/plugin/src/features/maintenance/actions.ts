// Carries out what people ask of memory maintenance: starting it, listing its runs, undoing a run.
import type { CliAnswer } from "../../feature-api/command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { RenderCommandLine } from "../../log/notices.ts";
import { findProjectPlace } from "../../project/find-project.ts";
import type { Project } from "../../project/project.ts";
import type { MemoryStore } from "../memory/sqlite-store.ts";
import { undoRun } from "./apply.ts";
import { applyPatch, revertPatch } from "./patch.ts";
import { type RunView, renderRun, renderRunList } from "./report.ts";
import type { RunStore } from "./run-store.ts";
import type { RunRecord } from "./run-table.ts";
import type { MaintenanceSettings } from "./settings.ts";
import { TASKS, type TaskName } from "./task.ts";

interface UpkeepActionsDeps {
  readonly runs: RunStore;
  readonly memories: MemoryStore;
  readonly project: Project;
  readonly directory: string;
  /** The name of the worker of the host that is asked. */
  readonly worker: string;
  readonly askedBy: RunRecord["askedBy"];
  /** The tasks that are turned on in the folder's settings. */
  readonly tasks: readonly TaskName[];
  readonly now: () => number;
  /**
   * Renders the command that is being answered, followed by the given words, as the person who asks can type
   * it.
   */
  readonly named: RenderCommandLine;
}

const MAX_LISTED_RUNS = 20;

export class UpkeepActions {
  constructor(private readonly deps: UpkeepActionsDeps) {}

  /** @throws UserFacingError */
  async carryOut(words: readonly string[]): Promise<CliAnswer> {
    const [action = "list", what] = words;
    switch (action) {
      case "list":
        return this.list();
      case "run":
        return this.begin(what);
      case "show":
        return this.show(this.#findRun(what));
      case "apply":
        return this.apply(what);
      case "undo":
        return this.undo(what);
      case "stop":
        return this.stop();
      default:
        throw new UserFacingError("Unknown action. Use list, run, show, apply, undo or stop.");
    }
  }

  list(): CliAnswer {
    const { project, tasks } = this.deps;
    const views = this.#listRuns().map((run) => this.#toRunView(run));
    return {
      text: renderRunList(project.name, tasks, views, this.deps.now()),
      values: { runs: views },
    };
  }

  begin(what: string | undefined): CliAnswer {
    const { runs, worker, askedBy, tasks, now, named: spelt } = this.deps;
    const named = what === undefined ? tasks : [parseTaskName(what)];
    const unset = named.find((task) => !tasks.includes(task));
    if (named.length === 0 || unset) throw new UserFacingError(renderSetupHint(unset ?? null));
    this.#endUnconfiguredRuns();
    const run = runs.begin({ ...this.#place, board: worker, askedBy, tasks: named }, now());
    if (!run) {
      throw new UserFacingError(
        `A run is already in progress for this project; \`${spelt("upkeep")}\` shows it, \`${spelt("upkeep stop")}\` ends it.`,
      );
    }
    const after = run.rest.length === 0 ? "" : `, then ${run.rest.join(", ")}`;
    return { text: `Run ${run.id}: ${run.task}${after}.`, values: { run: run.id } };
  }

  show(run: RunRecord): CliAnswer {
    const view = this.#toRunView(run);
    const changes = this.deps.runs.changes(run.id);
    return { text: renderRun(view, changes, this.deps.now()), values: { ...view, changes } };
  }

  stop(): CliAnswer {
    const run = this.deps.runs.stop(this.#place, this.deps.now());
    if (!run) throw new UserFacingError("No run of this project is running.");
    return {
      text: `Stopped run ${run.id}. \`${this.deps.named(`upkeep undo ${run.id}`)}\` undoes what it has changed.`,
      values: { run: run.id },
    };
  }

  /**
   * Applies the patch of a run's documents; without a number, that of the newest run that has a patch.
   * @throws UserFacingError
   */
  async apply(what: string | undefined): Promise<CliAnswer> {
    const run =
      what === undefined
        ? this.#listRuns().find(({ patch }) => patch !== null)
        : this.#findRun(what);
    if (!run || run.patch === null) {
      throw new UserFacingError(run ? `Run ${run.id} has no patch.` : "No run here has a patch.");
    }
    const { id, patch } = run;
    const undo = this.deps.named(`upkeep undo ${id}`);
    switch (await applyPatch(findProjectPlace(this.deps.directory).root, patch)) {
      case "applied":
        return {
          text: `Applied the patch of run ${id}. \`${undo}\` undoes it.`,
          values: { run: id, patch },
        };
      case "already":
        throw new UserFacingError(
          `The patch of run ${id} is already applied; \`${undo}\` undoes it.`,
        );
      case "gone":
        throw new UserFacingError(`The patch of run ${id} is no longer at ${patch}.`);
      case "unfit":
        throw new UserFacingError(
          `The patch of run ${id} doesn't fit the documents as they are now, so nothing was changed. Apply it by hand: ${patch}`,
        );
    }
  }

  /** Undoes the newest run, the run with a given number, or all runs. @throws UserFacingError */
  async undo(what: string | undefined): Promise<CliAnswer> {
    const chosen =
      what === "all" ? this.#listRuns(Number.MAX_SAFE_INTEGER) : [this.#findRunToUndo(what)];
    const open = chosen.find(({ endedAtMs }) => endedAtMs === null);
    if (open)
      throw new UserFacingError(
        `Run ${open.id} is running; \`${this.deps.named("upkeep stop")}\` ends it first.`,
      );
    const { runs, memories, project, now } = this.deps;
    let back = 0;
    const left: string[] = [];
    const patches: string[] = [];
    for (const run of chosen) {
      patches.push(...(await this.#reversePatch(run)));
      const undone = undoRun({ runs, memories, project: project.id, now }, run.id);
      back += undone.back;
      left.push(...undone.left);
    }
    const ids = chosen.map(({ id }) => id);
    const rest =
      left.length === 0 ? "" : ` Not undone, because they have changed since: ${left.join(", ")}.`;
    const memoriesText = back === 0 && patches.length > 0 ? [] : [renderRestoredCount(back)];
    return {
      text: `${[...patches, ...memoriesText].join(" ")}${rest}`,
      values: { runs: ids, back, left, patches },
    };
  }

  async #reversePatch({ id, patch }: RunRecord): Promise<readonly string[]> {
    if (patch === null) return [];
    switch (await revertPatch(findProjectPlace(this.deps.directory).root, patch)) {
      case "back":
        return [`Undid the patch of run ${id}.`];
      case "left":
        return [
          `The patch of run ${id} was not undone, because its lines have changed since. Undo it by hand: ${patch}`,
        ];
      case "nothing":
        return [];
    }
  }

  #findRunToUndo(what: string | undefined): RunRecord {
    if (what !== undefined) return this.#findRun(what);
    const newest = this.#listRuns().find(({ undoneAtMs }) => undoneAtMs === null);
    if (!newest) throw new UserFacingError("There is no run to undo.");
    return newest;
  }

  #listRuns(count = MAX_LISTED_RUNS): readonly RunRecord[] {
    const { runs, project, directory, now } = this.deps;
    this.#endUnconfiguredRuns();
    runs.endAbandoned(this.#place, now());
    return runs.list(project.id, directory, count);
  }

  /**
   * Ends runs whose tasks have since been removed from the settings, because no worker would take their
   * steps.
   */
  #endUnconfiguredRuns(): void {
    const { runs, tasks, now } = this.deps;
    runs.endUnset({ ...this.#place, tasks }, now());
  }

  get #place() {
    const { project, directory } = this.deps;
    return { project: project.id, directory };
  }

  /** Finds a run by its number, or the newest run if no number is given. @throws UserFacingError */
  #findRun(what: string | undefined): RunRecord {
    const all = this.#listRuns(Number.MAX_SAFE_INTEGER);
    const run = what === undefined ? all[0] : all.find(({ id }) => String(id) === what);
    if (run) return run;
    throw new UserFacingError(
      what === undefined ? "There has been no run here yet." : `This project has no run ${what}.`,
    );
  }

  #toRunView(run: RunRecord): RunView {
    const { runs } = this.deps;
    const changes = runs.changes(run.id);
    const counts: Record<string, number> = {};
    for (const { state } of changes) counts[state] = (counts[state] ?? 0) + 1;
    return { ...run, looked: runs.looks(run.id).size, tokens: runs.tokens(run.id), counts };
  }
}

function renderRestoredCount(back: number): string {
  if (back === 0) return "Nothing to undo.";
  return back === 1 ? "1 memory is as it was before." : `${back} memories are as they were before.`;
}

/** Explains how to set a task; null stands for any task, if none is set at all. */
function renderSetupHint(task: TaskName | null): string {
  const what = task === null ? "No task is set" : `The task ${task} is not set`;
  return `${what}, so nothing would run. Set it in your session-runtime.jsonc, for example "upkeep": { "tasks": { "${task ?? "verify"}": {} } }. The tasks are ${TASKS.join(", ")}.`;
}

/** Lists the tasks that may run, in their fixed order. */
export function listConfiguredTasks({
  tasks,
}: Pick<MaintenanceSettings, "tasks">): readonly TaskName[] {
  return TASKS.filter((task) => tasks[task] !== undefined);
}

function parseTaskName(written: string): TaskName {
  const task = TASKS.find((one) => one === written);
  if (task) return task;
  throw new UserFacingError(`There is no task "${written}"; the tasks are ${TASKS.join(", ")}.`);
}
