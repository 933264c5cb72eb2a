// The host's standing text as the kernel takes it, in pieces: an edge parses it, or hands it over.
import type { BlockKind } from "./host-blocks.ts";

/**
 * By kind, the blocks as the host renders them. Null: its text has none now. Not given: its text never
 * states this kind, and our own source renders it.
 */
export type HostBlocks = Readonly<Partial<Record<BlockKind, string | null>>>;

export interface HostText {
  /** Live, in front of the Baseline; null where there is none. */
  readonly preamble: string | null;
  /** Frozen as they are at an epoch's start. */
  readonly blocks: HostBlocks;
  /** What must pass through after the Baseline. */
  readonly live: string | null;
  /**
   * By kind, what the host says of that which our own source renders: it stands in the Baseline where the
   * source can't be observed as an epoch begins.
   */
  readonly standIns: Readonly<Partial<Record<BlockKind, string>>>;
}

/** Of a host that freezes its system prompt itself: the Baseline has the parts of our own sources alone. */
export const hostsOwn: HostText = {
  preamble: null,
  blocks: { environment: null, references: null, instructions: null, mcp: null, skills: null },
  live: null,
  standIns: {},
};
