// The inbox as one pure function: what is known and what happens give what is known then, and what to do.

import type { Effect, HappeningOf, InboxEvent, Next } from "./happenings.ts";
import { admission, arrives, retryRead, sourcesMissing } from "./reduce-arrival.ts";
import {
  boundary,
  promoted,
  removed,
  saved,
  status,
  stillIdle,
  waitedForItsTurn,
} from "./reduce-host.ts";
import { batch, looked, showHeld } from "./reduce-look.ts";
import { asked, dropAsks, interrupted, lookEnded, woken } from "./reduce-session.ts";
import {
  changePassage,
  isTaken,
  mayStillCome,
  type State,
  withPassage,
  withSession,
} from "./state.ts";

/**
 * A prompt is a row of the database, and its state there is all that a crash leaves:
 *
 *     /ctx-queue, code                 chat.message, code
 *           │                                 │
 *        waiting ──────── hand ──────────▶ handed ◀── hand ── refused
 *           │  ◀─ turn back (queued) ────────┤ └─ turn back (steer) ─▶
 *           ▼                                │
 *        dropped            saved ◀── a look finds it whole ──┤
 *                             └──▶ promoted ◀── a boundary held it whole
 *                                      │
 *                                   answered
 *
 * Over is also one that was taken back (undone), that asked for no reply (recorded), and one that
 * the host believes answered without a model having read it (swallowed: its prompt goes on in a new
 * row). Any state from handed to promoted can become one of these or answered.
 *
 * A session is looked at when it settles, is woken or somebody asks:
 *
 *     resting ── woken, asked ──▶ looking ── looked ──▶ taking one step ── look ended ──▶ resting
 *                                    ▲                                          │
 *                                    └───────── woken or asked meanwhile ───────┘
 *
 * What holds after each event:
 *
 *  1. Rows first. A prompt is let through, handed or sent only when its row holds it. No text of a
 *     prompt is known here alone: an empty state and the rows are enough to go on.
 *  2. One look per session at a time. However many wakes come during it, one more follows.
 *  3. Each ticket is answered exactly once: when its look has ended, or when the look is dropped.
 *  4. A look takes at most one step, and none while a prompt is on its way into the session.
 *  5. One that was stopped sends nothing. It records and reports what it finds.
 *  6. A queued prompt is handed only by a look, in a session that rests, in its turn. One that finds
 *     the session taken goes back to its place.
 *  7. Without the user's word nothing is sent while a prompt is open, nor after a turn that failed or
 *     was interrupted. The user hears of a hold once until the next prompt is admitted.
 *  8. A prompt is promoted only when a boundary held all of it, and once.
 *  9. A row settles as answered or undone only by what the history shows or the host says, as
 *     recorded only when its session has stayed idle in a process that is quiet.
 * 10. A retry adds nothing that the host has, and what is sent again is sent once: as a new row, or
 *     under its own id.
 * 11. The lease is held while anything is open or runs, and is renewed while it is held.
 * 12. After the inbox is closed, no timer does anything, and nothing new is taken up.
 */
export function reduce(state: State, event: InboxEvent): Next {
  const { atMs } = event;
  switch (event.kind) {
    case "arrives":
      return arrives(state, event, atMs);
    case "admission":
      return admission(state, event, atMs);
    case "retry read":
      return retryRead(state, event, atMs);
    case "sources missing":
      return sourcesMissing(state, event);
    case "boundary":
      return boundary(state, event, atMs);
    case "saved":
      return saved(state, event, atMs);
    case "removed":
      return removed(state, event);
    case "status":
      return status(state, event);
    case "deleted":
      return deleted(state, event);
    case "by code":
      return byCode(state, event, atMs);
    case "asked":
      return asked(state, event.sessionId, event.cause, event.ticket);
    case "interrupted":
      return interrupted(state, event.sessionId, event.ticket);
    case "left open":
      return showHeld(state, event.sessionId, event.text);
    case "closed":
      return closed(state);
    case "woken":
      return woken(state, event.sessionId);
    case "looked":
      return looked(state, event.sessionId, event.facts, atMs);
    case "look ended":
      return lookEnded(state, event);
    case "sending":
      return { state: sending(state, event, atMs), effects: [] };
    case "not sent":
      return { state: changePassage(state, event.messageId, NOT_SENT), effects: [] };
    case "call sent":
      return { state, effects: [{ ...event, kind: "promote" }] };
    case "promoted":
      return promoted(state, event);
    case "waited for its turn":
      return waitedForItsTurn(state, event, atMs);
    case "still idle":
      return stillIdle(state, event);
    case "renewal due":
      return renewalDue(state);
    case "rows read": {
      const unpromoted = new Set(event.unpromoted);
      return { state: withSession(state, event.sessionId, { unpromoted }), effects: [] };
    }
    case "leased":
      return leased(state, event);
  }
}

