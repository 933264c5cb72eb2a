// Renders memories and notes for people, in replies and in the status.
import { toSingleLine } from "../../context/frames.ts";
import type { Project } from "../../project/project.ts";
import type { SeparatedClone } from "../../project/store.ts";
import type { ReadSection } from "../../status/section.ts";
import { formatAgo, formatCount, renderCount, wrap } from "../../status/wording.ts";
import { formatMemoryName, isCandidate } from "./actions.ts";
import { renderNoteLine } from "./note-answers.ts";
import { CATEGORIES, type MemberNames, type Memory, type ReadableMemory } from "./record.ts";
import type { Note } from "./schema.ts";

interface MemoryListing {
  readonly project: Pick<Project, "name">;
  readonly memories: readonly Memory[];
  readonly members: MemberNames;
  /** The memories that other projects of the workspace share. */
  readonly shared: readonly ReadableMemory[];
  readonly notes: readonly Note[];
  /** The clone whose memories are kept apart from this project's; null if there is none. */
  readonly apart: SeparatedClone | null;
}

/** Suggests what to do next, in the words of the surface that shows the list. */
interface ListHints {
  /** Shown if nothing is stored. */
  readonly empty: string;
  readonly full: string;
  /** Names the command that joins a clone with the project from which it is kept apart. */
  readonly join: string;
}

export function renderMemoryList(listed: MemoryListing, hints: ListHints): string {
  const { project, shared, notes, apart } = listed;
  const standing =
    apart === null ? [] : [wrapText("", `${describeClone(apart)} ${hints.join} makes them one.`)];
  if (listed.memories.length + shared.length + notes.length === 0) {
    return [`Nothing is stored about ${project.name} yet. ${hints.empty}`, ...standing].join(
      "\n\n",
    );
  }
  const candidates = listed.memories.filter(isCandidate);
  const memories = listed.memories.filter((memory) => !isCandidate(memory));
  const names = selectMemberNames(listed);
  const width = Math.max(1, ...listed.memories.map((memory) => formatMemoryName(memory).length));
  const formatHead = (memory: Memory) => `  ${formatMemoryName(memory).padStart(width)}  `;
  const renderMemoryLine = (memory: Memory) =>
    wrapText(formatHead(memory), renderOwnMemory(memory, names.get(memory.id) ?? null));
  const renderSharedMemory = (memory: ReadableMemory) =>
    wrapText(
      " ".repeat(width + 4),
      `${toSingleLine(memory.text)} (of ${toSingleLine(memory.sharedBy ?? "")})`,
    );
  const groups = CATEGORIES.flatMap((category) => {
    const own = memories.filter((memory) => memory.category === category).map(renderMemoryLine);
    const others = shared.filter((memory) => memory.category === category).map(renderSharedMemory);
    const lines = [...own, ...others];
    return lines.length === 0 ? [] : [[category, ...lines].join("\n")];
  });
  const waiting = candidates.map((memory) =>
    wrapText(
      formatHead(memory),
      `${toSingleLine(memory.text)} (${memory.category}, ${describeEvidence(memory)})`,
    ),
  );
  const found = waiting.length === 0 ? [] : [[CANDIDATES_HEADING, ...waiting].join("\n")];
  const open = notes.length === 0 ? [] : [["Open notes", ...notes.map(renderNote)].join("\n")];
  const scale = memories.length === 0 ? "" : "In brackets: importance, from 0 to 100. ";
  return [
    `${renderMemoryCount(memories.length)} of ${project.name}${renderCandidateCount(candidates.length)}`,
    ...groups,
    ...found,
    ...open,
    ...standing,
    wrap("", `${scale}${hints.full}`).join("\n"),
  ].join("\n\n");
}

const MAX_NAME_CHARS = 60;

/** Returns the name of the other clone's project on one line, shortened for people. */
export function renderCloneName({ name }: SeparatedClone): string {
  return toSingleLine(name).slice(0, MAX_NAME_CHARS);
}

export function describeClone(apart: SeparatedClone): string {
  return `This clone comes from ${toSingleLine(apart.remote)}, and ${renderCloneName(apart)} with the same first commit from ${toSingleLine(apart.ownRemote)}. Their memories are kept apart.`;
}

/** Renders a number of memories: "1 memory", "1,200 memories". */
export function renderMemoryCount(value: number): string {
  return `${formatCount(value)} ${value === 1 ? "memory" : "memories"}`;
}

const CANDIDATES_HEADING = "Candidates: no session gets these until you confirm them";

/** Renders a number of candidates: ", 2 candidates"; returns an empty text if there are none. */
function renderCandidateCount(value: number): string {
  return value === 0 ? "" : `, ${renderCount(value, "candidate")}`;
}

