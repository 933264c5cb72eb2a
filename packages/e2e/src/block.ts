// The smallest unit that a provider caches, and its size in tokens.
import type { JsonObject } from "./json.ts";

/** The layers of a request, in the order in which a provider reads and caches them. */
export type Layer = "tools" | "system" | "messages";

/** The smallest unit that a provider caches: a tool, a system text, or a part of a message. */
export interface Block {
  readonly layer: Layer;
  readonly role: string;
  /** Canonical JSON in the order of keys that was sent, without cache markers. */
  readonly bytes: string;
  /** A cache breakpoint stands on it (Anthropic's `cache_control`). */
  readonly breakpoint: boolean;
  readonly tokens: number;
}

const MARKER = "cache_control";
const BYTES_PER_TOKEN = 4;

export function createBlock(layer: Layer, role: string, content: JsonObject | string): Block {
  const value = typeof content === "string" ? { type: "text", text: content } : content;
  const bytes = JSON.stringify(value, (key, inner) => (key === MARKER ? undefined : inner));
  return { layer, role, bytes, breakpoint: MARKER in value, tokens: estimateTokens(bytes) };
}

/** Deterministic on purpose: no tokenizer's release may move a figure. */
export function estimateTokens(bytes: string): number {
  return Math.ceil(Buffer.byteLength(bytes) / BYTES_PER_TOKEN);
}

export function sumTokens(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + block.tokens, 0);
}

function sameBlock(a: Block | undefined, b: Block | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.layer === b.layer &&
    a.role === b.role &&
    a.bytes === b.bytes
  );
}

/** How many leading blocks the two have in common. */
export function commonBlocks(a: readonly Block[], b: readonly Block[]): number {
  let count = 0;
  while (count < a.length && sameBlock(a[count], b[count])) count += 1;
  return count;
}
