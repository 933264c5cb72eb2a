// Recognises which workflow and folder a session is working on.
import { type ArtifactState, isFinished } from "./artifact-state.ts";
import { type HintTexts, mentions, type StageHint, stageHint } from "./stage-hint.ts";
import { type Stage, stageAt, type Workflow } from "./workflows.ts";

/** A folder under a workflow's root, as a look from outside shows it. */
export interface WorkFolder {
  readonly workflow: Workflow;
  readonly name: string;
  /** The artifacts that are there. */
  readonly files: readonly { readonly file: string; readonly changedAtMs: number }[];
}

/** What decides which piece of work the session is at. */
export interface RecognitionInput {
  readonly hint: StageHint | null;
  /** Where SESSION.md names a folder last; -1: nowhere. */
  readonly named: (folder: WorkFolder) => number;
  /** Paths that the session read or edited, newest first. */
  readonly touched: readonly string[];
}

export function recognitionInput(
  texts: HintTexts,
  workflows: readonly Workflow[],
  touched: readonly string[],
): RecognitionInput {
  return { hint: stageHint(texts, workflows), named: namedIn(texts.session), touched };
}

/** The workflow that a session is in. */
export interface Work {
  readonly workflow: Workflow;
  readonly stage: Stage;
  /** Where the stage is known from. */
  readonly known: StageHint["from"] | "artifacts";
  /** Null where only words speak of the workflow, and no folder is there. */
  readonly folder: WorkFolder | null;
  readonly artifacts: readonly ArtifactState[];
}

/** The folders that may be the session's work, likeliest first. */
export function candidates(
  folders: readonly WorkFolder[],
  input: RecognitionInput,
): readonly WorkFolder[] {
  const { hint } = input;
  const fitting = folders.filter((folder) => folder.files.length > 0);
  const hinted = hint ? fitting.filter(({ workflow }) => workflow === hint.workflow) : [];
  const scored = (hinted.length > 0 || hint?.from === "session" ? hinted : fitting).map(
    (folder) => ({ folder, score: scoreOf(folder, input) }),
  );
  return scored.sort((left, right) => compare(right.score, left.score)).map(({ folder }) => folder);
}

/**
 * The session's work among the likeliest candidates, whose artifacts have been read; null for a
 * session of no workflow. Work that is over and that nobody has named or touched is not the session's.
 */
export function recognise(
  read: readonly { readonly folder: WorkFolder; readonly artifacts: readonly ArtifactState[] }[],
  input: RecognitionInput,
): Work | null {
  const { hint } = input;
  const own = read.find(({ folder }) => input.named(folder) >= 0 || touchRank(folder, input) > 0);
  const chosen = read.find(({ artifacts }) => !isFinished(artifacts));
  const work = own ?? chosen ?? (hint?.from === "session" ? read[0] : undefined);
  if (!work) return hint?.from === "session" ? fromWords(hint) : null;
  const { folder, artifacts } = work;
  if (hint && hint.workflow === folder.workflow) {
    return { workflow: hint.workflow, stage: hint.stage, known: hint.from, folder, artifacts };
  }
  const stage = inferStage(folder.workflow, artifacts);
  return stage ? { workflow: folder.workflow, stage, known: "artifacts", folder, artifacts } : null;
}

function fromWords({ workflow, stage, from }: StageHint): Work {
  return { workflow, stage, known: from, folder: null, artifacts: [] };
}

/** Most telling first: named in SESSION.md, touched, fit for the stage, newest change, completeness. */
function scoreOf(folder: WorkFolder, input: RecognitionInput): readonly (number | string)[] {
  const present = new Set(folder.files.map(({ file }) => file));
  const changed = Math.max(...folder.files.map(({ changedAtMs }) => changedAtMs));
  return [
    input.named(folder),
    touchRank(folder, input),
    input.hint && present.has(input.hint.stage.artifact) ? 1 : 0,
    // A checkout stamps all files within moments: that order says nothing.
    Math.floor(changed / 60_000),
    present.size,
    folder.name,
  ];
}

/** Where SESSION.md names a folder last; -1: nowhere. A plain word is a name only in a path. */
function namedIn(session: string): (folder: WorkFolder) => number {
  const words = new Map<string, number>();
  for (const { 0: word, index } of session.matchAll(/[\p{L}\p{N}._-]+/gu)) {
    words.set(word.replace(/\.+$/, ""), index);
  }
  return ({ workflow, name }) => {
    const at = words.get(name);
    if (at === undefined) return -1;
    return /[-_\d]/.test(name) ? at : session.lastIndexOf(`${workflow.root}/${name}`);
  };
}

/** The newer the touch the higher; 0: none. */
function touchRank({ workflow, name }: WorkFolder, { touched }: RecognitionInput): number {
  const at = touched.findIndex((path) => path.includes(`${workflow.root}/${name}/`));
  return at === -1 ? 0 : touched.length - at;
}

function compare(left: readonly (number | string)[], right: readonly (number | string)[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index];
    if (other === undefined || value === other) continue;
    return value < other ? -1 : 1;
  }
  return 0;
}

/** The stage that the artifacts themselves speak for: that of the last one, or the next if it is through. */
function inferStage(workflow: Workflow, artifacts: readonly ArtifactState[]): Stage | null {
  const last = workflow.artifacts.findLast(({ file }) =>
    artifacts.some(({ artifact }) => artifact.file === file),
  );
  const state = artifacts.find(({ artifact }) => artifact === last);
  const found = last && state ? stageAt(workflow, last.stage) : null;
  if (!found || !state) return null;
  const noted = mentions(state.notes.join("\n"), [workflow]).at(-1)?.stage;
  if (noted) return noted;
  return (isThrough(state) ? workflow.stages[found.rank + 1] : null) ?? found.stage;
}

function isThrough({ artifact, approval, tasks }: ArtifactState): boolean {
  switch (artifact.role) {
    case "document":
      return approval === "recorded";
    case "tasks":
      return approval === "recorded" || tasks.some(({ state }) => state === "done");
    case "log":
    case "notes":
      return false;
  }
}
