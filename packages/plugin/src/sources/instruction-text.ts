// Instructions as text: the host's rendering and ours.
import * as z from "zod";
import { wellFormed } from "../context/rendering.ts";
import { instructionHead } from "./host-blocks.ts";
import { limitText } from "./text-limit.ts";

/** One instruction file or address, and what it says. */
interface Instruction {
  /** Absolute path, or URL. */
  readonly source: string;
  readonly content: string;
}

/** All ambient instructions, in the host's order. */
export type Instructions = readonly Instruction[];

export const instructionsSchema: z.ZodType<Instructions> = z.array(
  z.object({ source: z.string(), content: z.string() }),
);

/** The host's own text; null where it renders nothing, as it skips empty files. */
export function hostRendering(instructions: Instructions): string | null {
  const shown = instructions.filter(({ content }) => content !== "");
  return shown.length === 0 ? null : shown.map(entry).join("\n");
}

/** Our own text for an update or a later Baseline; says of an empty file that it is empty. */
export function instructionsText(instructions: Instructions): string {
  return instructions
    .map((one) => (one.content === "" ? entry({ ...one, content: "(empty)" }) : entry(one)))
    .join("\n\n");
}

export function entry({ source, content }: Instruction): string {
  return `${instructionHead}${source}\n${content}`;
}

/**
 * The value that a frozen instructions block states, given what our loader found for it. The block
 * skips empty files and may hold long ones whole: where nothing else differs, and in whatever order,
 * the loader's value is the one. Null where neither has anything.
 */
export function parseInstructions(
  frozen: string | null,
  loaded: Instructions | null,
  limitBytes: number,
): Instructions | null {
  const known = loaded ?? [];
  if (frozen === hostRendering(known)) return loaded;
  const stated = frozen === null ? [] : split(frozen, known, limitBytes);
  const sources = new Set(stated.map(({ source }) => source));
  const silent = known.filter(({ source, content }) => content === "" && !sources.has(source));
  const all = [...stated, ...silent];
  if (all.length === 0) return null;
  return all.length === known.length && all.every((one) => includes(known, one)) ? known : all;
}

function includes(known: Instructions, one: Instruction): boolean {
  return known.some(({ source, content }) => source === one.source && content === one.content);
}

/** Cuts at the headings of known sources only: a heading inside a content is content. */
function split(frozen: string, known: Instructions, limitBytes: number): Instruction[] {
  const read: Instruction[] = [];
  let left = known;
  for (let at = 0; at < frozen.length; ) {
    const source = heading(frozen, at);
    const start = Math.min(at + instructionHead.length + source.length + 1, frozen.length);
    const match = left.find((one) => one.source === source);
    left = left.filter((one) => one !== match);
    const end = contentEnd(frozen, start, match, left);
    const content = limitText(wellFormed(frozen.slice(start, end)), limitBytes);
    read.push({ source: wellFormed(source), content });
    at = end + 1;
  }
  return read;
}

function heading(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(at + instructionHead.length, end === -1 ? text.length : end);
}

function contentEnd(
  text: string,
  start: number,
  match: Instruction | undefined,
  left: Instructions,
): number {
  if (match !== undefined && match.content !== "" && text.startsWith(match.content, start)) {
    const end = start + match.content.length;
    if (end === text.length || text.startsWith(`\n${instructionHead}`, end)) return end;
  }
  // The host shows no empty file: two headings in a row are one.
  const next = left.map((one) => findStart(one, text, start)).filter((index) => index !== -1);
  return Math.min(text.length, ...next);
}

/** Where a file begins after `start`: with what the loader has found in it, else with its heading. */
function findStart(one: Instruction, text: string, start: number): number {
  const unchanged = text.indexOf(`\n${entry(one)}`, start);
  return unchanged === -1 ? text.indexOf(`\n${instructionHead}${one.source}\n`, start) : unchanged;
}
