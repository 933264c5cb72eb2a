// What of the index a session shows, or is about to show.
import type { SentHistory } from "../../ledger/sent-parts.ts";
import type { SessionId } from "../../storage/records.ts";
import { type IsPartInContext, shownIn } from "./search.ts";

/**
 * A session at rest has its newest messages indexed, which its next call shows: they are newer than all that
 * was sent. Where nothing was, it isn't known what it shows.
 */
export function shownSoon(sessionId: SessionId, history: SentHistory | undefined): IsPartInContext {
  const isSent = shownIn(history);
  const newestId = history?.host
    .map(({ info }) => info.id)
    .toSorted()
    .at(-1);
  return (part) =>
    isSent(part) ||
    (newestId !== undefined && part.sessionId === sessionId && part.messageId > newestId);
}
