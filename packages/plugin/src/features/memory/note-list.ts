// `core/notes`: the open notes that a session is shown until they are done. Pure.
import * as z from "zod";
import { toSingleLine } from "../../context/neutralize.ts";
import type { LoadResult, SourceDefinition } from "../../context/source.ts";
import { listTexts } from "./list-source.ts";
import type { Note } from "./schema.ts";

const itemSchema = z.object({
  ref: z.string(),
  text: z.string(),
  scope: z.enum(["session", "project"]),
});

export type ListedNote = z.infer<typeof itemSchema>;

const listSchema = z.object({ items: z.array(itemSchema).readonly() });

/** Notes of the list, oldest first. */
export type NoteList = z.infer<typeof listSchema>;

/** A list shows at most this many; older ones come first, as newer ones wait for them. */
const MAX_NOTES = 30;

export function buildNoteList(notes: readonly Note[]): NoteList {
  const items = notes.slice(0, MAX_NOTES).map(
    ({ ref, text, sessionId }): ListedNote => ({
      ref,
      text,
      scope: sessionId === null ? "project" : "session",
    }),
  );
  return { items };
}

const renderLine = ({ ref, text, scope }: ListedNote) =>
  `- [${ref}]${scope === "project" ? " (project)" : ""} ${toSingleLine(text)}`;

const texts = listTexts<ListedNote>({
  frame: "open-notes",
  head: "Open notes; when one is done, close it by its ref.",
  line: renderLine,
  knownBy: renderLine,
  changed: () => "Open notes have changed.",
  gone: "Done",
  removed: "There are no open notes any more.",
});

export function notesSource(
  load: () => LoadResult<NoteList> | Promise<LoadResult<NoteList>>,
): SourceDefinition<NoteList> {
  return { key: "core/notes", schema: listSchema, load, ...texts };
}
