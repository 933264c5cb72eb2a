// Renders instructions as text, in the host's form and in ours.
import * as z from "zod";
import { toWellFormed } from "../context/source.ts";
import { instructionHead } from "./host-blocks.ts";
import { limitText } from "./read-file.ts";

/** Holds one instruction file or address with its text. */
interface Instruction {
  /** An absolute path, or a URL. */
  readonly source: string;
  readonly content: string;
}

/** Lists all ambient instructions, in the host's order. */
export type Instructions = readonly Instruction[];

export const instructionsSchema: z.ZodType<Instructions> = z.array(
  z.object({ source: z.string(), content: z.string() }),
);

/** Renders the host's own text; null if the host renders nothing, because it skips empty files. */
export function renderHostText(instructions: Instructions): string | null {
  const shown = instructions.filter(({ content }) => content !== "");
  return shown.length === 0 ? null : shown.map(renderEntry).join("\n");
}

/** Renders our own text for an update or a later Baseline, which names empty files as empty. */
export function renderInstructions(instructions: Instructions): string {
  return instructions
    .map((one) =>
      one.content === "" ? renderEntry({ ...one, content: "(empty)" }) : renderEntry(one),
    )
    .join("\n\n");
}

export function renderEntry({ source, content }: Instruction): string {
  return `${instructionHead}${source}\n${content}`;
}

/**
 * Returns the value that a frozen instructions block states, given what our loader found for it. The block
 * skips empty files and may hold long ones whole: if nothing else differs, in whatever order, the loader's
 * value is returned. Null if neither has any instructions.
 */
export function parseInstructions(
  frozen: string | null,
  loaded: Instructions | null,
  limitBytes: number,
): Instructions | null {
  const known = loaded ?? [];
  if (frozen === renderHostText(known)) return loaded;
  const stated = frozen === null ? [] : splitFrozen(frozen, known, limitBytes);
  const sources = new Set(stated.map(({ source }) => source));
  const silent = known.filter(({ source, content }) => content === "" && !sources.has(source));
  const all = [...stated, ...silent];
  if (all.length === 0) return null;
  return all.length === known.length && all.every((one) => includesInstruction(known, one))
    ? known
    : all;
}

function includesInstruction(known: Instructions, one: Instruction): boolean {
  return known.some(({ source, content }) => source === one.source && content === one.content);
}

/** Splits at the headings of known sources only: a heading inside a file's text is text. */
function splitFrozen(frozen: string, known: Instructions, limitBytes: number): Instruction[] {
  const read: Instruction[] = [];
  let left = known;
  for (let at = 0; at < frozen.length; ) {
    const source = readHeading(frozen, at);
    const start = Math.min(at + instructionHead.length + source.length + 1, frozen.length);
    const match = left.find((one) => one.source === source);
    left = left.filter((one) => one !== match);
    const end = findContentEnd(frozen, start, match, left);
    const content = limitText(toWellFormed(frozen.slice(start, end)), limitBytes);
    read.push({ source: toWellFormed(source), content });
    at = end + 1;
  }
  return read;
}

function readHeading(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(at + instructionHead.length, end === -1 ? text.length : end);
}

function findContentEnd(
  text: string,
  start: number,
  match: Instruction | undefined,
  left: Instructions,
): number {
  if (match !== undefined && match.content !== "" && text.startsWith(match.content, start)) {
    const end = start + match.content.length;
    if (end === text.length || text.startsWith(`\n${instructionHead}`, end)) return end;
  }
  // The host omits empty files, so two adjacent headings count as one.
  const next = left
    .map((one) => findInstructionStart(one, text, start))
    .filter((index) => index !== -1);
  return Math.min(text.length, ...next);
}

/** Finds where a file begins after `start`: by heading and found text, otherwise by heading alone. */
function findInstructionStart(one: Instruction, text: string, start: number): number {
  const unchanged = text.indexOf(`\n${renderEntry(one)}`, start);
  return unchanged === -1 ? text.indexOf(`\n${instructionHead}${one.source}\n`, start) : unchanged;
}
