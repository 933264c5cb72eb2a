// Defines the items of a project that a team shares: a memory, a note, or the mark of a deleted item.
// Folder: A team's store: a local copy, an outbox, and what keeps them in step with PostgreSQL; only where an
// address is set.
import * as z from "zod";
import type { ProjectId } from "../../project/project.ts";
import { renderCount } from "../../status/wording.ts";
import {
  AUTHORS,
  type Author,
  CATEGORIES,
  MAX_MODEL_IMPORTANCE,
  type MemoryId,
  SOURCES,
  type Source,
} from "../memory/record.ts";
import { fingerprint } from "../memory/similar.ts";
import { cleanText, MAX_MEMORY_CHARS, MAX_NOTE_CHARS } from "../memory/text.ts";

/**
 * The most characters of a text that is taken into our database. Newer versions may write longer texts than
 * this version, but none this long.
 */
const MAX_CHARS = 20_000;

const idSchema = z.string().min(1);
const memoryIdSchema = z.string().transform((written) => written as MemoryId);
const projectSchema = z.string().transform((written) => written as ProjectId);
const timeMsSchema = z.int();
const nullableTimeMsSchema = timeMsSchema.nullable().catch(null);

const sharedFields = {
  project: projectSchema,
  /** The member who gave the item its present form; null if unknown. */
  member: z.string().nullable(),
};
const textFields = {
  text: z.string().min(1).max(MAX_CHARS),
  by: z.enum(AUTHORS),
  writtenAtMs: timeMsSchema,
};

const stateSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("active") }),
  z.object({ kind: z.literal("candidate") }),
  z.object({ kind: z.literal("superseded"), by: memoryIdSchema }),
  z.object({ kind: z.literal("archived") }),
]);

/** A memory without its session, its ref and its count of uses, which belong to one machine. */
const memorySchema = z
  .object({
    kind: z.literal("memory"),
    id: idSchema.pipe(memoryIdSchema),
    ...sharedFields,
    ...textFields,
    category: z.enum(CATEGORIES),
    importance: z.int().min(0).max(100),
    permanence: z.enum(["ordinary", "permanent"]).catch("ordinary"),
    /** Missing in items from earlier versions, which have no source. */
    source: z.enum(SOURCES).optional(),
    state: stateSchema,
    changedAtMs: timeMsSchema,
    checkedAtMs: timeMsSchema,
    usedAtMs: nullableTimeMsSchema,
  })
  .transform((read) => {
    const source = read.source ?? resolveAuthorSource(read.by);
    const most = source === "user" ? 100 : MAX_MODEL_IMPORTANCE;
    return {
      ...read,
      source,
      importance: Math.min(read.importance, most),
      state: repairState(read),
    };
  });

interface ItemMetadata {
  readonly by: Author;
  readonly source?: Source | undefined;
  readonly state: z.output<typeof stateSchema>;
}

/** A version that doesn't know of candidates took everything that the historian found for a fact. */
function repairState({ by, source, state }: ItemMetadata): ItemMetadata["state"] {
  const isUnproven = source === undefined && by === "historian" && state.kind === "active";
  return isUnproven ? { kind: "candidate" } : state;
}

function resolveAuthorSource(by: Author): Source {
  return by === "user" || by === "import" ? "user" : "session";
}

/** A note for every session of the project; a note that isn't done is open. */
const noteSchema = z.object({
  kind: z.literal("note"),
  id: idSchema,
  ...sharedFields,
  ...textFields,
  doneAtMs: nullableTimeMsSchema,
});

/** Marks an item that was deleted for good: nothing restores it, and nothing of its text is kept. */
const deletedItemSchema = z.object({ kind: z.literal("gone"), id: idSchema, ...sharedFields });

const itemSchema = z.discriminatedUnion("kind", [memorySchema, noteSchema, deletedItemSchema]);

export type SharedMemory = Readonly<z.infer<typeof memorySchema>>;
export type SharedNote = Readonly<z.infer<typeof noteSchema>>;
export type DeletedItem = Readonly<z.infer<typeof deletedItemSchema>>;
export type Item = SharedMemory | SharedNote | DeletedItem;

export function digestItem(item: Pick<SharedMemory, "text">): string {
  return fingerprint(item.text).digest;
}

/** Parses an item that another member's machine has written; returns null if this version can't read it. */
export function readItem(value: unknown): Item | null {
  return itemSchema.safeParse(value).data ?? null;
}

// Tests whether an item may pass between this machine and the team's store, as if it were written here. Pure.

/** Accepts one line of a permitted length, without control characters or anything like a secret. */
export function isShareable(item: Item): boolean {
  if (item.kind === "gone") return true;
  const cleaned = cleanText(item.text, item.kind === "note" ? MAX_NOTE_CHARS : MAX_MEMORY_CHARS);
  return cleaned.kind === "clean" && cleaned.text === item.text;
}

/** Describes in the status how many items were left out. */
export function describeOmittedItems(items: number, way: "not sent to" | "not taken from"): string {
  const [were, have] = items === 1 ? ["was", "it has"] : ["were", "they have"];
  return `${renderCount(items, "item")} ${were} ${way} the store: ${have} a secret, a line break or too much text`;
}
