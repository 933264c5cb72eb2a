import type { RewriteRecord } from "../../../src/features/history/rewrite-store.ts";
import { session } from "../../storage/records.ts";

/** A rewrite that paid, of the epoch that the session began with. */
export function rewriteRecord(seq: number, other: Partial<RewriteRecord> = {}): RewriteRecord {
  return {
    ...{ sessionId: session, seq, epochSeq: 1, atMs: 10, reason: "worth" },
    ...{ firstMessageId: "msg_1", lastMessageId: "msg_4", drops: 3, folds: 0 },
    ...{ costTokens: 2_000, savedTokens: 10_000, readRate: 0.1, writeRate: 1.25 },
    ...{ keepTokens: 6_000, regretTokens: 0, sparedTokens: 0 },
    ...{ foldedMessages: 0, foldTokens: 0, droppedParts: 3 },
    ...other,
  };
}
