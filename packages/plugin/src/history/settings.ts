// Holds what the configuration sets for history.
// Folder: What of a session's history is still sent: drops, folds and their price; pure.
import type { MeasureMessage } from "./measured-history.ts";
import type { StubSettings } from "./stub.ts";

// Defines what the settings keep, whatever the session is about.

export interface KeepRules {
  readonly tool: (name: string) => boolean;
  /** Takes a path relative to the project's folder, and says whether it is kept. */
  readonly file: (path: string) => boolean;
}

export interface HistorySettings extends StubSettings {
  readonly measure: MeasureMessage;
  readonly rewrite: "worth" | "pressure";
  /** The tokens of the tail; `auto` if they are learnt. */
  readonly keepTokens: number | "auto";
  /** The tokens that all records may take; `auto` for a share of the window. */
  readonly budgetTokens: number | "auto";
  /** The rules for what is kept; null if none are set. */
  readonly keep: KeepRules | null;
}

const MIN_INITIAL_TAIL_TOKENS = 6_000;
const MAX_INITIAL_TAIL_TOKENS = 16_000;
const INITIAL_TAIL_DIVISOR = 12;
const MAX_TAIL_DIVISOR = 4;
const MIN_KEPT_TOKENS = 300;
const BUDGET_DIVISOR = 7;
/**
 * The best maximum by simulation and on the real host (decision 0147): each call reads the records, and few
 * answers use them.
 */
const MAX_BUDGET_TOKENS = 8_000;

export interface TailBounds {
  readonly start: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Returns the tail's bounds. If `usableTokens` is null, the model's limit is unknown and taken to be large.
 */
export function resolveTailBounds(
  { keepTokens }: HistorySettings,
  usableTokens: number | null,
): TailBounds {
  if (keepTokens !== "auto") return { start: keepTokens, least: keepTokens, most: keepTokens };
  const share =
    (usableTokens ?? MAX_INITIAL_TAIL_TOKENS * INITIAL_TAIL_DIVISOR) / INITIAL_TAIL_DIVISOR;
  const start = Math.min(MAX_INITIAL_TAIL_TOKENS, Math.max(MIN_INITIAL_TAIL_TOKENS, share));
  const most = Math.max(start, (share * INITIAL_TAIL_DIVISOR) / MAX_TAIL_DIVISOR);
  return { start: Math.round(start), least: MIN_KEPT_TOKENS, most: Math.round(most) };
}

/** A shorter history stays unchanged: what a rewrite saves is not worth the words that it removes. */
const SHORT_TOKENS = 20_000;
/** A smaller window can't hold that much besides an answer, so it uses a share of itself. */
const SMALL_WINDOW_TOKENS = 28_000;
const SMALL_WINDOW_DIVISOR = 6;

export function resolveShortHistoryTokens(usableTokens: number | null): number {
  if (usableTokens === null || usableTokens >= SMALL_WINDOW_TOKENS) return SHORT_TOKENS;
  return Math.min(SHORT_TOKENS, usableTokens / SMALL_WINDOW_DIVISOR);
}

export function resolveBudget(
  { budgetTokens }: HistorySettings,
  usableTokens: number | null,
): number {
  if (budgetTokens !== "auto") return budgetTokens;
  if (usableTokens === null) return MAX_BUDGET_TOKENS;
  return Math.min(MAX_BUDGET_TOKENS, Math.round(usableTokens / BUDGET_DIVISOR));
}
