// A prompt in chat.message: admitted, an exact retry, a conflict, refused, or one that we sent.

import type { ArrivingPrompt } from "../../features/prompt.ts";
import type { Effect, HappeningOf, Next } from "./happenings.ts";
import type { InputRecord } from "./records.ts";
import {
  changePassage,
  isTaken,
  type Passage,
  SAVE_MS,
  type State,
  sessionOf,
  withPassage,
  withSession,
} from "./state.ts";

export function arrives(
  state: State,
  { prompt, known }: HappeningOf<"arrives">,
  atMs: number,
): Next {
  const { sessionId, message } = prompt;
  const sending = state.passages.get(message.id)?.sending ?? null;
  const asked = changePassage(state, message.id, { sending: null });
  if (sending === null || known === null) {
    return { state: asked, effects: [{ kind: "admit", prompt }] };
  }
  if (sending === "first" && known.delivery === "queue" && isTaken(state, sessionId, atMs)) {
    const text = "A queued prompt keeps waiting: the session has become busy.";
    return turnedBack(asked, prompt, known, { kind: "refuse", reason: "held", text });
  }
  return comes(
    asked,
    { prompt, record: known },
    [{ kind: "bring in", prompt, record: known }],
    atMs,
  );
}

export function admission(state: State, event: HappeningOf<"admission">, atMs: number): Next {
  const { prompt, record, outcome } = event;
  switch (outcome) {
    case "conflict": {
      const text = conflictText(record, prompt);
      return { state, effects: [{ kind: "refuse", reason: "conflict", text }] };
    }
    case "retry":
      return { state, effects: [{ kind: "read retry", prompt, record }] };
    case "admitted":
      return comes(state, event, [], atMs);
  }
}

/** The same prompt again: what the host holds of it stays as it is, and its loop wakes. */
export function retryRead(state: State, event: HappeningOf<"retry read">, atMs: number): Next {
  const { prompt, record, current, saved } = event;
  const wasSaved = record.state === "saved" || record.state === "promoted";
  if (saved === null && (wasSaved || isOver(current))) {
    return { state, effects: [{ kind: "admit again", prompt, record }] };
  }
  return comes(
    state,
    { prompt, record: current },
    [{ kind: "complete", prompt, record: current, saved }],
    atMs,
  );
}

function isOver({ state }: InputRecord): boolean {
  return state === "answered" || state === "recorded" || state === "undone";
}

/** The prompt is in the inbox by now: refused, it stays there, and can be tried again. */
export function sourcesMissing(state: State, event: HappeningOf<"sources missing">): Next {
  const { prompt, record, keys } = event;
  const text = `The prompt was kept and not sent: ${keys.join(", ")} can't be loaded, and onUnavailable is "block". /ctx-resume tries again; onUnavailable: "omit" sends prompts without it.`;
  return turnedBack(state, prompt, record, { kind: "refuse", reason: "unavailable", text });
}

/** Admitted, and on its way through the host once its sources can load. */
function comes(
  state: State,
  { prompt, record }: Pick<HappeningOf<"admission">, "prompt" | "record">,
  whenLoaded: readonly Effect[],
  atMs: number,
): Next {
  const { sessionId, message } = prompt;
  const { unpromoted } = sessionOf(state, sessionId);
  const session = withSession(state, sessionId, {
    arrivedAtMs: atMs,
    unpromoted: unpromoted && new Set(unpromoted).add(message.id),
    heldText: null,
  });
  const { saved = "no matter" } = state.passages.get(message.id) ?? {};
  const passage = { sessionId, sending: null, sinceMs: atMs, saved };
  const came = withPassage(session, message.id, passage);
  return {
    state: withoutOld({ ...came, beginnings: came.beginnings + 1 }, atMs),
    effects: [
      ...(unpromoted ? [] : [{ kind: "read rows", sessionId } as const]),
      { kind: "acquire", sessionId },
      { kind: "check sources", prompt, record },
      ...whenLoaded,
    ],
  };
}

const MOST_PASSAGES = 1_000;

function withoutOld(state: State, atMs: number): State {
  if (state.passages.size <= MOST_PASSAGES) return state;
  const isNeeded = ({ sending, saved, sinceMs }: Passage) =>
    sending !== null || saved === "quiet" || (sinceMs !== null && atMs - sinceMs <= SAVE_MS);
  const needed = [...state.passages].filter(([, passage]) => isNeeded(passage));
  return { ...state, passages: new Map(needed) };
}

function turnedBack(
  state: State,
  { message }: ArrivingPrompt,
  { id }: InputRecord,
  refusal: Effect,
): Next {
  return {
    state: changePassage(state, message.id, { sending: null, sinceMs: null }),
    effects: [{ kind: "turn back", id }, refusal],
  };
}

function conflictText(record: InputRecord, { sessionId, message }: ArrivingPrompt): string {
  const other =
    record.sessionId !== sessionId
      ? "a prompt of another session"
      : record.delivery === "queue"
        ? "a prompt of the queue"
        : "a different prompt of this session";
  return `The message id ${message.id} is taken by ${other}. Nothing was stored or sent. Send the same prompt for a retry, or this one under a new id.`;
}
