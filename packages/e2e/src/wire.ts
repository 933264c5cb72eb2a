// Whether one request is a prefix of another, and where they part.
import { type Block, commonBlocks, type Layer } from "./block.ts";

/** Anything that was sent as blocks: a call's record, or a hand-made request in a test. */
export interface SentBlocks {
  readonly blocks: readonly Block[];
}

/** The place where a later call stops repeating an earlier one. */
export interface Difference {
  readonly index: number;
  readonly layer: Layer;
  readonly role: string;
  /** Offset within the block, in UTF-16 code units. */
  readonly offset: number;
  readonly before: string;
  /** Undefined where the later call ends before the earlier one does. */
  readonly after: string | undefined;
  readonly report: string;
}

const CONTEXT_CHARS = 60;

/** A call's flat ordered canonical blocks: tools, system texts, then parts of messages. */
export function blocks(sent: SentBlocks): readonly string[] {
  return sent.blocks.map((block) => `${block.layer}/${block.role} ${block.bytes}`);
}

/** Whether everything in `earlier` stands unchanged at the front of `later`. */
export function isPrefix(earlier: SentBlocks, later: SentBlocks): boolean {
  return commonBlocks(earlier.blocks, later.blocks) === earlier.blocks.length;
}

/** Undefined if `earlier` is a prefix of `later`. */
export function firstDifference(earlier: SentBlocks, later: SentBlocks): Difference | undefined {
  const index = commonBlocks(earlier.blocks, later.blocks);
  const before = earlier.blocks[index];
  if (before === undefined) return undefined;
  const after = later.blocks[index];
  const offset = commonLength(before.bytes, after?.bytes ?? "");
  const { layer, role } = before;
  const shown = { before: excerpt(before.bytes, offset), after: excerptBlock(after, offset) };
  const place = `block ${index} (${layer}/${role}${roleChange(before, after)}) at char ${offset}`;
  const report = `${place}\n  was ${shown.before}\n  now ${shown.after ?? "(nothing)"}`;
  return { index, layer, role, offset, ...shown, report };
}

/** One report for each call that does not extend the call before it; empty when I1 holds. */
export function prefixBreaks(calls: readonly SentBlocks[]): readonly string[] {
  return calls.flatMap((later, position) => {
    const earlier = calls[position - 1];
    const difference = earlier && firstDifference(earlier, later);
    return difference ? [`call ${position} breaks the prefix: ${difference.report}`] : [];
  });
}

function roleChange(before: Block, after: Block | undefined): string {
  return after && after.role !== before.role ? ` -> ${after.layer}/${after.role}` : "";
}

function excerptBlock(block: Block | undefined, offset: number): string | undefined {
  return block && excerpt(block.bytes, offset);
}

function excerpt(bytes: string, offset: number): string {
  const start = Math.max(0, offset - CONTEXT_CHARS);
  const end = Math.min(bytes.length, offset + CONTEXT_CHARS);
  return `${start > 0 ? "…" : ""}${bytes.slice(start, end)}${end < bytes.length ? "…" : ""}`;
}

/** How many leading code units two strings share. */
export function commonLength(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
