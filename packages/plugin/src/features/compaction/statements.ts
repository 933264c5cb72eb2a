// Collects the words of a session that its host's compaction removes from the history, from the host's rows.
import { findCurrentParts, keptLines } from "../../history/kept-lines.ts";
import { isClosing } from "../../history/message-words.ts";
import { withoutPastes } from "../../history/pasted-text.ts";
import { shortenedAnswer } from "../../history/shortened.ts";
import type { WayBack } from "../../history/stub.ts";
import {
  asksForCompaction,
  createdAtMs,
  type HostMessage,
  isSent,
  isText,
  isTyped,
  shows,
  type TextPart,
} from "../../ledger/message.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import type { Statement } from "../../storage/brief-store.ts";
import { isSummary } from "./runtime-facts.ts";

/** A longer answer is quoted by its beginning and end. */
const MAX_ANSWER_TOKENS = 500;

/**
 * Collects statements in the order of the rows. It skips what the host has added beside the user's words, and its
 * summaries.
 */
export function statementsIn(rows: readonly HostMessage[], wayBack: WayBack): readonly Statement[] {
  const current = findCurrentParts(rows);
  return rows.filter(isSent).flatMap((message): readonly Statement[] => {
    const said = { messageId: message.info.id, saidAtMs: createdAtMs(message.info) };
    const prompt = findPromptText(message, wayBack);
    if (prompt !== null) return [{ ...said, kind: "prompt", text: prompt }];
    const answer = findAnswerText(message, wayBack);
    if (answer !== null) return [{ ...said, kind: "answer", text: answer }];
    const kept = keptLines([message], current);
    return kept.map((text) => ({ ...said, kind: "kept", text }));
  });
}

function findPromptText({ info, parts }: HostMessage, wayBack: WayBack): string | null {
  if (info.role !== "user" || asksForCompaction({ parts })) return null;
  return joinParts(
    parts.filter(isTyped),
    (part) => withoutPastes(part.text, part.id, wayBack) ?? part.text,
  );
}

function findAnswerText(message: HostMessage, wayBack: WayBack): string | null {
  if (!isClosing(message) || isSummary(message.info)) return null;
  const texts = message.parts.filter(isText).filter(shows);
  return joinParts(texts, ({ id, text }) =>
    estimateTokens(text) > MAX_ANSWER_TOKENS ? shortenedAnswer(text, id, wayBack) : text,
  );
}

function joinParts(parts: readonly TextPart[], say: (part: TextPart) => string): string | null {
  const text = parts.map(say).join("\n");
  return text.trim() === "" ? null : text;
}

/** Keeps each message once, as it was collected first: a host may not return it later. */
export function mergedStatements(
  earlier: readonly Statement[],
  later: readonly Statement[],
): readonly Statement[] {
  const known = new Set(earlier.map(({ messageId }) => messageId));
  return [...earlier, ...later.filter(({ messageId }) => !known.has(messageId))];
}
