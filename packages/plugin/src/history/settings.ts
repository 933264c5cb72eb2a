// What the configuration sets for history.
// Folder: What of a session's history is still sent: drops, folds and their price; pure.
import type { Measure } from "./measure.ts";
import type { StubSettings } from "./stub.ts";

export interface HistorySettings extends StubSettings {
  readonly measure: Measure;
  readonly rewrite: "worth" | "pressure";
  /** `auto`: it is learnt. */
  readonly keepTokens: number | "auto";
  /** `auto`: a share of the window. */
  readonly budgetTokens: number | "auto";
}

const LEAST_START_TOKENS = 6_000;
const MOST_START_TOKENS = 16_000;
const START_SHARE = 12;
const MOST_KEPT_SHARE = 4;
const LEAST_KEPT_TOKENS = 300;
const BUDGET_SHARE = 7;
/** By simulation and on the real host (decision 0310): each call reads it, and few answers come from it. */
const MOST_BUDGET_TOKENS = 1_500;

export interface TailBounds {
  readonly start: number;
  readonly least: number;
  readonly most: number;
}

/** `usableTokens` null: nobody knows what the model takes, so it is thought of as roomy. */
export function tailBounds(
  { keepTokens }: HistorySettings,
  usableTokens: number | null,
): TailBounds {
  if (keepTokens !== "auto") return { start: keepTokens, least: keepTokens, most: keepTokens };
  const share = (usableTokens ?? MOST_START_TOKENS * START_SHARE) / START_SHARE;
  const start = Math.min(MOST_START_TOKENS, Math.max(LEAST_START_TOKENS, share));
  const most = Math.max(start, (share * START_SHARE) / MOST_KEPT_SHARE);
  return { start: Math.round(start), least: LEAST_KEPT_TOKENS, most: Math.round(most) };
}

export function budgetOf({ budgetTokens }: HistorySettings, usableTokens: number | null): number {
  if (budgetTokens !== "auto") return budgetTokens;
  if (usableTokens === null) return MOST_BUDGET_TOKENS;
  return Math.min(MOST_BUDGET_TOKENS, Math.round(usableTokens / BUDGET_SHARE));
}
