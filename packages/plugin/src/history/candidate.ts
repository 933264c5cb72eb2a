// Something of a history that can go, and what decides on it.
import type { Edit } from "../ledger/edit.ts";
import type { IsPartKept } from "./kept.ts";
import type { MeasuredHistory } from "./measured-history.ts";
import type { HistorySettings } from "./settings.ts";
import type { DropReason } from "./stub.ts";

/** Below this a drop would take words away and spare nearly none. */
export const MIN_SAVED_TOKENS = 24;

/** Something that can go, and what goes in its place. */
export interface Candidate {
  readonly partId: string;
  readonly edits: readonly Edit[];
  readonly saves: number;
  /** How many calls have read it since it could go. */
  readonly calls: number;
  readonly dropReason: DropReason;
}

/** Whether what goes is said elsewhere, or true no more: nobody will ask for it again. */
export function isSuperseded({ dropReason: gone }: Candidate): boolean {
  return gone === "repeated" || gone === "outdated";
}

export interface CandidateInput {
  readonly sheet: MeasuredHistory;
  readonly keepTokens: number;
  /** Index, in the host's array, of the user's newest prompt; -1: none. */
  readonly promptIndex: number;
  /** Index of the newest answer: its results nobody has read yet. */
  readonly answerIndex: number;
  readonly claims: ReadonlySet<string>;
  readonly isKept: IsPartKept;
  readonly settings: HistorySettings;
  /** Null: nobody knows what the model takes. */
  readonly usableTokens: number | null;
}

/**
 * Whether words may go that nothing brings back: a result comes again by its call, and words do not. Without a
 * look-up only a call goes without them that would not fit otherwise, whose tail is gone.
 */
export function mayBeLost({ settings, keepTokens }: CandidateInput): boolean {
  return settings.wayBack !== "none" || keepTokens === 0;
}
