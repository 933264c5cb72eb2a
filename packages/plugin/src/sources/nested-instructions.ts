// `core/nested-instructions/…`: files that the host appended to a read.
import * as z from "zod";
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  toWellFormed,
  Unavailable,
} from "../context/source.ts";
import { mapMaybePromise } from "../context/system-context.ts";
import { type FileCache, type FileObservation, type FileText, isFileText } from "./file-cache.ts";
import { instructionHead } from "./host-blocks.ts";
import { renderEntry } from "./instruction-text.ts";

/** Encodes a nested instruction for a snapshot. */
export const nestedSchema = z.object({ path: z.string(), content: z.string() });

/** An instruction file that the host appended to the result of a read tool. */
export type NestedInstruction = z.infer<typeof nestedSchema>;

/** Builds a key from 16 hex digits of `hash`, because a path itself is not a valid key. */
export function toNestedKey(path: string, hash: (text: string) => string): string {
  return `core/nested-instructions/${hash(path)}`;
}

export function createNestedSource(
  path: string,
  { files, hash }: { readonly files: FileCache; readonly hash: (text: string) => string },
): SourceDefinition<NestedInstruction> {
  let last: { readonly seen: FileText; readonly value: NestedInstruction } | null = null;
  /** Returns the same object while nothing changes, so that it is encoded once. */
  const toLoadResult = (seen: FileObservation): LoadResult<NestedInstruction> => {
    if (seen instanceof Unavailable) return seen;
    if (!isFileText(seen)) return absent;
    if (last?.seen !== seen) {
      last = { seen, value: { path: toWellFormed(path), content: seen.content } };
    }
    return last.value;
  };
  return {
    key: toNestedKey(path, hash),
    schema: nestedSchema,
    load: () => mapMaybePromise(files.observe(path), toLoadResult),
    readsFilesAlone: () => true,
    baseline: renderNested,
    update: (_previous, current) =>
      `These instructions replace the ones previously loaded from this file.\n\n${renderNested(current)}`,
    removed: (previous) => `The instructions from ${previous.path} no longer apply.`,
  };
}

function renderNested({ path, content }: NestedInstruction): string {
  return renderEntry({ source: path, content: content === "" ? "(empty)" : content });
}

const reminderOpening = "\n\n<system-reminder>\n";
const reminderClosing = "\n</system-reminder>";

/**
 * Returns what a read tool's `output` showed of the files in its `metadata.loaded`. A path whose text is not
 * in the output was not shown.
 */
export function extractNested(output: string, loaded: readonly string[]): NestedInstruction[] {
  return (findReminder(output, loaded)?.sections ?? []).map(({ path, start, end }) => ({
    path,
    content: output.slice(start + renderSectionHead(path).length, end),
  }));
}

/** Removes the copies of `paths` from the output, and the reminder if nothing is left in it. */
export function stripNested(
  output: string,
  loaded: readonly string[],
  paths: readonly string[],
): string {
  const reminder = findReminder(output, loaded);
  if (reminder === null) return output;
  const kept = reminder.sections.filter(({ path }) => !paths.includes(path));
  if (kept.length === reminder.sections.length) return output;
  const body = kept.map(({ start, end }) => output.slice(start, end)).join("\n\n");
  const middle = kept.length === 0 ? "" : `${reminderOpening}${body}${reminderClosing}`;
  return output.slice(0, reminder.start) + middle + output.slice(reminder.end);
}

interface InstructionSection {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

interface Reminder {
  readonly start: number;
  readonly end: number;
  readonly sections: readonly InstructionSection[];
}

/**
 * Finds the reminder. The lines of the read file are numbered, so its text can't hold the closing tag as a
 * line.
 */
function findReminder(output: string, loaded: readonly string[]): Reminder | null {
  const content = "\n</content>";
  const at = output.indexOf(`${content}${reminderOpening}${instructionHead}`);
  if (at === -1) return null;
  const start = at + content.length;
  const body = start + reminderOpening.length;
  const close = output.lastIndexOf(reminderClosing);
  // An output that was cut has no closing tag; the text before the cut was shown.
  const bodyEnd = close < body ? output.length : close;
  const end = close < body ? output.length : close + reminderClosing.length;
  return { start, end, sections: splitSections(output.slice(0, bodyEnd), body, loaded) };
}

function splitSections(
  shown: string,
  body: number,
  loaded: readonly string[],
): readonly InstructionSection[] {
  const starts: { readonly path: string; readonly start: number }[] = [];
  let from = body;
  for (const path of loaded) {
    const start = findSectionStart(shown, renderSectionHead(path), from, body);
    if (start === -1) continue;
    starts.push({ path, start });
    from = start + renderSectionHead(path).length;
  }
  return starts.map(({ path, start }, index) => {
    const next = starts[index + 1];
    return { path, start, end: next === undefined ? shown.length : next.start - 2 };
  });
}

/** Finds a section: the first one begins the body, and every other one follows a blank line. */
function findSectionStart(shown: string, head: string, from: number, body: number): number {
  if (from === body && shown.startsWith(head, body)) return body;
  const at = shown.indexOf(`\n\n${head}`, from);
  return at === -1 ? -1 : at + 2;
}

function renderSectionHead(path: string): string {
  return `${instructionHead}${path}\n`;
}
