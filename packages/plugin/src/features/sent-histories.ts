// What each session at work was sent last: one copy for all rooms.
import { Newest } from "../context/newest.ts";
import type { SentHistory } from "../projection/shown-parts.ts";
import type { SessionId } from "../storage/records.ts";
import type { RoomHooks } from "./room-hooks.ts";

/** Histories are large: only of sessions that are at work is it known what they show. */
const HELD_SESSIONS = 8;

export type SentHistories = ReadonlyMap<SessionId, SentHistory>;

/** @returns with the hooks that keep it, which have to hear of a call before rooms do */
export function sentHistories() {
  const sent = new Newest<SessionId, SentHistory>(HELD_SESSIONS);
  const hooks: RoomHooks = {
    sent: ({ sessionId, ...history }) => void sent.set(sessionId, history),
    heard({ kind, sessionId }) {
      if (kind === "deleted") sent.delete(sessionId);
    },
  };
  return { sent: sent as SentHistories, hooks };
}
