// Defines workflows whose state is kept in files: the built-in spec and bug, and those of a team's configuration.
import { toLine } from "./lines.ts";

/**
 * Says what an artifact is read for. `document`: a text that is drafted, then approved. `tasks`: boxes that
 * are ticked. `log`: findings made during the execution. `notes`: progress, newest last.
 */
type ArtifactRole = "document" | "tasks" | "log" | "notes";

/** Describes one file of a workflow's folder. Its sentences may contain `{name}`, the folder's name. */
export interface Artifact {
  /** The path in the folder. */
  readonly file: string;
  readonly role: ArtifactRole;
  /** The stage that this file implies if it is the last one that exists. */
  readonly stage: string;
  /** The sentence that says what is completed once later artifacts exist. */
  readonly passed: string;
  /** The sentence about the artifact's approval if later artifacts are the only sign of it. */
  readonly inferred: string;
}

/**
 * Describes a stage. Its sentences have placeholders for `{name}`, `{stage}`, `{artifact}`, `{task}` and `{batch}`; a
 * part in `[…]` is left out if one of its placeholders has no value.
 */
export interface Stage {
  /** The name, which appears verbatim in the brief. */
  readonly name: string;
  /** The artifact that this stage works on. */
  readonly artifact: string;
  readonly objective: string;
  readonly step: string;
  readonly next: string;
  /** The step and next action while a task is open; null for stages that work through no tasks. */
  readonly withTask: { readonly step: string; readonly next: string } | null;
  readonly gate: string;
  readonly done: readonly string[];
}

/** Describes a way of working: its folders, their artifacts and the stages, in order. */
export interface Workflow {
  readonly type: string;
  /** A folder with one subfolder per piece of work, relative to the project. */
  readonly root: string;
  readonly artifacts: readonly Artifact[];
  readonly stages: readonly Stage[];
}

/** Describes a workflow in the form in which a team's configuration, or the code below, gives it. */
interface WorkflowDescription {
  readonly type: string;
  readonly root: string;
  readonly artifacts: readonly (Pick<Artifact, "file" | "role" | "stage"> &
    Partial<Pick<Artifact, "passed" | "inferred">>)[];
  readonly stages: readonly (Omit<Stage, "withTask"> & {
    /** Both task sentences are given, unless the stage works through no tasks. */
    readonly taskStep?: string | undefined;
    readonly taskNext?: string | undefined;
  })[];
}

const specWorkflow: WorkflowDescription = {
  type: "spec",
  root: ".codex/specs",
  artifacts: [
    {
      file: "requirements.md",
      role: "document",
      stage: "spec-create",
      passed:
        "`requirements.md` exists and later-stage artifacts imply the requirements phase is complete.",
    },
    {
      file: "design.md",
      role: "document",
      stage: "spec-design",
      passed: "`design.md` exists and later-stage artifacts imply design approval was completed.",
    },
    {
      file: "tasks.md",
      role: "tasks",
      stage: "spec-tasks",
      passed: "`tasks.md` exists and execution has started.",
      inferred:
        "{name}: `tasks.md` is treated as approved because execution artifacts are present.",
    },
    { file: "context.md", role: "log", stage: "spec-execute" },
  ],
  stages: [
    {
      name: "spec-create",
      artifact: "requirements.md",
      objective: "Write requirements for the spec that can be reviewed and approved as they stand.",
      step: "Complete `requirements.md` and bring it to the user for approval.",
      next: "Finish `requirements.md` for {name}, then ask for approval to proceed to `spec-design`.",
      gate: "The user approves `requirements.md`; only then proceed to `spec-design`.",
      done: [
        "`requirements.md` states what is to be built, for whom, and how it is accepted.",
        "Open questions are answered or listed.",
      ],
    },
    {
      name: "spec-design",
      artifact: "design.md",
      objective: "Design what the approved requirements ask for, within the project as it is.",
      step: "Complete `design.md` and check it against `requirements.md`.",
      next: "Finish `design.md` for {name}, then ask for approval to proceed to `spec-tasks`.",
      gate: "The user approves `design.md`; only then proceed to `spec-tasks`.",
      done: [
        "`design.md` answers every requirement.",
        "Decisions are written down with their reasons.",
      ],
    },
    {
      name: "spec-tasks",
      artifact: "tasks.md",
      objective: "Break the approved design into small tasks in batches, each with its own gate.",
      step: "Complete `tasks.md`: every task small, ordered and checkable.",
      next: "Finish `tasks.md` for {name}, then ask for approval to proceed to `spec-execute`.",
      gate: "The user approves `tasks.md`; only then proceed to `spec-execute`.",
      done: [
        "Every part of `design.md` is covered by a task.",
        "Every task names the gate that shows it is done.",
      ],
    },
    {
      name: "spec-execute",
      artifact: "tasks.md",
      objective:
        "Execute the current approved spec batch with minimal drift, validate it, update `context.md`, and stop with a resumable hand-off.",
      step: "Validate what has been executed of {name}, update `context.md`, and stop.",
      next: "Validate {name} in {stage}, update `context.md`, and report to the user.",
      taskStep: "Continue the current implementation lane[ in {batch}]: {task}.",
      taskNext: "Resume {name} in {stage}: {task}.",
      gate: "For the current batch: declared task gates pass via `.codex/scripts/harness.sh spec gate <spec-name> <task-id>`, batch validation passes, `/review` feedback is addressed, `context.md` is updated, and the batch stops after commit.",
      done: [
        "Task-level validation gates pass for each completed task.",
        "Batch validation passes before stopping.",
        "`context.md` records discoveries, decisions, utilities, and carry-forward warnings.",
      ],
    },
  ],
};