/** The rows are gone with the session. */
function deleted(state: State, { sessionId }: HappeningOf<"deleted">): Next {
  const { state: left, effects } = dropAsks(state, sessionId);
  return { state: withSession(left, sessionId, { unpromoted: null, heldText: null }), effects };
}

const NOT_SENT = { sending: null, sinceMs: null } as const;

function sending(
  state: State,
  { sessionId, messageId, how }: HappeningOf<"sending">,
  atMs: number,
): State {
  const { saved = "no matter" } = state.passages.get(messageId) ?? {};
  return withPassage(state, messageId, { sessionId, sending: how, sinceMs: atMs, saved });
}

/** A queued one waits its turn; a steer is sent now, and a retry of one only where it is left over. */
function byCode(state: State, { admission, reply }: HappeningOf<"by code">, atMs: number): Next {
  const { kind, record } = admission;
  if (kind === "conflict") return { state, effects: [] };
  if (record.delivery === "queue") return woken(state, record.sessionId);
  if (kind === "retry" && !isLeft(state, record, atMs)) return { state, effects: [] };
  const settled: Effect = { kind: "settle", id: record.id, state: "recorded" };
  return { state, effects: [...batch([record]), ...(reply === "none" ? [settled] : [])] };
}

/** Whether nothing comes of it by itself: it is not answered, and nothing is about to run for it. */
function isLeft(
  state: State,
  record: HappeningOf<"by code">["admission"]["record"],
  atMs: number,
): boolean {
  const { sessionId, messageId } = record;
  switch (record.state) {
    case "handed":
    case "refused":
      return messageId !== null && !mayStillCome(state, messageId, "unsaved", atMs);
    case "saved":
    case "promoted":
      return !isTaken(state, sessionId, atMs);
    case "waiting":
    case "recorded":
    case "answered":
    case "dropped":
    case "undone":
    case "swallowed":
      return false;
  }
}

const RENEW_MS = 20_000;

function leased(state: State, { sessionId, answer }: HappeningOf<"leased">): Next {
  const lease = answer === "mine" ? "held" : "none";
  const known = withSession(state, sessionId, { lease });
  if (lease === "none" || state.renewal === "due") return { state: known, effects: [] };
  return { state: { ...known, renewal: "due" }, effects: [renewLater] };
}

const renewLater: Effect = {
  kind: "later",
  happening: { kind: "renewal due" },
  delayMs: RENEW_MS,
};

/** The next renewal is planned first: one that fails drops the rest. */
function renewalDue(state: State): Next {
  const held = heldSessions(state);
  if (held.length === 0) return { state: { ...state, renewal: "none" }, effects: [] };
  const renewals = held.map((sessionId) => ({ kind: "acquire", sessionId }) as const);
  return { state, effects: [renewLater, ...renewals] };
}

/** Another instance has the sessions, and nothing is opened, sent or written here any more. */
function closed(state: State): Next {
  const held = heldSessions(state);
  const left = held.reduce((rest, id) => withSession(rest, id, { lease: "none" }), state);
  const effects = held.map((sessionId) => ({ kind: "release", sessionId }) as const);
  return { state: { ...left, life: "closed" }, effects };
}

function heldSessions({ sessions }: State) {
  return [...sessions].flatMap(([id, { lease }]) => (lease === "held" ? [id] : []));
}
