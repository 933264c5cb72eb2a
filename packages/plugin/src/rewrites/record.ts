// A rewrite as it is stored: why, where, at what price, and what it spares.
// Folder: What was rewritten of sessions' histories: its record, and what people see of it.
import type { Reason } from "../history/plan.ts";
import type { SessionId } from "../storage/records.ts";

/**
 * One boundary at which history was dropped or folded. Tokens are the provider's, by our estimate. Rows
 * are never updated: what a rewrite has saved since follows from the calls since.
 */
export interface RewriteRecord {
  readonly sessionId: SessionId;
  /** The ledger's rank of its first entry. */
  readonly seq: number;
  readonly epochSeq: number;
  /** The moment of its call, in milliseconds since 1970. */
  readonly atMs: number;
  readonly reason: Reason;
  /** The first message that it changed, and the last one. */
  readonly firstMessageId: string;
  readonly lastMessageId: string;
  /** How many parts went by themselves, and how many folds were made. */
  readonly drops: number;
  readonly folds: number;
  /** What its call pays more for it, in input tokens; 0 where the cache was dead. */
  readonly costTokens: number;
  /** What each call is spared from then on. */
  readonly savedTokens: number;
  /** What reading a token from the cache, and writing it, costs of an input token. */
  readonly readRate: number;
  readonly writeRate: number;
  /** The protected tail, and what it has learnt from: both of the last calls, in input tokens. */
  readonly keepTokens: number;
  readonly regretTokens: number;
  readonly sparedTokens: number;
  /** What is folded and dropped after it, all in all. */
  readonly foldedMessages: number;
  readonly foldTokens: number;
  readonly droppedParts: number;
}
