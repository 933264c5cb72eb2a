// Estimates how many tokens parts take.
import { type HostMessage, type HostPart, isFile, isReasoning, isText, isTool } from "./message.ts";

/** The bytes per token in texts of which only the size is known. */
export const BYTES_PER_TOKEN = 4;
/** Holds for Latin scripts and code; in other scripts each character is about a token. */
const CHARS_PER_TOKEN = 4;
/** The tokens of a message or a call apart from its texts. */
export const FRAME_TOKENS = 4;
/** About as many tokens as providers count for a picture of the usual size. */
const ATTACHMENT_TOKENS = 1_500;

export function estimateTokens(text: string): number {
  return toTokens(measureTextWeight(text));
}

/**
 * Returns a text's weight. Weights add up, unlike tokens: a wide character weighs as much as the number of
 * other characters that make up one token.
 */
export function measureTextWeight(text: string): number {
  let wide = 0;
  // A regular expression would be slower: this runs over whole results while a call waits.
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2e7f) wide += 1;
  return text.length + (CHARS_PER_TOKEN - 1) * wide;
}

export function toTokens(weight: number): number {
  return Math.ceil(weight / CHARS_PER_TOKEN);
}

/** Estimates the tokens of what the host sends for the part. */
export function estimatePartTokens(part: HostPart): number {
  if (isText(part)) return part.ignored === true ? 0 : estimateTokens(part.text);
  if (isReasoning(part)) return estimateTokens(part.text);
  if (isFile(part)) return ATTACHMENT_TOKENS;
  if (!isTool(part)) return 0;
  const { state } = part;
  return (
    FRAME_TOKENS + estimateTokens(JSON.stringify(state.input ?? {})) + estimateResultTokens(part)
  );
}

/** Estimates the result of a tool call; 0 for any other part. */
export function estimateResultTokens(part: HostPart): number {
  if (!isTool(part)) return 0;
  const { state } = part;
  switch (state.status) {
    case "completed":
      return estimateTokens(state.output) + (state.attachments?.length ?? 0) * ATTACHMENT_TOKENS;
    case "error":
      return estimateTokens(state.error);
    case "pending":
    case "running":
      return 0;
  }
}

export function estimateMessageTokens({ parts }: HostMessage): number {
  return parts.reduce((sum, part) => sum + estimatePartTokens(part), FRAME_TOKENS);
}

/** Estimates the tokens of a history as it is sent, including our inserts. `countTokens` may cache. */
export function estimateHistoryTokens(
  messages: readonly HostMessage[],
  countTokens: (message: HostMessage) => number = estimateMessageTokens,
): number {
  return messages.reduce((sum, message) => sum + countTokens(message), 0);
}
