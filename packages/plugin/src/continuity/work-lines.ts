// What a recognised piece of work says about itself, as lines of a brief.
import type { ArtifactState, Task } from "./artifact-state.ts";
import { disarm, inert } from "./inert.ts";
import { fill, foreignLine, foreignLines, unended } from "./lines.ts";
import type { Work } from "./recognise.ts";
import { stageAt } from "./workflows.ts";

/** What a recognised piece of work says of itself, in lines of a brief. */
export interface WorkLines {
  readonly objective: string;
  readonly step: string;
  readonly status: string;
  readonly completed: readonly string[];
  readonly remaining: readonly string[];
  readonly nextAction: string;
  readonly sources: readonly string[];
  readonly current: string | null;
  readonly artifactStatus: string | null;
  readonly gate: string;
  readonly approved: readonly string[];
  readonly pendingApproval: readonly string[];
  readonly missing: readonly string[];
  readonly done: readonly string[];
}

/** What of the work the sentences speak about. */
interface Facts {
  readonly name: string;
  readonly tasks: { readonly done: readonly Task[]; readonly open: readonly Task[] } | null;
  /** The newest note, and what its file is called. */
  readonly note: { readonly text: string; readonly label: string } | null;
}

/** `prefix` leads from the session's directory to the folder that the roots lie in. */
export function workLines(work: Work, prefix: string): WorkLines {
  const facts = factsOf(work);
  const { stage } = work;
  const task = facts.tasks?.open[0] ?? null;
  const withTask = task ? stage.withTask : null;
  const values = {
    name: facts.name,
    stage: stage.name,
    artifact: stage.artifact,
    task: task && unended(taskLine(task)),
    batch: task?.group ? foreignLine([task.group]) : null,
  };
  const step = fill(withTask?.step ?? stage.step, values);
  return {
    objective: fill(stage.objective, values),
    step,
    status: statusOf(work, facts),
    completed: completedOf(work, facts),
    remaining: facts.tasks ? facts.tasks.open.map(taskLine) : [step],
    nextAction: fill(withTask?.next ?? stage.next, values),
    sources: work.artifacts.map(({ artifact }) => pathOf(work, artifact.file, prefix)),
    current: present(work, stage.artifact) ? pathOf(work, stage.artifact, prefix) : null,
    artifactStatus: work.folder ? artifactStatusOf(work, facts) : null,
    gate: fill(stage.gate, values),
    approved: work.artifacts.flatMap((state) => approvalOf(work, state, facts.name)),
    pendingApproval: work.artifacts
      .filter(({ approval }) => approval === "draft")
      .map(
        ({ artifact }) =>
          `${facts.name}: \`${artifact.file}\` is a draft; its approval is pending.`,
      ),
    missing: missingOf(work),
    done: stage.done.map((line) => fill(line, values)),
  };
}

function factsOf(work: Work): Facts {
  const { folder, stage, artifacts } = work;
  const listed = artifacts.filter(({ artifact }) => artifact.role === "tasks");
  const all = listed.flatMap(({ tasks }) => tasks);
  const noted = artifacts.findLast(({ notes }) => notes.length > 0);
  return {
    name: folder ? disarm(inert(folder.name, 80)) : "this session",
    tasks:
      stage.withTask && all.length > 0
        ? {
            done: all.filter(({ state }) => state === "done"),
            open: all.filter(({ state }) => state === "open"),
          }
        : null,
    note: noted
      ? { text: foreignLine(noted.notes.toReversed()) ?? "", label: labelOf(noted.artifact.file) }
      : null,
  };
}

/** `harness/progress.md` is called "harness progress notes". */
function labelOf(file: string): string {
  return `${file.replace(/\.\w+$/, "").replaceAll("/", " ")} notes`;
}

function taskLine({ text, group }: Task): string {
  return disarm(inert(group === null ? text : `${text} (${group})`));
}

