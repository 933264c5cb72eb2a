// Workflows from the configuration, in addition to the built-in ones.
import { inert } from "./inert.ts";
import { type ArtifactRole, builtInWorkflows, type Stage, type Workflow } from "./workflows.ts";

/** A workflow as a team describes it in its configuration. */
export interface DescribedWorkflow {
  readonly type: string;
  readonly root: string;
  readonly artifacts: readonly {
    readonly file: string;
    readonly role: ArtifactRole;
    readonly stage: string;
  }[];
  readonly stages: readonly DescribedStage[];
}

export interface DescribedStage {
  readonly name: string;
  readonly artifact: string;
  readonly objective: string;
  readonly step: string;
  readonly next: string;
  /** Both, or the stage works through no tasks. */
  readonly taskStep?: string | undefined;
  readonly taskNext?: string | undefined;
  readonly gate: string;
  readonly done: readonly string[];
}

/** The team's own workflows, then the built-in ones whose type none of them has. */
export function allWorkflows(described: readonly DescribedWorkflow[]): readonly Workflow[] {
  const own = described.map(workflowOf);
  const taken = new Set(own.map(({ type }) => type));
  return [...own, ...builtInWorkflows.filter(({ type }) => !taken.has(type))];
}

function workflowOf({ type, root, artifacts, stages }: DescribedWorkflow): Workflow {
  return {
    type,
    root: root.replace(/\/+$/, ""),
    artifacts: artifacts.map(({ file, role, stage }) => ({
      file,
      role,
      stage,
      passed: `\`${file}\` exists and later-stage artifacts imply its stage is complete.`,
      inferred: `{name}: approval of \`${file}\` is inferred from the presence of later ${type} artifacts.`,
    })),
    stages: stages.map(stageOf),
  };
}

/** A project's file may have been written by anyone: its sentences are lines like all others. */
function stageOf(stage: DescribedStage): Stage {
  const { taskStep, taskNext } = stage;
  return {
    name: stage.name,
    artifact: stage.artifact,
    objective: inert(stage.objective),
    step: inert(stage.step),
    next: inert(stage.next),
    withTask:
      taskStep === undefined || taskNext === undefined
        ? null
        : { step: inert(taskStep), next: inert(taskNext) },
    gate: inert(stage.gate),
    done: stage.done.map((line) => inert(line)),
  };
}
