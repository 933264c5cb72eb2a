// Relates our estimate of tokens to the provider's own figures.
import { readPromptTokens } from "../ledger/space.ts";
import {
  type MeasuredHistory,
  type MeasuredRow,
  type MeasureMessage,
  measureParts,
} from "./measured-history.ts";
import type { HistoryInput } from "./survey.ts";

/** The usual tokens of tools, the agent's prompt and the Baseline, until a call has shown them. */
const USUAL_OVERHEAD_TOKENS = 10_000;
const MAX_OVERHEAD_SHARE = 1 / 6;

const MIN_STEP_TOKENS = 300;
const MIN_SCALE = 0.5;
const MAX_SCALE = 2;
const SAMPLED_ROWS = 24;

/** Returns the provider's tokens for one of ours, by the median growth between calls; 1 if unknown. */
export function measureScale(
  { projected }: Pick<HistoryInput, "projected">,
  measure: MeasureMessage = measureParts,
): number {
  const newest = projected.slice(-SAMPLED_ROWS);
  return computeMedianGrowth(
    newest.map((message) => ({ message, tokens: measure(message).tokens })),
  );
}

/** Returns the scale of messages that have already been measured. */
export function computeScale({ rows }: Pick<MeasuredHistory, "rows">): number {
  return computeMedianGrowth(rows.slice(-SAMPLED_ROWS));
}

function computeMedianGrowth(newest: readonly Pick<MeasuredRow, "message" | "tokens">[]): number {
  const ratios: number[] = [];
  let before = 0;
  let former: { readonly prompt: number; readonly before: number } | null = null;
  for (const { message, tokens } of newest) {
    const prompt = readPromptTokens(message);
    if (prompt !== null) {
      const grown = prompt - (former?.prompt ?? prompt);
      const estimated = before - (former?.before ?? before);
      if (estimated >= MIN_STEP_TOKENS && isPlausibleRatio(grown / estimated)) {
        ratios.push(grown / estimated);
      }
      former = { prompt, before };
    }
    before += tokens;
  }
  return ratios.sort((one, other) => one - other)[Math.floor(ratios.length / 2)] ?? 1;
}

/** Rejects growth that can't come from these messages: something before them was rewritten in between. */
function isPlausibleRatio(ratio: number): boolean {
  return ratio >= MIN_SCALE && ratio <= MAX_SCALE;
}

/** Returns the tokens of the call if nothing is decided, by the provider's count. */
export function sumTokens(input: HistoryInput, measure: MeasureMessage = measureParts): number {
  const { space, projected, watermark } = input;
  if (watermark !== null) return space.estimatedTokens;
  // In the first call of an epoch, the reported figures belong to another history.
  const { usableTokens } = space;
  const most = usableTokens === null ? USUAL_OVERHEAD_TOKENS : usableTokens * MAX_OVERHEAD_SHARE;
  const overhead = Math.min(USUAL_OVERHEAD_TOKENS, most);
  const tokens = projected.reduce((sum, message) => sum + measure(message).tokens, 0);
  return measureScale(input, measure) * tokens + overhead;
}
