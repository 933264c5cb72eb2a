import type { RecordedCall, RecordedSession, RecordedStep } from "../../src/simulation/recorded.ts";
import type { Model } from "../../src/simulation/settings.ts";

export const model: Model = {
  ...{ windowTokens: 60_000, usableTokens: 56_000, frontTokens: 10_000, ttlMs: 300_000 },
  rates: { read: 0.1, write: 1.25, lookBackBlocks: 20 },
};

export function read(result: number, chars: number): RecordedCall {
  return { tool: "read", target: result, chars: 60, result, resultChars: chars };
}

export function step(s: number, more: Partial<RecordedStep> = {}): RecordedStep {
  return { s, chars: 40, calls: [], needs: [], ...more };
}

export function recorded(...steps: readonly RecordedStep[]): RecordedSession {
  const turns = [{ chars: 100, steps: [...steps] }];
  return { session: "made", model: "none", harness: "none", turns };
}
