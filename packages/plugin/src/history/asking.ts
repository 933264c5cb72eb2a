// Estimates what it would cost if the model asks again for what is dropped.
import type { CacheRates } from "../ledger/rates.ts";
import type { PartFacts } from "./measure.ts";
import { callsAfter } from "./measured-history.ts";
import type { RewriteOffer } from "./rewrite-cost.ts";
import type { CandidateStep, HistorySurvey } from "./survey.ts";

/**
 * Estimates how likely a result is used again, from recorded sessions (decision 0147): less with each call since
 * it came, more with its size, and seldom for a command's output.
 */
const USE = { chance: 0.14, usualTokens: 650, growth: 0.7, fadingCalls: 9.5, ofRuns: 0.4 } as const;
/** Counts the cost of asking again so many times, since it takes a call's time as well as its tokens. */
const CAUTION = 18;
/**
 * Replaces CAUTION where the call has to be made again for lack of a look-up: that may take long, and give
 * another result.
 */
const CAUTION_ALONE = 27;
/** The most that the stub of a dropped result takes; a larger one is a result. */
const STUB_TOKENS = 60;

/**
 * Estimates the cost in input tokens, for a model that asks as often as usual, within the calls for which the
 * result would have stayed: later requests cost the same either way. Each request takes a call on the context
 * that is left.
 */
export function askingCost(
  survey: HistorySurvey,
  pieces: readonly CandidateStep[],
  { from, saves }: RewriteOffer,
  keptCalls: number,
): number {
  const { estimatedTokens, rates } = survey.input.space;
  const left = Math.max(0, estimatedTokens - saves);
  const caution = survey.settings.wayBack === "none" ? CAUTION_ALONE : CAUTION;
  return pieces.slice(from).reduce((sum, piece) => {
    if (piece.saves <= 0) return sum;
    const calls = Math.max(0, callsAfter(survey.sheet, piece.row.last) - 1);
    // The share of all likely uses that would come while the result was still kept.
    const share = 1 / (1 + (calls + USE.fadingCalls) / keptCalls);
    return listResults(piece).reduce(
      (cost, facts) => cost + share * caution * expected(facts, calls, left, rates),
      sum,
    );
  }, 0);
}

/** Lists the results that go with a piece. Nobody asks for a superseded one. */
function listResults({ candidate, row }: CandidateStep): readonly PartFacts[] {
  const { parts } = row.measured;
  if (candidate === null)
    return parts.filter(({ call, resultTokens }) => call !== null && resultTokens > STUB_TOKENS);
  if (candidate.dropReason !== "spent") return [];
  return parts.filter((_, index) => row.message.parts[index]?.id === candidate.partId);
}

function expected(
  { resultTokens, call }: PartFacts,
  calls: number,
  left: number,
  { read, write }: CacheRates,
): number {
  const ofKind = call?.subject.kind === "run" ? USE.ofRuns : 1;
  const ofSize = (resultTokens / USE.usualTokens) ** USE.growth;
  const chance = (USE.chance * ofKind * ofSize) / (1 + calls / USE.fadingCalls);
  return Math.min(1, chance) * (write * resultTokens + read * left);
}
