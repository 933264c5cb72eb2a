import type { InputUsage } from "../src/billing/cache.ts";
import type { BilledCall } from "../src/billing/ideal.ts";
import { type Block, createBlock } from "../src/block.ts";

/** A block of exactly so many tokens whose bytes differ by name. */
export function blockOfTokens(name: string, tokens: number): Block {
  return {
    layer: "messages",
    role: "user",
    bytes: name.padEnd(tokens * 4, "."),
    breakpoint: false,
    tokens,
  };
}

export function marked(block: Block): Block {
  return { ...block, breakpoint: true };
}

export function textBlock(text: string): Block {
  return createBlock("messages", "user", text);
}

export function billedCall(blocks: readonly Block[], usage: InputUsage): BilledCall {
  const identity = { session: "s", model: "m", preamble: "p", caching: "breakpoints" } as const;
  return { at: 0, ...identity, blocks, usage: { ...usage, outputTokens: 0 } };
}
