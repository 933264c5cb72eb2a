// Reads what the artifacts of a piece of work state: approval, tasks, notes, and whether the work is finished.
import { isNothing, toLine } from "./lines.ts";
import { type MarkdownLine, markdownLines, parseLabel } from "./markdown.ts";
import { type Notes, parseNotes } from "./notes.ts";
import type { Artifact } from "./workflows.ts";

export interface Task {
  readonly text: string;
  /** Heading of the batch or phase that contains the task. */
  readonly group: string | null;
  readonly state: "open" | "done";
}

/**
 * `recorded`: the artifact records its approval; `draft`: it states that it is not approved yet; `unsaid`: it states
 * neither.
 */
type Approval = "recorded" | "draft" | "unsaid";

export interface ArtifactState {
  readonly artifact: Artifact;
  readonly approval: Approval;
  /** True if the artifact states that the work is finished. */
  readonly closed: boolean;
  readonly tasks: readonly Task[];
  /** Notes of a notes artifact, in order of time. */
  readonly notes: readonly string[];
  readonly fields: Notes["fields"];
  readonly stated: Notes["stated"];
}

export function artifactState(artifact: Artifact, text: string): ArtifactState {
  const lines = markdownLines(text);
  return {
    artifact,
    approval: parseApprovalLine(lines),
    closed: lines.slice(0, HEAD_LINES).some(isClosed),
    tasks: tasksIn(lines),
    notes: artifact.role === "notes" ? notesIn(lines) : [],
    ...parseNotes(lines),
  };
}

const APPROVED = /\b(?:approved|accepted|signed[ -]?off)\b/i;
const NOT_APPROVED =
  /\b(?:draft|drafting|wip|proposed|pending|awaiting|unapproved|in review|under review|rejected|needs? (?:review|approval)|(?:not|never|to be|until|before|must be)\s+(?:\w+\s+){0,2}(?:approved|accepted|signed))\b/i;

/** Returns what the file states last about its own approval. */
function parseApprovalLine(lines: readonly MarkdownLine[]): Approval {
  return lines.map(parseApproval).findLast((approval) => approval !== "unsaid") ?? "unsaid";
}

function parseApproval({ text, box }: MarkdownLine): Approval {
  if (box !== null && /\bapprov/i.test(text)) return box === "done" ? "recorded" : "draft";
  const { name = "", value = "" } = parseLabel(text) ?? {};
  // Matches `Approved: yes`, `Approved: 2026-01-02 by Ana` and `Approved: no`.
  if (/^approved$/i.test(name)) {
    return isNothing(value) || /^(?:no|not|pending|false)\b/i.test(value) ? "draft" : "recorded";
  }
  if (!/^(?:\w+ )?(?:status|state|approval|approved|sign[ -]?off)$/i.test(name)) return "unsaid";
  if (NOT_APPROVED.test(value)) return "draft";
  return APPROVED.test(value) ? "recorded" : "unsaid";
}

/** The lines in which a file states its status as a whole; the status of its parts follows further down. */
const HEAD_LINES = 40;

const CLOSED =
  /^\W*(?:closed|done|completed?|shipped|released|verified|archived|abandoned|fixed)\b/i;

function isClosed({ text }: MarkdownLine): boolean {
  const label = parseLabel(text);
  return /^status$/i.test(label?.name ?? "") && CLOSED.test(label?.value ?? "");
}

/** Headings that name the list and not a part of it. */
const PLAIN_TITLE =
  /^(?:tasks?|task list|tasks? breakdown|implementation (?:plan|tasks)|plan|todo)$/i;

/** Lists boxes, without those below another box, which are its steps. */
function tasksIn(lines: readonly MarkdownLine[]): readonly Task[] {
  const tasks: Task[] = [];
  let group: string | null = null;
  let parent = Number.POSITIVE_INFINITY;
  for (const { level, isItem, indent, box, text } of lines) {
    if (level > 0) {
      group = level === 1 || PLAIN_TITLE.test(text) ? null : text;
      parent = Number.POSITIVE_INFINITY;
    } else if (isItem && indent <= parent) {
      parent = box === null ? Number.POSITIVE_INFINITY : indent;
      // A text that is nothing but Markdown gives an empty line.
      if (box !== null && toLine(text) !== "" && !/^approv/i.test(text))
        tasks.push({ text, group, state: box });
    }
  }
  return tasks;
}

/** Lists each line that states how far the work is. */
function notesIn(lines: readonly MarkdownLine[]): readonly string[] {
  return lines
    .filter(({ level, box, text }) => level === 0 && box !== "open" && !isNothing(text))
    .map(({ text }) => text);
}

/** Returns true if the work is finished: every task is ticked, or an artifact states that it is closed. */
export function isFinished(states: readonly ArtifactState[]): boolean {
  const tasks = states.flatMap((state) => (state.artifact.role === "tasks" ? state.tasks : []));
  const ticked = tasks.length > 0 && tasks.every(({ state }) => state === "done");
  return ticked || states.some(({ closed }) => closed);
}
