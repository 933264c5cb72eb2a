// Shortens results that no call has read yet to their beginning and end, then old prompts: the last resort if
// the call would not fit otherwise.
import type { Edit } from "../ledger/edit.ts";
import { type HostMessage, isTyped, type TextPart } from "../ledger/message.ts";
import { estimateTokens } from "../ledger/tokens.ts";
import { MIN_SAVED_TOKENS } from "./candidate.ts";
import { isAnswer } from "./measured-history.ts";
import { collectResults } from "./results.ts";
import { shortenAnswer } from "./shortening.ts";
import { type RetrievalTool, renderRetrievalHint } from "./stub.ts";
import type { HistoryInput } from "./survey.ts";
import { trimTrailingSurrogate } from "./words.ts";

interface ClipResult {
  readonly edits: readonly Edit[];
  readonly saves: number;
}

const MIN_KEPT_TOKENS = 200;
const BISECTION_STEPS = 20;

/** Cuts the largest results to one size: the largest size that saves this many tokens. */
export function clipToFit(
  { projected }: HistoryInput,
  wayBack: RetrievalTool,
  tokens: number,
): ClipResult {
  const newest = projected.findLast(isAnswer)?.info.id;
  const results = collectResults(projected).filter(({ messageId }) => messageId === newest);
  const sizes = results.map(({ tokens: size }) => size);
  let low = MIN_KEPT_TOKENS;
  let high = Math.max(low, ...sizes);
  for (let step = 0; step < BISECTION_STEPS; step++) {
    const middle = (low + high) / 2;
    const spared = sizes.reduce((sum, size) => sum + Math.max(0, size - middle), 0);
    if (spared >= tokens) low = middle;
    else high = middle;
  }
  let saves = 0;
  const edits = results.flatMap(({ messageId, partId, text, tokens: size }): readonly Edit[] => {
    if (size <= low) return [];
    const cut = clipText(text, Math.floor(low), renderRetrievalHint(partId, wayBack, "them"));
    const spared = size - estimateTokens(cut);
    if (spared <= 0) return [];
    saves += spared;
    return [{ verb: "replace", at: { messageId, partId }, text: cut }];
  });
  return { edits, saves };
}

/**
 * Shortens the user's prompts, last of all and only in their middle: the oldest first, until this many tokens
 * are saved. His newest prompt stays whole.
 */
export function clipPromptsToFit(
  input: HistoryInput,
  wayBack: RetrievalTool,
  tokens: number,
): ClipResult {
  const { projected, claims } = input;
  const prompts = projected.filter((message) => listTypedParts(message).length > 0);
  let saves = 0;
  const edits: Edit[] = [];
  for (const { info, parts } of prompts.slice(0, -1)) {
    for (const { id, text } of listTypedParts({ info, parts })) {
      if (saves >= tokens || claims.has(id)) continue;
      const cut = shortenAnswer(text, id, wayBack);
      const spared = estimateTokens(text) - estimateTokens(cut);
      if (spared < MIN_SAVED_TOKENS) continue;
      saves += spared;
      edits.push({ verb: "replace", at: { messageId: info.id, partId: id }, text: cut });
    }
  }
  return { edits, saves };
}

/** Lists the parts of a message that a person wrote. */
export function listTypedParts({ info, parts }: HostMessage): readonly TextPart[] {
  return info.role === "user" ? parts.filter(isTyped) : [];
}

/** The tokens of the line between the two ends. */
const MARKER_TOKENS = 40;
const HEAD_SHARE = 2 / 3;

function clipText(text: string, tokens: number, back: string): string {
  // Measured on this text, as in Chinese or Japanese a character is about one token.
  const charsPerToken = text.length / Math.max(1, estimateTokens(text));
  const chars = Math.max(0, tokens - MARKER_TOKENS) * charsPerToken;
  const head = trimTrailingSurrogate(text.slice(0, Math.floor(chars * HEAD_SHARE)));
  const tail = trimLeadingSurrogate(text.slice(text.length - Math.floor(chars * (1 - HEAD_SHARE))));
  const left = text.length - head.length - tail.length;
  return `${head}\n[${left} characters are not shown here: the call would not have fitted${back}]\n${tail}`;
}

function trimLeadingSurrogate(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
