// What members of a team share of a project: a memory, a note, or the mark of a deleted one.
// Folder: A team's store: a local copy, an outbox, and what keeps them in step with PostgreSQL.
import {
  AUTHORS,
  type Author,
  CATEGORIES,
  type MemoryId,
  type MemoryState,
  type Permanence,
  type ProjectId,
  type Wording,
} from "../memory/record.ts";
import { fingerprint } from "../memory/similar.ts";

/** Without its session, its ref and its count of uses: those are of one machine. */
export interface SharedMemory extends Wording {
  readonly kind: "memory";
  readonly id: MemoryId;
  readonly project: ProjectId;
  /** Who gave it its present form; null: not known. */
  readonly member: string | null;
  readonly state: MemoryState;
  readonly by: Author;
  readonly writtenAtMs: number;
  readonly changedAtMs: number;
  readonly checkedAtMs: number;
  readonly usedAtMs: number | null;
}

/** A note for every session of the project. */
export interface SharedNote {
  readonly kind: "note";
  readonly id: string;
  readonly project: ProjectId;
  readonly member: string | null;
  readonly text: string;
  readonly by: Author;
  readonly writtenAtMs: number;
  /** Null: it is open. */
  readonly doneAtMs: number | null;
}

/** It was deleted for good: nothing brings it back, and nothing of what it said is kept. */
export interface Gone {
  readonly kind: "gone";
  readonly id: string;
  readonly project: ProjectId;
  readonly member: string | null;
}

export type Item = SharedMemory | SharedNote | Gone;

export function digestOf(item: Pick<SharedMemory, "text">): string {
  return fingerprint(item.text).digest;
}

/** Newer versions may write longer texts than this one; none is as long, and each goes into a database of ours. */
const MOST_CHARS = 20_000;

/** What another member's machine has written, as an item; null: it is none that this version can read. */
export function readItem(value: unknown): Item | null {
  if (typeof value !== "object" || value === null) return null;
  const field = (name: string): unknown => Reflect.get(value, name);
  const [id, project, member, text] = ["id", "project", "member", "text"].map(field);
  if (typeof id !== "string" || id === "" || typeof project !== "string") return null;
  if (member !== null && typeof member !== "string") return null;
  const base = { id, project: project as ProjectId, member };
  if (field("kind") === "gone") return { ...base, kind: "gone" };
  const by = AUTHORS.find((one) => one === field("by"));
  const writtenAtMs = timeOf(field("writtenAtMs"));
  if (typeof text !== "string" || by === undefined || writtenAtMs === null) return null;
  if (text === "" || text.length > MOST_CHARS) return null;
  const said = { ...base, text, by, writtenAtMs };
  if (field("kind") === "note") {
    return { ...said, kind: "note", doneAtMs: timeOf(field("doneAtMs")) };
  }
  return field("kind") === "memory" ? readMemory({ ...said, id: id as MemoryId }, field) : null;
}

function readMemory(
  said: Pick<SharedMemory, "id" | "project" | "member" | "text" | "by" | "writtenAtMs">,
  field: (name: string) => unknown,
): SharedMemory | null {
  const category = CATEGORIES.find((one) => one === field("category"));
  const importance = field("importance");
  const state = stateOf(field("state"));
  const changedAtMs = timeOf(field("changedAtMs"));
  const checkedAtMs = timeOf(field("checkedAtMs"));
  if (category === undefined || state === null || changedAtMs === null || checkedAtMs === null) {
    return null;
  }
  if (!isImportance(importance)) return null;
  const permanence: Permanence = field("permanence") === "permanent" ? "permanent" : "ordinary";
  const times = { changedAtMs, checkedAtMs, usedAtMs: timeOf(field("usedAtMs")) };
  return { ...said, kind: "memory", category, importance, permanence, state, ...times };
}

function isImportance(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100;
}

function stateOf(value: unknown): MemoryState | null {
  if (typeof value !== "object" || value === null) return null;
  const kind: unknown = Reflect.get(value, "kind");
  const by: unknown = Reflect.get(value, "by");
  if (kind === "active" || kind === "archived") return { kind };
  return kind === "superseded" && typeof by === "string" ? { kind, by: by as MemoryId } : null;
}

function timeOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null;
}
