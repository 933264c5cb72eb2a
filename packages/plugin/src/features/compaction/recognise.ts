// Recognises a session's workflow, stage and folder from its notes, the files that it touched and the artifacts.
import { statesNothing, toLine } from "./lines.ts";
import { type MarkdownLine, parseLabel, parseMarkdownLines } from "./markdown.ts";
import { type Notes, orderPartsByTime, parseNotes } from "./notes.ts";
import { type Artifact, findStageIndex, type Stage, type Workflow } from "./workflows.ts";

// Reads what the artifacts of a piece of work state: approval, tasks, notes, and whether the work is finished.

export interface Task {
  readonly text: string;
  /** The heading of the batch or phase that contains the task; null if there is none. */
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
  /** The notes in a notes artifact, in order of time. */
  readonly notes: readonly string[];
  readonly fields: Notes["fields"];
  readonly stated: Notes["stated"];
}

export function parseArtifactState(artifact: Artifact, text: string): ArtifactState {
  const lines = parseMarkdownLines(text);
  return {
    artifact,
    approval: parseApprovalLine(lines),
    closed: lines.slice(0, MAX_HEAD_LINES).some(isClosed),
    tasks: parseTasks(lines),
    notes: artifact.role === "notes" ? listNotes(lines) : [],
    ...parseNotes(lines),
  };
}

const APPROVAL_PATTERN = /\b(?:approved|accepted|signed[ -]?off)\b/i;
const NOT_APPROVED_PATTERN =
  /\b(?:draft|drafting|wip|proposed|pending|awaiting|unapproved|in review|under review|rejected|needs? (?:review|approval)|(?:not|never|to be|until|before|must be)\s+(?:\w+\s+){0,2}(?:approved|accepted|signed))\b/i;

/** Returns what the file's last statement about its own approval says. */
function parseApprovalLine(lines: readonly MarkdownLine[]): Approval {
  return lines.map(parseApproval).findLast((approval) => approval !== "unsaid") ?? "unsaid";
}

function parseApproval({ text, box }: MarkdownLine): Approval {
  if (box !== null && /\bapprov/i.test(text)) return box === "done" ? "recorded" : "draft";
  const { name = "", value = "" } = parseLabel(text) ?? {};
  // Matches `Approved: yes`, `Approved: 2026-01-02 by Ana` and `Approved: no`.
  if (/^approved$/i.test(name)) {
    return statesNothing(value) || /^(?:no|not|pending|false)\b/i.test(value)
      ? "draft"
      : "recorded";
  }
  if (!/^(?:\w+ )?(?:status|state|approval|approved|sign[ -]?off)$/i.test(name)) return "unsaid";
  if (NOT_APPROVED_PATTERN.test(value)) return "draft";
  return APPROVAL_PATTERN.test(value) ? "recorded" : "unsaid";
}

/**
 * The number of lines in which a file states its overall status; the status of its parts follows further
 * down.
 */
const MAX_HEAD_LINES = 40;

const CLOSED_PATTERN =
  /^\W*(?:closed|done|completed?|shipped|released|verified|archived|abandoned|fixed)\b/i;

function isClosed({ text }: MarkdownLine): boolean {
  const label = parseLabel(text);
  return /^status$/i.test(label?.name ?? "") && CLOSED_PATTERN.test(label?.value ?? "");
}

/** Matches headings that name the whole list rather than a part of it. */
const PLAIN_TITLE_PATTERN =
  /^(?:tasks?|task list|tasks? breakdown|implementation (?:plan|tasks)|plan|todo)$/i;

