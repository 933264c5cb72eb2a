// `core/notes`: the open notes that a session is shown until they are done. Pure.
import * as z from "zod";
import type { Loaded, SourceDefinition } from "../context/source.ts";
import { inLine } from "../recall/quote.ts";
import type { Note } from "./record.ts";

export const notesKey = "core/notes";

const itemSchema = z.object({
  ref: z.string(),
  text: z.string(),
  scope: z.enum(["session", "project"]),
});

export type ListedNote = z.infer<typeof itemSchema>;

const listSchema = z.object({ items: z.array(itemSchema).readonly() });

/** Oldest first. */
export type NoteList = z.infer<typeof listSchema>;

/** So many are shown; older ones first, as newer ones wait for them. */
export const MOST_NOTES = 30;

export function noteListOf(notes: readonly Note[]): NoteList {
  const items = notes.slice(0, MOST_NOTES).map(
    ({ ref, text, sessionId }): ListedNote => ({
      ...{ ref, text, scope: sessionId === null ? "project" : "session" },
    }),
  );
  return { items };
}

export function notesSource(
  load: () => Loaded<NoteList> | Promise<Loaded<NoteList>>,
): SourceDefinition<NoteList> {
  return { key: notesKey, schema: listSchema, load, baseline, update, removed };
}

function baseline({ items }: NoteList): string {
  return framed(["Open notes; ctx_note takes one off when it is done.", ...items.map(line)]);
}

function update(previous: NoteList, current: NoteList): string {
  const before = new Set(previous.items.map(line));
  const now = new Set(current.items.map(({ ref }) => ref));
  const fresh = current.items.map(line).filter((one) => !before.has(one));
  const gone = previous.items.filter(({ ref }) => !now.has(ref)).map(({ ref }) => ref);
  const done = gone.length === 0 ? [] : [`Done: ${gone.join(", ")}`];
  if (fresh.length + done.length === 0) return baseline(current);
  return framed(["Open notes have changed.", ...fresh, ...done]);
}

function removed(): string {
  return "There are no open notes any more.";
}

function line({ ref, text, scope }: ListedNote): string {
  return `- [${ref}]${scope === "project" ? " (project)" : ""} ${inLine(text)}`;
}

function framed(lines: readonly string[]): string {
  return ["<open-notes>", ...lines, "</open-notes>"].join("\n");
}
