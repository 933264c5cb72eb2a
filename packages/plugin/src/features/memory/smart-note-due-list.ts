// `core/due-notes`: the notes whose condition has held, until they are done. Pure.
import * as z from "zod";
import { toSingleLine } from "../../context/neutralize.ts";
import type { LoadResult, SourceDefinition } from "../../context/source.ts";
import { listTexts } from "./list-source.ts";
import { describeCondition } from "./smart-note-condition.ts";
import type { SmartNote } from "./smart-note-store.ts";

const itemSchema = z.object({ ref: z.string(), text: z.string(), because: z.string() });
const listSchema = z.object({ items: z.array(itemSchema).readonly() });

/** Due notes, oldest first. */
type DueList = z.infer<typeof listSchema>;

type DueItem = z.infer<typeof itemSchema>;

export function toDueList(notes: readonly SmartNote[]): DueList {
  const items = notes.map(
    ({ ref, text, condition }): DueItem => ({ ref, text, because: describeCondition(condition) }),
  );
  return { items };
}

const texts = listTexts<DueItem>({
  frame: "due-notes",
  head: "Notes that are due; when one is done, close it by its ref.",
  line: ({ ref, text, because }) => `- [${ref}] ${toSingleLine(text)} (${toSingleLine(because)})`,
  knownBy: ({ ref }) => ref,
  changed: (fresh) => (fresh === 0 ? "Due notes have changed." : "Now due:"),
  gone: "Done",
  removed: "No notes are due any more.",
});

export function dueNotesSource(
  load: () => LoadResult<DueList> | Promise<LoadResult<DueList>>,
): SourceDefinition<DueList> {
  return { key: "core/due-notes", schema: listSchema, load, ...texts };
}
