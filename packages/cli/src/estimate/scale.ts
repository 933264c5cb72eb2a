// Measures a session's scale by its own figures: the size of its front, and how its model counts tokens.
import type { HostMessage } from "@session-runtime/opencode/ledger/message";
import { readPromptTokens } from "@session-runtime/opencode/ledger/space";
import type { RecordedSession } from "../simulation/recorded.ts";
import { Wire } from "../simulation/wire.ts";

export interface Scale {
  /** Tokens of tools and system prompt. */
  readonly frontTokens: number;
  /** The model's tokens for each estimated one. */
  readonly perEstimated: number;
}

/** Bounds the ratio: a value outside has other causes, such as pictures. */
const BOUNDS = { least: 0.6, most: 2 } as const;
/** A smaller growth says little about how a model counts. */
const MIN_GROWTH_TOKENS = 2_000;
/** A prompt below this share of the previous one has lost some of what was sent. */
const SHRUNK_SHARE = 0.9;

interface ReportedSize {
  readonly prompt: number;
  readonly estimated: number;
}

/** Measures by the first call, and by the largest one that still holds everything before it. */
export function measureScale(messages: readonly HostMessage[]): Scale {
  const wire = new Wire();
  let estimated = 0;
  let first: ReportedSize | null = null;
  let largest: ReportedSize | null = null;
  for (const message of messages) {
    const prompt = message.info.role === "assistant" ? readPromptTokens(message) : null;
    if (prompt !== null) {
      if (largest !== null && prompt < SHRUNK_SHARE * largest.prompt) break;
      largest = { prompt, estimated };
      first ??= largest;
    }
    estimated += wire
      .toWireMessages(message)
      .flat()
      .reduce((sum, { tokens }) => sum + tokens, 0);
  }
  if (first === null || largest === null) return { frontTokens: 0, perEstimated: 1 };
  const growth = largest.estimated - first.estimated;
  const perEstimated =
    growth < MIN_GROWTH_TOKENS
      ? 1
      : Math.min(BOUNDS.most, Math.max(BOUNDS.least, (largest.prompt - first.prompt) / growth));
  return {
    frontTokens: Math.max(0, Math.round(first.prompt - perEstimated * first.estimated)),
    perEstimated,
  };
}

/** Scales sizes so that the usual estimate gives the model's own tokens. */
export function scaled(recorded: RecordedSession, { perEstimated }: Scale): RecordedSession {
  const size = (chars: number) => Math.round(chars * perEstimated);
  return {
    ...recorded,
    turns: recorded.turns.map(({ chars, steps }) => ({
      chars: size(chars),
      steps: steps.map((step) => ({
        ...step,
        chars: size(step.chars),
        calls: step.calls.map((call) => ({
          ...call,
          chars: size(call.chars),
          resultChars: size(call.resultChars),
        })),
      })),
    })),
  };
}
