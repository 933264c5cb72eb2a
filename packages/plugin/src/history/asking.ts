// What it would cost if what goes is asked for again: by how likely that is.
import type { CacheRates } from "../projection/rates.ts";
import type { Offer } from "./rent.ts";
import { callsAfter } from "./sheet.ts";
import type { Piece, Survey } from "./survey.ts";

/**
 * How likely a result is used again, by recorded sessions (decision 0335): falls with the calls since it came,
 * rises with its size. Its kind and former uses say no more.
 */
const USE = { chance: 0.14, usualTokens: 650, growth: 0.7, fadingCalls: 9.5 } as const;
/** Beyond its tokens, asking again takes a call's time: it counts so many times. */
const CAUTION = 3;
/** The stub of a result that has gone already. */
const STUB_TOKENS = 60;

/** In input tokens, for a model that asks as usual. Each asking takes a call on the context that is left. */
export function askingCost(
  survey: Survey,
  pieces: readonly Piece[],
  { from, saves }: Offer,
): number {
  const { estimatedTokens, rates } = survey.input.space;
  const left = Math.max(0, estimatedTokens - saves);
  return pieces.slice(from).reduce((sum, piece) => {
    if (piece.saves <= 0) return sum;
    const calls = Math.max(0, callsAfter(survey.sheet, piece.row.last) - 1);
    return resultsOf(piece).reduce(
      (cost, tokens) => cost + expected(tokens, calls, left, rates),
      sum,
    );
  }, 0);
}

/** Tokens of the results that go with a piece. What is dead nobody asks for. */
function resultsOf({ candidate, row, saves }: Piece): readonly number[] {
  if (candidate !== null) return candidate.gone === "spent" ? [saves] : [];
  return row.measured.parts
    .filter(({ call, resultTokens }) => call !== null && resultTokens > STUB_TOKENS)
    .map(({ resultTokens }) => resultTokens);
}

function expected(tokens: number, calls: number, left: number, { read, write }: CacheRates) {
  const chance =
    (USE.chance * (tokens / USE.usualTokens) ** USE.growth) / (1 + calls / USE.fadingCalls);
  return CAUTION * Math.min(1, chance) * (write * tokens + read * left);
}
