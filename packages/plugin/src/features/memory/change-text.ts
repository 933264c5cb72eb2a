// Describes the results of changes to memories and notes, and parses a session's own calls from them.
import { toSingleLine } from "../../context/frames.ts";
import type { Ref } from "../../ledger/ref.ts";
import { type ChangeResult, formatMemoryName } from "./actions.ts";
import type { ListCall } from "./list-source.ts";
import type { Memory } from "./record.ts";
import { cleanText, MAX_MEMORY_CHARS, MAX_NOTE_CHARS } from "./text.ts";

/** The reader of an answer: a model knows memories by their refs, a person by their numbers. */
type Audience = "model" | "person";

export function renderChange(changed: ChangeResult, reader: Audience): string {
  const formatNames = (...memories: readonly Memory[]) => formatMemoryNames(memories, reader);
  switch (changed.kind) {
    case "stored":
      // The model has named the category itself, and pays for each word.
      return reader === "model"
        ? renderStoredAnswer(changed.memory.ref)
        : `Stored as ${formatNames(changed.memory)}, under ${changed.memory.category}.`;
    case "known":
      return changed.words === "taken"
        ? `Already stored as ${formatNames(changed.memory)}, which now has your words.`
        : `Already stored as ${formatNames(changed.memory)}: ${toSingleLine(changed.memory.text)}`;
    case "updated":
      return `Updated ${formatNames(changed.memory)}.`;
    case "merged into":
      return `${capitalize(formatNames(changed.into))} says this already: ${formatNames(changed.memory)} was merged into it.`;
    case "merged":
      return `Merged as ${formatNames(changed.memory)}, in place of ${formatNames(...changed.of)}.`;
    case "restored":
      return `Restored ${formatNames(changed.memory)}.`;
    case "stands":
      return `${capitalize(formatNames(changed.memory))} says this already.`;
    case "archived":
      return `Archived ${formatNames(...changed.memories)}.`;
    case "confirmed":
      return `Confirmed ${formatNames(...changed.memories)}. Sessions get it from their next call on.`;
    case "deleted":
      return `Deleted ${formatNames(...changed.memories)} for good.`;
  }
}

export const JOINED_ANSWER =
  "Joined: this clone now uses the memories of the project with the same first commit. What was stored for this clone was moved there.";

/** Returns the answer for a stored memory or note. */
export function renderStoredAnswer(ref: Ref): string {
  return `Stored as ${ref}.`;
}

/** Lists the notes that were finished, and the given words that name no open note. */
export interface FinishedNotes {
  readonly done: readonly Ref[];
  readonly unknown: readonly string[];
}

export function renderFinishedNotes({ done, unknown }: FinishedNotes): string {
  return [`Done: ${done.join(", ")}.`, renderUnknownNotes(unknown)].join(" ").trim();
}

export function renderUnknownNotes(unknown: readonly string[]): string {
  return unknown.length === 0 ? "" : `No open note: ${unknown.join(", ")}.`;
}

function formatMemoryNames(memories: readonly Memory[], reader: Audience): string {
  if (reader === "model") return memories.map(({ ref }) => ref).join(", ");
  const names = memories.map(formatMemoryName).join(", ");
  return memories.length === 1 ? `memory ${names}` : `memories ${names}`;
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const REF_PATTERN = /\b[mn]:[0-9a-hjkmnp-tv-z]{6}/g;

/** Parses a successful call of `ctx_memory` from its input and output, which are all that a history keeps. */
export function readMemoryCall(input: object, output: string): ListCall {
  const cleaned = cleanText(readText(input), MAX_MEMORY_CHARS);
  const [ref = null, ...others] = output.match(REF_PATTERN) ?? [];
  const said = new Map(
    ref !== null && cleaned.kind === "clean" && /^(?:Stored as|Updated|Merged as) /.test(output)
      ? [[ref, cleaned.text]]
      : [],
  );
  if (output.startsWith("Archived ")) return { said, gone: ref === null ? [] : [ref, ...others] };
  return { said, gone: output.startsWith("Merged as ") ? others : [] };
}

/** Parses a successful call of `ctx_note`; older histories have `Noted` in place of `Stored`. */
export function readNoteCall(input: object, output: string): ListCall {
  const cleaned = cleanText(readText(input), MAX_NOTE_CHARS);
  const added = /(?:Stored|Noted) as (n:\w{6})\./.exec(output)?.[1];
  const done = /Done: ([^.]*)\./.exec(output)?.[1]?.match(REF_PATTERN) ?? [];
  const said =
    added !== undefined && cleaned.kind === "clean" ? [[added, cleaned.text] as const] : [];
  return { said: new Map(said), gone: done };
}

function readText(input: object): string {
  const text: unknown = Reflect.get(input, "text");
  return typeof text === "string" ? text : "";
}