/** Lists boxes, except those below another box, which are that box's steps. */
function parseTasks(lines: readonly MarkdownLine[]): readonly Task[] {
  const tasks: Task[] = [];
  let group: string | null = null;
  let parent = Number.POSITIVE_INFINITY;
  for (const { level, isItem, indent, box, text } of lines) {
    if (level > 0) {
      group = level === 1 || PLAIN_TITLE_PATTERN.test(text) ? null : text;
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

/** Lists the lines that state how far the work has progressed. */
function listNotes(lines: readonly MarkdownLine[]): readonly string[] {
  return lines
    .filter(({ level, box, text }) => level === 0 && box !== "open" && !statesNothing(text))
    .map(({ text }) => text);
}

/** Returns true if the work is finished: every task is ticked, or an artifact states that it is closed. */
export function isFinished(states: readonly ArtifactState[]): boolean {
  const tasks = states.flatMap((state) => (state.artifact.role === "tasks" ? state.tasks : []));
  const ticked = tasks.length > 0 && tasks.every(({ state }) => state === "done");
  return ticked || states.some(({ closed }) => closed);
}

interface Mention {
  readonly workflow: Workflow;
  readonly stage: Stage;
}

/** Describes the stage that the session's own notes mention. */
export interface StageHint extends Mention {
  /**
   * The file that mentions the stage: SESSION.md states where the work is; AGENTS.md may merely describe how
   * work is done.
   */
  readonly from: "session" | "agents";
}

/** Finds the latest mention of a stage; SESSION.md counts before AGENTS.md. */
export function findStageHint(
  session: readonly MarkdownLine[],
  agents: readonly MarkdownLine[],
  workflows: readonly Workflow[],
): StageHint | null {
  const said = findMentions(orderTextsByTime(session), workflows).at(-1);
  if (said) return { ...said, from: "session" };
  const described = findMentions(orderTextsByTime(agents), workflows);
  const latest = described.at(-1);
  if (!latest) return null;
  // A page that goes through all stages describes the workflow and not the state of this session.
  const own = described.filter(({ workflow }) => workflow === latest.workflow);
  return new Set(own.map(({ stage }) => stage)).size > 2 ? null : { ...latest, from: "agents" };
}

function orderTextsByTime(lines: readonly MarkdownLine[]): readonly string[] {
  return orderPartsByTime(lines).flatMap((part) => part.map(({ text }) => text));
}

const ARROW_PATTERN = /->|=>|→|➜|»/;

/** Lists mentions in order, except in a line that names the whole sequence of stages. */
function findMentions(
  texts: readonly string[],
  workflows: readonly Workflow[],
): readonly Mention[] {
  const byName = new Map(
    workflows.flatMap((workflow) =>
      workflow.stages.map((stage) => [stage.name.toLowerCase(), { workflow, stage }] as const),
    ),
  );
  return texts.flatMap((text) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
    const found = words.flatMap((word) => byName.get(word) ?? []);
    const isWholeWay = new Set(found).size > 2 && ARROW_PATTERN.test(text);
    return isWholeWay ? [] : found;
  });
}

/** Describes a folder under a workflow's root, before its files are read. */
export interface WorkFolder {
  readonly workflow: Workflow;
  readonly name: string;
  /** The artifacts that exist. */
  readonly files: readonly { readonly file: string; readonly changedAtMs: number }[];
}

/** Holds the signs by which the session's work is chosen. */
export interface WorkSigns {
  readonly hint: StageHint | null;
  /** Returns the position at which SESSION.md last names a folder; -1 if it doesn't. */
  readonly named: (folder: WorkFolder) => number;
  /** Paths that the session read or edited, newest first. */
  readonly touched: readonly string[];
}

/**
 * Finds the position at which SESSION.md last names a folder. A plain word counts as a name only within a
 * path.
 */
export function createNameLookup(session: string): WorkSigns["named"] {
  const words = new Map<string, number>();
  for (const { 0: word, index } of session.matchAll(/[\p{L}\p{N}._-]+/gu)) {
    words.set(word.replace(/\.+$/, ""), index);
  }
  return ({ workflow, name }) => {
    const at = words.get(name) ?? -1;
    if (at === -1 || /[-_\d]/.test(name)) return at;
    return session.lastIndexOf(`${workflow.root}/${name}`);
  };
}

/** Ranks a newer touch higher; 0 means that the folder was not touched. */
function rankTouch({ workflow, name }: WorkFolder, { touched }: WorkSigns): number {
  const at = touched.findIndex((path) => path.includes(`${workflow.root}/${name}/`));
  return at === -1 ? 0 : touched.length - at;
}

/** Lists the folders that may be the session's work, likeliest first. */
export function listCandidates(
  folders: readonly WorkFolder[],
  signs: WorkSigns,
): readonly WorkFolder[] {
  const { hint } = signs;
  const hinted = folders.filter(({ workflow }) => workflow === hint?.workflow);
  const fitting = hinted.length > 0 || hint?.from === "session" ? hinted : folders;
  return fitting
    .map((folder) => ({ folder, score: scoreFolder(folder, signs) }))
    .sort((left, right) => compareKeys(right.score, left.score))
    .map(({ folder }) => folder);
}

/**
 * Lists a folder's signs, strongest first: named in SESSION.md, touched, fit for the stage, newest change,
 * completeness.
 */
function scoreFolder(folder: WorkFolder, signs: WorkSigns): readonly (number | string)[] {
  const isFit = folder.files.some(({ file }) => file === signs.hint?.stage.artifact);
  const changed = Math.max(...folder.files.map(({ changedAtMs }) => changedAtMs));
  return [
    signs.named(folder),
    rankTouch(folder, signs),
    isFit ? 1 : 0,
    // A checkout stamps all files within moments, so differences of less than a minute mean nothing.
    Math.floor(changed / 60_000),
    folder.files.length,
    folder.name,
  ];
}

function compareKeys(
  left: readonly (number | string)[],
  right: readonly (number | string)[],
): number {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
}

/** Describes the workflow that a session is following. */
export interface RecognisedWork extends Mention {
  /** The folder; null if the workflow is only mentioned in words and no folder exists. */
  readonly folder: WorkFolder | null;
  readonly artifacts: readonly ArtifactState[];
}

/**
 * Chooses the session's work among the likeliest candidates, whose artifacts have been read; returns null for a
 * session without a workflow. Finished work that was neither named nor touched doesn't belong to the session.
 */
export function recogniseWork(
  read: readonly { readonly folder: WorkFolder; readonly artifacts: readonly ArtifactState[] }[],
  signs: WorkSigns,
): RecognisedWork | null {
  const hint = signs.hint;
  const fromWords = hint?.from === "session" ? hint : null;
  const own = read.find(({ folder }) => signs.named(folder) >= 0 || rankTouch(folder, signs) > 0);
  const unfinished = read.find(({ artifacts }) => !isFinished(artifacts));
  const found = own ?? unfinished ?? (fromWords ? read[0] : undefined);
  if (!found) return fromWords && { ...fromWords, folder: null, artifacts: [] };
  const { workflow } = found.folder;
  const stage = hint?.workflow === workflow ? hint.stage : inferStage(workflow, found.artifacts);
  return stage && { workflow, stage, ...found };
}

/** Returns the stage that the artifacts imply: that of the last one, or the next if the last is complete. */
function inferStage(workflow: Workflow, artifacts: readonly ArtifactState[]): Stage | null {
  const last = artifacts.at(-1);
  if (!last) return null;
  const noted = findMentions(last.notes, [workflow]).at(-1);
  if (noted) return noted.stage;
  const rank = findStageIndex(workflow, last.artifact.stage);
  return (isComplete(last) ? workflow.stages[rank + 1] : null) ?? workflow.stages[rank] ?? null;
}

function isComplete({ artifact, approval, tasks }: ArtifactState): boolean {
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