function statusOf({ stage }: Work, { name, tasks, note }: Facts): string {
  const place = `${name} is in ${stage.name}`;
  if (tasks) {
    return `${place}; ${tasks.done.length} task(s) complete and ${tasks.open.length} task(s) remaining.`;
  }
  return note ? `${place}; ${note.label}: ${note.text}` : `${place}.`;
}

function artifactStatusOf(work: Work, { name, tasks, note }: Facts): string {
  if (tasks) {
    const [next] = tasks.open;
    const counts = `${name}: ${tasks.done.length} task(s) complete, ${tasks.open.length} remaining`;
    return next ? `${counts}; next task is ${unended(taskLine(next))}.` : `${counts}.`;
  }
  if (note) return `${name}: ${note.text}`;
  const { artifact } = work.stage;
  const state = present(work, artifact);
  if (!state) return `${name}: \`${artifact}\` is not there yet.`;
  switch (state.approval) {
    case "recorded":
      return `${name}: \`${artifact}\` records its approval.`;
    case "draft":
      return `${name}: \`${artifact}\` is a draft that awaits approval.`;
    case "unsaid":
      return `${name}: \`${artifact}\` is there; it does not say whether it is approved.`;
  }
}

function completedOf(work: Work, { tasks }: Facts): readonly string[] {
  const passed = work.artifacts.flatMap((state) => passedLine(work, state) ?? []);
  const notes = work.artifacts.flatMap((state) => foreignLines(state.notes));
  return [...passed, ...(tasks?.done ?? []).map(taskLine), ...notes];
}

function passedLine(work: Work, state: ArtifactState): string | null {
  const { artifact, approval } = state;
  switch (evidenceOf(work, state)) {
    case "none":
      return approval === "recorded"
        ? `\`${artifact.file}\` exists and records its approval.`
        : null;
    case "later":
      return fill(artifact.passed, { name: null });
    case "words":
      return `\`${artifact.file}\` exists, and the named stage lies beyond it.`;
  }
}

/** What shows that an artifact has been left behind: later artifacts, or merely the stage that was named. */
function evidenceOf(work: Work, { artifact }: ArtifactState): "none" | "later" | "words" {
  const own = stageAt(work.workflow, artifact.stage)?.rank ?? 0;
  const now = stageAt(work.workflow, work.stage.name)?.rank ?? 0;
  if (own >= now) return "none";
  const files = work.workflow.artifacts.map(({ file }) => file);
  const at = files.indexOf(artifact.file);
  const later = work.artifacts.some((other) => files.indexOf(other.artifact.file) > at);
  const begun = work.artifacts.some(
    (other) => other.artifact.role === "tasks" && other.tasks.some(({ state }) => state === "done"),
  );
  return later || begun ? "later" : "words";
}

function approvalOf(work: Work, state: ArtifactState, name: string): readonly string[] {
  const { artifact, approval } = state;
  if (approval === "recorded") return [`${name}: \`${artifact.file}\` records its approval.`];
  if (approval === "draft") return [];
  switch (evidenceOf(work, state)) {
    case "none":
      return [];
    case "later":
      return [fill(artifact.inferred, { name })];
    case "words":
      return [
        `${name}: approval of \`${artifact.file}\` is inferred from the stage that is named.`,
      ];
  }
}

/** Artifacts of earlier stages that should be there. */
function missingOf(work: Work): readonly string[] {
  if (!work.folder) return [];
  const now = stageAt(work.workflow, work.stage.name)?.rank ?? 0;
  return work.workflow.artifacts
    .filter((artifact) => (stageAt(work.workflow, artifact.stage)?.rank ?? 0) < now)
    .filter((artifact) => !present(work, artifact.file))
    .map(({ file }) => `\`${file}\` belongs before ${work.stage.name} and is not there.`);
}

function present(work: Work, file: string): ArtifactState | undefined {
  return work.artifacts.find(({ artifact }) => artifact.file === file);
}

function pathOf(work: Work, file: string, prefix: string): string {
  return inert(`${prefix}${work.workflow.root}/${work.folder?.name ?? ""}/${file}`);
}
