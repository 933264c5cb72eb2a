// Memories and notes as people read them.
import { inLine } from "../recall/quote.ts";
import { ago, count } from "../status/wording.ts";
import { noteLine } from "./note-answers.ts";
import { CATEGORIES, type Memory, type Note, type Project, type ReadableMemory } from "./record.ts";

export interface Listed {
  readonly project: Pick<Project, "name">;
  readonly memories: readonly Memory[];
  /** Of other projects of the workspace. */
  readonly shared: readonly ReadableMemory[];
  readonly notes: readonly Note[];
}

export function listText({ project, memories, shared, notes }: Listed): string {
  if (memories.length + shared.length + notes.length === 0) {
    return `Nothing is known of ${project.name} yet.`;
  }
  const groups = CATEGORIES.flatMap((category) => {
    const own = memories.filter((memory) => memory.category === category).map(ownLine);
    const others = shared.filter((memory) => memory.category === category).map(sharedLine);
    const lines = [...own, ...others];
    return lines.length === 0 ? [] : [[category, ...lines].join("\n")];
  });
  const open = notes.length === 0 ? [] : [["Open notes", ...notes.map(listNote)].join("\n")];
  return [`${memoryCount(memories.length)} of ${project.name}`, ...groups, ...open].join("\n\n");
}

/** "1 memory", "1,200 memories" */
export function memoryCount(value: number): string {
  return `${count(value)} ${value === 1 ? "memory" : "memories"}`;
}

export function showText(memory: Memory, nowMs: number): string {
  const { ref, category, text, importance, permanence, by, sessionId, uses } = memory;
  const used =
    memory.usedAtMs === null
      ? "never used"
      : `used ${count(uses)} times, last ${ago(memory.usedAtMs, nowMs)}`;
  return [
    inLine(text),
    "",
    `${ref}, ${category}, importance ${importance}, ${permanence}, ${memory.state.kind}`,
    `written ${ago(memory.writtenAtMs, nowMs)} by ${by}${sessionId === null ? "" : ` in ${sessionId}`}`,
    `changed ${ago(memory.changedAtMs, nowMs)}, found true ${ago(memory.checkedAtMs, nowMs)}, ${used}`,
  ].join("\n");
}

function ownLine({ ref, text, importance, permanence, state }: Memory): string {
  const marks = [
    String(importance),
    ...(permanence === "permanent" ? ["permanent"] : []),
    ...(state.kind === "active" ? [] : [state.kind]),
  ];
  return `  ${ref}  ${inLine(text)} (${marks.join(", ")})`;
}

function sharedLine({ ref, text, sharedBy }: ReadableMemory): string {
  return `  ${ref}  ${inLine(text)} (of ${inLine(sharedBy ?? "")})`;
}

function listNote(note: Note): string {
  return `  ${noteLine(note)}`;
}
