// Computes the lower bound of a session's cost, for a policy that knows what each step will use.
import { BYTES_PER_TOKEN } from "@session-runtime/opencode/ledger/tokens";
import { listSteps, type RecordedSession } from "./recorded.ts";
import type { Model } from "./settings.ts";

/**
 * Adds up the bound: the front is read once per call, every token is written once, and each needed result costs,
 * between two uses, the cheaper of carrying it and asking again by one more call on the least context. No real policy
 * reaches it.
 */
export function clairvoyantBill(
  recorded: RecordedSession,
  { rates: { read, write }, frontTokens }: Pick<Model, "rates" | "frontTokens">,
): number {
  const steps = listSteps(recorded);
  const results = new Map<number, { readonly tokens: number; readonly usedIn: number }>();
  let written = recorded.turns.reduce((sum, { chars }) => sum + toTokens(chars), frontTokens);
  let carried = 0;
  for (const [number, { chars, calls, needs }] of steps.entries()) {
    for (const result of new Set(needs)) {
      const former = results.get(result);
      if (!former) continue;
      const { tokens, usedIn } = former;
      const carrying = read * tokens * (number - usedIn);
      carried += Math.min(carrying, write * tokens + read * frontTokens);
      results.set(result, { tokens, usedIn: number });
    }
    written += toTokens(chars);
    for (const { result, resultChars, chars: argumentChars } of calls) {
      const tokens = toTokens(resultChars);
      written += tokens + toTokens(argumentChars);
      results.set(result, { tokens, usedIn: number });
    }
  }
  return read * frontTokens * steps.length + write * written + carried;
}

function toTokens(chars: number): number {
  return chars / BYTES_PER_TOKEN;
}
