// `core/due-notes`: the notes whose condition has held, until they are done. Pure.
import * as z from "zod";
import type { Loaded, SourceDefinition } from "../context/source.ts";
import { inLine } from "../recall/quote.ts";
import { conditionWords } from "./condition.ts";
import type { SmartNote } from "./table.ts";

export const dueNotesKey = "core/due-notes";

const itemSchema = z.object({ ref: z.string(), text: z.string(), because: z.string() });
const listSchema = z.object({ items: z.array(itemSchema).readonly() });

/** Oldest first. */
export type DueList = z.infer<typeof listSchema>;

type DueItem = z.infer<typeof itemSchema>;

export function dueListOf(notes: readonly SmartNote[]): DueList {
  const items = notes.map(
    ({ ref, text, condition }): DueItem => ({ ref, text, because: conditionWords(condition) }),
  );
  return { items };
}

export function dueNotesSource(load: () => Loaded<DueList>): SourceDefinition<DueList> {
  return { key: dueNotesKey, schema: listSchema, load, baseline, update, removed };
}

function baseline({ items }: DueList): string {
  return framed([
    "Notes that are due; ctx_remind takes one off when it is done.",
    ...items.map(line),
  ]);
}

function update(previous: DueList, current: DueList): string {
  const before = new Set(previous.items.map(({ ref }) => ref));
  const now = new Set(current.items.map(({ ref }) => ref));
  const fresh = current.items.filter(({ ref }) => !before.has(ref)).map(line);
  const gone = previous.items.filter(({ ref }) => !now.has(ref)).map(({ ref }) => ref);
  const done = gone.length === 0 ? [] : [`Done: ${gone.join(", ")}`];
  return fresh.length + done.length === 0
    ? baseline(current)
    : framed([fresh.length === 0 ? "Due notes have changed." : "Now due:", ...fresh, ...done]);
}

function removed(): string {
  return "No notes are due any more.";
}

function line({ ref, text, because }: DueItem): string {
  return `- [${ref}] ${inLine(text)} (${inLine(because)})`;
}

function framed(lines: readonly string[]): string {
  return ["<due-notes>", ...lines, "</due-notes>"].join("\n");
}
