// Tests whether a session shows a part of the index, or is about to.
import type { SentHistory } from "../../ledger/sent-parts.ts";
import type { SessionId } from "../../storage/records.ts";
import { type IsPartInContext, inContextTest } from "./search.ts";

/**
 * At rest, a session's newest messages are indexed before its next call shows them; they are newer than all that was
 * sent, and count as shown. If nothing was sent, it is unknown what the session shows, and no part counts as shown.
 */
export function shownSoon(sessionId: SessionId, history: SentHistory | undefined): IsPartInContext {
  const isSent = inContextTest(history);
  const newestId = history?.host
    .map(({ info }) => info.id)
    .toSorted()
    .at(-1);
  return (part) =>
    isSent(part) ||
    (newestId !== undefined && part.sessionId === sessionId && part.messageId > newestId);
}
