// Renders, as lines of a brief, what a recognised piece of work states about itself.
import { findForeignLine, quoteOrders, stripFullStop, toForeignLines, toLine } from "./lines.ts";
import type { ArtifactState, RecognisedWork, Task } from "./recognise.ts";
import { findStageIndex } from "./workflows.ts";

export type WorkLines = ReturnType<typeof buildWorkLines>;

/**
 * Builds the lines of a piece of work. `prefix` is the path from the session's directory to the folder that
 * contains the workflows' roots.
 */
export function buildWorkLines(work: RecognisedWork, prefix: string) {
  const { stage, folder, artifacts } = work;
  const name = folder ? quoteOrders(toLine(folder.name, 80)) : "this session";
  const listed = artifacts.flatMap(({ artifact, tasks }) =>
    artifact.role === "tasks" ? tasks : [],
  );
  const tasks = stage.withTask ? listed : [];
  const open = tasks.filter(({ state }) => state === "open");
  const ticked = tasks.filter(({ state }) => state === "done");
  const [task] = open;
  const values = {
    name,
    stage: stage.name,
    artifact: stage.artifact,
    task: task ? stripFullStop(renderTask(task)) : null,
    batch: task?.group ? findForeignLine([task.group]) : null,
  };
  const { step, next } = (task && stage.withTask) ?? stage;
  const progress = describeProgress(work, name, ticked.length, open);
  const passed = artifacts.map((state) => describePassedArtifact(work, state, name));
  const renderPath = (file: string) =>
    toLine(`${prefix}${work.workflow.root}/${folder?.name ?? ""}/${file}`);
  return {
    objective: fillTemplate(stage.objective, values),
    step: fillTemplate(step, values),
    status: `${name} is in ${stage.name}${progress.status}`,
    completed: [
      ...passed.flatMap(({ completed }) => completed ?? []),
      ...ticked.map(renderTask),
      ...artifacts.flatMap(({ notes }) => toForeignLines(notes)),
    ],
    remaining: tasks.length > 0 ? open.map(renderTask) : [fillTemplate(step, values)],
    nextAction: fillTemplate(next, values),
    sources: artifacts.map(({ artifact }) => renderPath(artifact.file)),
    current: artifacts.flatMap(({ artifact: { file } }) =>
      file === stage.artifact ? [renderPath(file)] : [],
    ),
    artifactStatus: folder ? [progress.artifact] : [],
    gate: fillTemplate(stage.gate, values),
    approved: passed.flatMap(({ approved }) => approved ?? []),
    pendingApproval: artifacts.flatMap(({ artifact, approval }) =>
      approval === "draft"
        ? [`${name}: \`${artifact.file}\` is a draft; its approval is pending.`]
        : [],
    ),
    missing: describeMissingArtifacts(work),
    done: stage.done.map((line) => fillTemplate(line, values)),
  };
}

function renderTask({ text, group }: Task): string {
  return quoteOrders(toLine(group === null ? text : `${text} (${group})`));
}

/** Describes progress by the tasks, or else by the newest note, or else by the artifact's approval. */
function describeProgress(
  { stage, artifacts }: RecognisedWork,
  name: string,
  done: number,
  open: readonly Task[],
): { readonly status: string; readonly artifact: string } {
  if (done + open.length > 0) {
    const [next] = open;
    const on = next ? `; next task is ${stripFullStop(renderTask(next))}.` : ".";
    return {
      status: `; ${done} task(s) complete and ${open.length} task(s) remaining.`,
      artifact: `${name}: ${done} task(s) complete, ${open.length} remaining${on}`,
    };
  }
  const noted = artifacts.findLast(({ notes }) => notes.length > 0);
  if (noted) {
    const note = findForeignLine(noted.notes.toReversed()) ?? "";
    // `harness/progress.md` becomes "harness progress notes".
    const label = noted.artifact.file.replace(/\.\w+$/, "").replaceAll("/", " ");
    return { status: `; ${label} notes: ${note}`, artifact: `${name}: ${note}` };
  }
  const state = artifacts.find(({ artifact }) => artifact.file === stage.artifact);
  const standing = {
    recorded: "records its approval",
    draft: "is a draft that awaits approval",
    unsaid: "is there; it does not say whether it is approved",
    absent: "is not there yet",
  }[state?.approval ?? "absent"];
  return { status: ".", artifact: `${name}: \`${stage.artifact}\` ${standing}.` };
}

/** Describes an artifact that the work has moved past, or that records its approval. */
function describePassedArtifact(
  work: RecognisedWork,
  state: ArtifactState,
  name: string,
): { readonly completed: string | null; readonly approved: string | null } {
  const { passed, inferred, file } = state.artifact;
  const records =
    state.approval === "recorded" ? `\`${file}\` exists and records its approval.` : null;
  const said = {
    none: { completed: records, approved: null },
    later: { completed: passed, approved: fillTemplate(inferred, { name }) },
    words: {
      completed: `\`${file}\` exists, and the named stage lies beyond it.`,
      approved: `${name}: approval of \`${file}\` is inferred from the stage that is named.`,
    },
  }[findEvidence(work, state)];
  switch (state.approval) {
    case "recorded":
      return { ...said, approved: `${name}: \`${file}\` records its approval.` };
    case "draft":
      return { ...said, approved: null };
    case "unsaid":
      return said;
  }
}

/** Returns what shows that an artifact has been superseded: later artifacts, or merely the stage that was named. */
function findEvidence(
  { workflow, stage, artifacts }: RecognisedWork,
  state: ArtifactState,
): "none" | "later" | "words" {
  if (findStageIndex(workflow, state.artifact.stage) >= findStageIndex(workflow, stage.name))
    return "none";
  const begun = artifacts.some(
    ({ artifact, tasks }) =>
      artifact.role === "tasks" && tasks.some((task) => task.state === "done"),
  );
  return begun || artifacts.at(-1) !== state ? "later" : "words";
}

/** Lists artifacts of earlier stages that should exist and do not. */
function describeMissingArtifacts({
  workflow,
  stage,
  folder,
  artifacts,
}: RecognisedWork): readonly string[] {
  if (!folder) return [];
  return workflow.artifacts
    .filter(
      (artifact) => findStageIndex(workflow, artifact.stage) < findStageIndex(workflow, stage.name),
    )
    .filter(({ file }) => !artifacts.some(({ artifact }) => artifact.file === file))
    .map(({ file }) => `\`${file}\` belongs before ${stage.name} and is not there.`);
}

/** Fills the placeholders of a sentence; a part in `[…]` is left out if one of its placeholders has no value. */
function fillTemplate(template: string, values: Readonly<Record<string, string | null>>): string {
  const places = /\{(\w+)\}/g;
  const hasValues = (part: string) =>
    [...part.matchAll(places)].every(([, name = ""]) => values[name] !== null);
  return template
    .replace(/\[([^[\]]*\{\w+\}[^[\]]*)\]/g, (_all, part: string) => (hasValues(part) ? part : ""))
    .replace(places, (all, name: string) => values[name] ?? (name in values ? "" : all));
}
