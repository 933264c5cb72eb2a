// What the host's events change: a session runs or rests, a prompt is saved, promoted or needs no reply.
import type { SessionId } from "../../storage/records.ts";
import type { Effect, HappeningOf, Next } from "./happenings.ts";
import { woken } from "./reduce-session.ts";
import { changePassage, type State, sessionOf, withPassage, withSession } from "./state.ts";

export function status(state: State, { sessionId, status: activity }: HappeningOf<"status">): Next {
  const { activity: former, lease } = sessionOf(state, sessionId);
  const seen = withSession(state, sessionId, { activity, arrivedAtMs: null });
  if (activity === "idle") return { state: seen, effects: [] };
  const runs = former === "busy" ? seen : { ...seen, beginnings: seen.beginnings + 1 };
  return {
    state: { ...runs, passages: unquiet(runs, sessionId) },
    // Where it could not be had at the prompt's admission: whoever runs a session drives it.
    effects: lease === "held" ? [] : [{ kind: "acquire", sessionId }],
  };
}

function unquiet({ passages }: State, sessionId: SessionId): State["passages"] {
  const changed = [...passages].map(([id, passage]) => {
    const saved = passage.sessionId === sessionId ? "no matter" : passage.saved;
    return [id, { ...passage, saved }] as const;
  });
  return new Map(changed);
}

/** How long no prompt of any session may come, be saved or begin to run. */
const QUIET_MS = 1_000;
/** A timer that fires this late shows that the process does not keep up. */
const LATE_MS = 250;
/** A process in which something begins every second is not waited for longer than this many times. */
const MOST_LOOKS = 30;

/**
 * The host has a user's message now; its parts are about to be saved. It does not say which prompts
 * want no reply: these are saved, and their session does not run. When many prompts come at once,
 * though, seconds of work can stand between a prompt's saving and its turn, and a process that was
 * killed then would not offer it again. So the wait begins again whenever anything else begins, or
 * the process lags.
 */
export function saved(
  state: State,
  { sessionId, messageId }: HappeningOf<"saved">,
  atMs: number,
): Next {
  const { unpromoted, activity } = sessionOf(state, sessionId);
  if (!unpromoted?.has(messageId)) return { state, effects: [] };
  const counted = { ...state, beginnings: state.beginnings + 1 };
  const follow: Effect = { kind: "follow parts", messageId };
  if (activity === "busy") return { state: counted, effects: [follow] };
  const passage = counted.passages.get(messageId) ?? { sessionId, sending: null, sinceMs: null };
  return {
    state: withPassage(counted, messageId, { ...passage, saved: "quiet" }),
    effects: [waitForItsTurn(counted, { sessionId, messageId }, MOST_LOOKS, atMs), follow],
  };
}

function waitForItsTurn(
  { beginnings }: State,
  { sessionId, messageId }: Pick<HappeningOf<"saved">, "sessionId" | "messageId">,
  looksLeft: number,
  atMs: number,
): Effect {
  const dueMs = atMs + QUIET_MS;
  const kind = "waited for its turn";
  const happening = { kind, sessionId, messageId, beginnings, dueMs, looksLeft } as const;
  return { kind: "later", happening, delayMs: QUIET_MS };
}

/**
 * One that runs after all is promoted then like any other. What was saved in a running turn, or cut
 * off before its first call, asked for a reply: it is offered again.
 */
export function waitedForItsTurn(
  state: State,
  event: HappeningOf<"waited for its turn">,
  atMs: number,
): Next {
  const { sessionId, messageId, beginnings, dueMs, looksLeft } = event;
  if (state.passages.get(messageId)?.saved !== "quiet") return { state, effects: [] };
  const isStirred = state.beginnings !== beginnings || atMs - dueMs > LATE_MS;
  if (isStirred && looksLeft > 1) {
    return { state, effects: [waitForItsTurn(state, event, looksLeft - 1, atMs)] };
  }
  return {
    state: changePassage(state, messageId, { saved: "no matter" }),
    effects: [{ kind: "check idle", sessionId, messageId }],
  };
}

/** It has not run, and nothing runs: it asked for no reply. A look may have found it saved before. */
export function stillIdle(state: State, { input }: HappeningOf<"still idle">): Next {
  const isOpen = input?.state === "handed" || input?.state === "saved";
  const effects: Effect[] = isOpen ? [{ kind: "settle", id: input.id, state: "recorded" }] : [];
  return { state, effects };
}

/** What a boundary's history holds whole is promoted once the call has been sent. */
export function boundary(state: State, event: HappeningOf<"boundary">, atMs: number): Next {
  const { sessionId, whole: messageIds, afterSendMs: delayMs } = event;
  if (messageIds.length === 0) return { state, effects: [] };
  const happening = { kind: "call sent", sessionId, messageIds, foundAtMs: atMs } as const;
  return { state, effects: [{ kind: "later", happening, delayMs }] };
}

/** Where the rows can't be written, they stay unpromoted here, and the next boundary tries again. */
export function promoted(state: State, { sessionId, messageIds }: HappeningOf<"promoted">): Next {
  const known = withoutUnpromoted(state, sessionId, messageIds);
  // A turn as short as that is over by now, and was looked at too early.
  const isOver = sessionOf(state, sessionId).activity === "idle";
  return isOver ? woken(known, sessionId) : { state: known, effects: [] };
}

export function removed(state: State, { input, messageId }: HappeningOf<"removed">): Next {
  return {
    state: withoutUnpromoted(state, input.sessionId, [messageId]),
    effects: [{ kind: "settle", id: input.id, state: "undone" }],
  };
}

function withoutUnpromoted(state: State, sessionId: SessionId, ids: readonly string[]): State {
  const { unpromoted } = sessionOf(state, sessionId);
  if (!unpromoted) return state;
  const left = new Set([...unpromoted].filter((id) => !ids.includes(id)));
  return withSession(state, sessionId, { unpromoted: left });
}