/** Describes to people whose words a memory rests on. */
function describeEvidence({ source }: Memory): string {
  switch (source) {
    case "user":
      return "written by a person";
    case "prompt":
      return "said by a user";
    case "session":
      return "said by the model";
    case "tool":
      return "found in the output of a tool";
  }
}

/** @param member who gave the memory its present form; null without a team, or if the member is unknown */
export function renderMemoryDetails(memory: Memory, member: string | null, nowMs: number): string {
  const { number, ref, category, text, importance, permanence, by, sessionId, uses } = memory;
  const used =
    memory.usedAtMs === null
      ? "never used"
      : `used ${renderCount(uses, "time")}, last ${formatAgo(memory.usedAtMs, nowMs)}`;
  return [
    toSingleLine(text),
    "",
    `${number === null ? "" : `memory ${number}, `}${ref}, ${category}, importance ${importance}, ${permanence}, ${memory.state.kind}`,
    `written ${formatAgo(memory.writtenAtMs, nowMs)} by ${by}${sessionId === null ? "" : ` in ${sessionId}`}`,
    `${describeEvidence(memory)}${memory.segment === null ? "" : `, in the segment ${memory.segment}`}`,
    `changed ${formatAgo(memory.changedAtMs, nowMs)}${renderAuthor(member)}, confirmed ${formatAgo(memory.checkedAtMs, nowMs)}, ${used}`,
  ].join("\n");
}

/** Returns members' names only if more than one of them has written memories. */
function selectMemberNames({ memories, members }: MemoryListing): MemberNames {
  const known = memories.flatMap(({ id }) => members.get(id) ?? []);
  return new Set(known).size > 1 ? members : new Map();
}

function renderAuthor(member: string | null): string {
  return member === null ? "" : ` by ${toSingleLine(member)}`;
}

function renderOwnMemory(memory: Memory, member: string | null): string {
  const { text, importance, permanence, state } = memory;
  const marks = [
    String(importance),
    ...(permanence === "permanent" ? ["permanent"] : []),
    ...(state.kind === "active" ? [] : [state.kind]),
    ...(member === null ? [] : [`by ${toSingleLine(member)}`]),
  ];
  return `${toSingleLine(text)} (${marks.join(", ")})`;
}

function renderNote(note: Note): string {
  return wrapText("  ", renderNoteLine(note));
}

/** Wraps the text, and aligns its later lines with the first. */
function wrapText(head: string, text: string): string {
  return wrap(head, text).join("\n");
}

// Reports a project's memories and a session's notes in the status.

export const readMemorySection: ReadSection = (driver) => (sessionId) => {
  const row = driver.get(SELECT_COUNTS, sessionId, sessionId, sessionId, sessionId);
  const [active, own, notes] = [Number(row?.active), Number(row?.own), Number(row?.notes)];
  const candidates = Number(row?.candidates);
  if (active + own + notes + candidates === 0) return null;
  const written = own === 0 ? "" : ` (${formatCount(own)} written by this session)`;
  return {
    label: "Memory",
    text: `${renderMemoryCount(active)} of this project${written}${renderCandidateCount(candidates)}, ${renderCount(notes, "open note")}.`,
    ...(row?.newest != null && { mark: { word: "remembered", atMs: Number(row.newest) } }),
    short: [renderMemoryCount(active), ...(notes === 0 ? [] : [renderCount(notes, "note")])].join(
      ", ",
    ),
  };
};

/** A session's project is the one that last worked in the folder of the session's newest epoch. */
const SELECT_COUNTS = `
  WITH place AS (
    SELECT directory, worktree FROM epoch WHERE session_id = ? ORDER BY seq DESC LIMIT 1
  ), project AS (
    SELECT project AS id FROM project_place, place
    WHERE project_place.worktree IN (place.worktree, place.directory)
    ORDER BY project_place.seen_at_ms DESC LIMIT 1
  )
  SELECT
    (SELECT count(*) FROM memory WHERE project = (SELECT id FROM project) AND state = 'active')
      AS active,
    (SELECT count(*) FROM memory WHERE project = (SELECT id FROM project) AND candidate = 1)
      AS candidates,
    (SELECT count(*) FROM memory WHERE session_id = ? AND state = 'active'
      AND project = (SELECT id FROM project)) AS own,
    (SELECT max(written_at_ms) FROM memory WHERE session_id = ? AND state = 'active') AS newest,
    (SELECT count(*) FROM note WHERE project = (SELECT id FROM project) AND state = 'open'
      AND condition IS NULL AND (session_id IS NULL OR session_id = ?)) AS notes`;
