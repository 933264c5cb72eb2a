// What it would cost if what goes is asked for again: by how likely that is.
import type { CacheRates } from "../ledger/rates.ts";
import type { PartFacts } from "./measure.ts";
import { callsAfter } from "./measured-history.ts";
import type { RewriteOffer } from "./rewrite-cost.ts";
import type { CandidateStep, HistorySurvey } from "./survey.ts";

/**
 * How likely a result is used again, by recorded sessions (decision 0147): falls with the calls since it came,
 * rises with its size; what a command printed is seldom used again.
 */
const USE = { chance: 0.14, usualTokens: 650, growth: 0.7, fadingCalls: 9.5, ofRuns: 0.4 } as const;
/** Beyond its tokens, asking again takes a call's time: it counts so many times. */
const CAUTION = 18;
/** Without a look-up the call is made again: it may take long, and no longer say the same. */
const CAUTION_ALONE = 27;
/** The stub of a result that has gone already. */
const STUB_TOKENS = 60;

/**
 * In input tokens, for a model that asks as usual, within the calls for which what is kept would stay: whoever
 * asks later asks either way. Each asking takes a call on the context that is left.
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
    // Of all uses to come by their likelihood, how many come as long as it is kept.
    const share = 1 / (1 + (calls + USE.fadingCalls) / keptCalls);
    return listResults(piece).reduce(
      (cost, facts) => cost + share * caution * expected(facts, calls, left, rates),
      sum,
    );
  }, 0);
}

/** The results that go with a piece. What is dead nobody asks for. */
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
