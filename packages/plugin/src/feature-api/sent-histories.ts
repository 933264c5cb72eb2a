// Keeps what each session at work was sent last: one copy for all features.
import { BoundedMap } from "../context/bounded-map.ts";
import type { SentHistory } from "../ledger/sent-parts.ts";
import type { SessionId } from "../storage/records.ts";
import type { FeatureHooks } from "./feature-hooks.ts";

/** Histories are large: only of sessions that are at work is it known what they show. */
const MAX_SESSIONS = 8;

export type SentHistories = ReadonlyMap<SessionId, SentHistory>;

/** @returns with the hooks that keep it, which have to be called before those of features */
export function sentHistories() {
  const sent = new BoundedMap<SessionId, SentHistory>(MAX_SESSIONS);
  const hooks: FeatureHooks = {
    sent: ({ sessionId, ...history }) => void sent.set(sessionId, history),
    onEvent({ kind, sessionId }) {
      if (kind === "deleted") sent.delete(sessionId);
    },
  };
  return { sent: sent as SentHistories, hooks };
}