const bugWorkflow: WorkflowDescription = {
  type: "bug",
  root: ".codex/bugs",
  artifacts: [
    {
      file: "report.md",
      role: "document",
      stage: "bug-create",
      passed:
        "`report.md` exists and the bug is documented well enough to move beyond `bug-create`.",
    },
    {
      file: "analysis.md",
      role: "document",
      stage: "bug-analyze",
      passed: "`analysis.md` exists and later-stage artifacts imply the fix plan was approved.",
    },
    { file: "harness/progress.md", role: "notes", stage: "bug-fix" },
  ],
  stages: [
    {
      name: "bug-create",
      artifact: "report.md",
      objective: "Document the bug so that another person can see it happen.",
      step: "Complete `report.md`: steps, what was expected, what happens, where.",
      next: "Finish `report.md` for {name}, then ask for approval to proceed to `bug-analyze`.",
      gate: "The user approves `report.md`; only then proceed to `bug-analyze`.",
      done: ["`report.md` lets another person reproduce the bug.", "Its impact is stated."],
    },
    {
      name: "bug-analyze",
      artifact: "analysis.md",
      objective: "Find the root cause and propose the smallest safe fix, without changing code.",
      step: "Complete `analysis.md`: root cause, proposed fix, its risks, and how it will be tested.",
      next: "Finish `analysis.md` for {name}, then ask for approval to proceed to `bug-fix`.",
      gate: "The user approves the fix plan in `analysis.md`; only then proceed to `bug-fix`.",
      done: [
        "`analysis.md` names the root cause with evidence.",
        "The proposed fix and its regression tests are described.",
      ],
    },
    {
      name: "bug-fix",
      artifact: "analysis.md",
      objective:
        "Implement the approved minimal safe fix with regression coverage and no unrelated refactoring.",
      step: "Apply the approved changes from `analysis.md`, run format/lint/typecheck/tests, and prepare the hand-off to `bug-verify`.",
      next: "Implement the approved minimal fix for {name}, add regression coverage, and prepare the hand-off to bug-verify.",
      gate: "Implement the approved fix, add regression tests, run the declared validation gates, then request approval to proceed to `bug-verify`.",
      done: [
        "Format, lint, typecheck, and relevant tests pass.",
        "Regression coverage demonstrates the original bug path is fixed.",
        "The change log and gate results are ready for `bug-verify`.",
      ],
    },
    {
      name: "bug-verify",
      artifact: "harness/progress.md",
      objective: "Show that the bug is gone and that nothing else broke, and close it.",
      step: "Verify the fix against `report.md`: the reported steps, the regression tests, the full gates.",
      next: "Verify the fix of {name} against `report.md`, record the results, and ask for closure.",
      gate: "Every step of `report.md` no longer shows the bug, all gates pass, and the user confirms the closure.",
      done: [
        "The steps of `report.md` no longer show the bug.",
        "All validation gates pass on the final state.",
        "The result is recorded, and the user has confirmed it.",
      ],
    },
  ],
};

export const builtInWorkflows: readonly Workflow[] = [specWorkflow, bugWorkflow].map((described) =>
  buildWorkflow(described, (sentence) => sentence),
);

/** Returns the team's own workflows, then the built-in ones of other types. */
export function listWorkflows(described: readonly WorkflowDescription[]): readonly Workflow[] {
  // Anyone may have written a project's file, so its sentences are neutralized like all foreign lines.
  const own = described.map((workflow) => buildWorkflow(workflow, toLine));
  const taken = new Set(own.map(({ type }) => type));
  return [...own, ...builtInWorkflows.filter(({ type }) => !taken.has(type))];
}

function buildWorkflow(
  { type, root, artifacts, stages }: WorkflowDescription,
  sentence: (text: string) => string,
): Workflow {
  return {
    type,
    root: root.replace(/\/+$/, ""),
    artifacts: artifacts.map((artifact) => ({
      passed: `\`${artifact.file}\` exists and later-stage artifacts imply its stage is complete.`,
      inferred: `{name}: approval of \`${artifact.file}\` is inferred from the presence of later ${type} artifacts.`,
      ...artifact,
    })),
    stages: stages.map(({ name, artifact, taskStep, taskNext, ...stage }) => ({
      name,
      artifact,
      objective: sentence(stage.objective),
      step: sentence(stage.step),
      next: sentence(stage.next),
      withTask:
        taskStep === undefined || taskNext === undefined
          ? null
          : { step: sentence(taskStep), next: sentence(taskNext) },
      gate: sentence(stage.gate),
      done: stage.done.map(sentence),
    })),
  };
}

/** Returns the index of a stage in its workflow's order; -1 if the workflow has no such stage. */
export function findStageIndex(workflow: Workflow, stageName: string): number {
  return workflow.stages.findIndex(({ name }) => name === stageName);
}
