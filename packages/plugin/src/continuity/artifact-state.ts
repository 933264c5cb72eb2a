// What one workflow artifact says: its tasks, approval and notes.
import { type Notes, parseNotes } from "./notes.ts";
import { isNothing } from "./nothing.ts";
import { labelOf, type OutlineLine, outline } from "./outline.ts";
import type { Artifact } from "./workflows.ts";

export interface Task {
  readonly text: string;
  /** Heading of the batch or phase that it stands under. */
  readonly group: string | null;
  readonly state: "open" | "done";
}

/** `recorded`: the artifact itself says so; `draft`: it says that it is not approved yet. */
export type Approval = "recorded" | "draft" | "unsaid";

/** What one artifact says. */
export interface ArtifactState {
  readonly artifact: Artifact;
  readonly text: string;
  readonly approval: Approval;
  readonly tasks: readonly Task[];
  /** Of a notes artifact, in the order of time. */
  readonly notes: readonly string[];
  readonly fields: Notes["fields"];
  readonly stated: Notes["stated"];
}

/** Most tasks and notes that are taken of one artifact. */
const MOST = 1000;

export function artifactState(artifact: Artifact, text: string): ArtifactState {
  const lines = outline(text);
  const { fields, stated } = parseNotes(text);
  return {
    artifact,
    text,
    approval: approvalIn(lines),
    tasks: tasksIn(lines),
    notes: artifact.role === "notes" ? notesIn(lines) : [],
    fields,
    stated,
  };
}

const APPROVED = /\b(?:approved|accepted|signed[ -]?off)\b/i;
const NOT_APPROVED =
  /\b(?:draft|drafting|wip|proposed|pending|awaiting|unapproved|in review|under review|rejected|needs? (?:review|approval)|(?:not|never|to be|until|before|must be)\s+(?:\w+\s+){0,2}(?:approved|accepted|signed))\b/i;

/** The last word of the file on its own approval. */
function approvalIn(lines: readonly OutlineLine[]): Approval {
  let approval: Approval = "unsaid";
  for (const line of lines) {
    if (line.kind === "blank") continue;
    if (line.kind === "item" && line.box !== null && /\bapprov/i.test(line.text)) {
      approval = line.box === "done" ? "recorded" : "draft";
      continue;
    }
    const label = labelOf(line.text);
    if (!label || !/^(?:\w+ )?(?:status|state|approval|approved|sign[ -]?off)$/i.test(label.name)) {
      continue;
    }
    const said = /^approved$/i.test(label.name) ? approvedValue(label.value) : label.value;
    if (NOT_APPROVED.test(said)) approval = "draft";
    else if (APPROVED.test(said)) approval = "recorded";
  }
  return approval;
}

/** `Approved: yes`, `Approved: 2026-01-02 by Ana`, `Approved: no`. */
function approvedValue(value: string): string {
  return value === "" || isNothing(value) || /^(?:no|not|pending|false)\b/i.test(value)
    ? "pending"
    : "approved";
}

/** Headings that name the list and not a part of it. */
const PLAIN_TITLE =
  /^(?:tasks?|task list|tasks? breakdown|implementation (?:plan|tasks)|plan|todo)$/i;

/** Boxes, but for those below another box: they are steps of it. */
function tasksIn(lines: readonly OutlineLine[]): readonly Task[] {
  const tasks: Task[] = [];
  let group: string | null = null;
  let parent = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (line.kind === "heading") {
      group = line.level === 1 || PLAIN_TITLE.test(line.text) ? null : line.text;
      parent = Number.POSITIVE_INFINITY;
    }
    if (line.kind !== "item") continue;
    if (line.indent <= parent) parent = line.box === null ? Number.POSITIVE_INFINITY : line.indent;
    if (line.box === null || line.indent > parent || line.text === "") continue;
    if (/^approv/i.test(line.text) || tasks.length >= MOST) continue;
    tasks.push({ text: line.text, group, state: line.box });
  }
  return tasks;
}

/** Each line that says how far the work is. */
function notesIn(lines: readonly OutlineLine[]): readonly string[] {
  return lines
    .flatMap((line) => {
      if (line.kind === "blank" || line.kind === "heading") return [];
      if (line.kind === "item" && line.box === "open") return [];
      return line.text === "" || isNothing(line.text) ? [] : [line.text];
    })
    .slice(-MOST);
}

/** Whether the work that the artifacts describe is over: every task ticked, or said to be closed. */
export function isFinished(states: readonly ArtifactState[]): boolean {
  const closed = states.some(({ text }) =>
    outline(text.slice(0, 4000)).some((line) => {
      const label = line.kind === "blank" ? null : labelOf(line.text);
      return /^status$/i.test(label?.name ?? "") && CLOSED.test(label?.value ?? "");
    }),
  );
  if (closed) return true;
  const tasks = states.flatMap((state) => (state.artifact.role === "tasks" ? state.tasks : []));
  return tasks.length > 0 && tasks.every(({ state }) => state === "done");
}

const CLOSED =
  /^\W*(?:closed|done|completed?|shipped|released|verified|archived|abandoned|fixed)\b/i;
