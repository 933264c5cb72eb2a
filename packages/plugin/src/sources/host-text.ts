// The host's standing text in pieces, as the kernel takes it: an edge parses it, or supplies it.
import type { BlockKind } from "./host-blocks.ts";

/**
 * Holds the blocks as the host renders them, by kind. Null means that its text has none now. A missing kind
 * means that its text never states it, and our own source renders it.
 */
export type HostBlocks = Readonly<Partial<Record<BlockKind, string | null>>>;

export interface HostText {
  /** Live text before the Baseline; null where there is none. */
  readonly preamble: string | null;
  /** The blocks, which an epoch freezes at its start. */
  readonly blocks: HostBlocks;
  /** Text that must pass through after the Baseline. */
  readonly live: string | null;
  /**
   * Holds the host's text for what our own sources render, by kind: the Baseline takes it where a source can't
   * be observed as an epoch begins.
   */
  readonly standIns: Readonly<Partial<Record<BlockKind, string>>>;
}

/**
 * Describes a host that freezes its system prompt itself: the Baseline has only the parts of our own sources.
 */
export const hostsOwn: HostText = {
  preamble: null,
  blocks: { environment: null, references: null, instructions: null, mcp: null, skills: null },
  live: null,
  standIns: {},
};
