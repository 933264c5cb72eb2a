// Recall's index as a room asks it for what a session doesn't show.

import { Newest } from "../../context/newest.ts";
import type { House } from "../../features/house.ts";
import type { RoomHooks, SentCall } from "../../features/room-hooks.ts";
import type { SessionId } from "../../storage/records.ts";
import { shownIn } from "../recall/recall.ts";
import type { IsShown } from "../recall/search.ts";

/** Histories are large: only of sessions that are at work is it known what they show. */
const HELD_SESSIONS = 8;

export async function openProjectIndex(house: House) {
  const file = await house.index();
  const sent = new Newest<SessionId, SentCall>(HELD_SESSIONS);
  const hooks = {
    sent: (history) => void sent.set(history.sessionId, history),
    heard({ kind, sessionId }) {
      if (kind === "deleted") sent.delete(sessionId);
    },
    closed: () => file.close(),
  } satisfies RoomHooks;
  /**
   * A session at rest has its newest messages indexed, which its next call shows: they are newer than all
   * that was sent. Where nothing was, it isn't known what it shows.
   */
  const isShown = (sessionId: SessionId): IsShown => {
    const history = sent.get(sessionId);
    const isSent = shownIn(history);
    const newestId = history?.host
      .map(({ info }) => info.id)
      .toSorted()
      .at(-1);
    return (part) =>
      isSent(part) ||
      (newestId !== undefined && part.sessionId === sessionId && part.messageId > newestId);
  };
  return { file, hooks, isShown };
}
