// Defines what can be dropped from a history, and the facts that decide on it.
import type { Edit } from "../ledger/edit.ts";
import type { IsPartKept } from "./kept.ts";
import type { MeasuredHistory } from "./measured-history.ts";
import type { HistorySettings } from "./settings.ts";
import type { DropReason } from "./stub.ts";

/** Smaller drops would take words away and save almost nothing. */
export const MIN_SAVED_TOKENS = 24;

/** Something that can be dropped, with its replacement. */
export interface Candidate {
  readonly partId: string;
  readonly edits: readonly Edit[];
  readonly saves: number;
  /** The number of calls that have read the candidate since it could be dropped. */
  readonly calls: number;
  readonly dropReason: DropReason;
}

/** Returns true if the text also stands elsewhere or is no longer true, so nobody will ask for it again. */
export function isSuperseded({ dropReason }: Candidate): boolean {
  return dropReason === "repeated" || dropReason === "outdated";
}

export interface CandidateInput {
  readonly sheet: MeasuredHistory;
  readonly keepTokens: number;
  /** The index, in the host's array, of the user's newest prompt; -1 if there is none. */
  readonly promptIndex: number;
  /** The index of the newest answer, whose results no call has read yet. */
  readonly answerIndex: number;
  readonly claims: ReadonlySet<string>;
  readonly isKept: IsPartKept;
  readonly settings: HistorySettings;
  /** The number of tokens that the model accepts; null if unknown. */
  readonly usableTokens: number | null;
}

/**
 * Decides whether words may be dropped for good: a result can be had again by repeating its call, words
 * can't. Without a look-up, words are dropped only if the call would not fit otherwise and no tail is left.
 */
export function isLossAllowed({ settings, keepTokens }: CandidateInput): boolean {
  return settings.wayBack !== "none" || keepTokens === 0;
}
