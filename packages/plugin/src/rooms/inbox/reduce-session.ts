// One look per session at a time: wakes and asks during one lead to the next, and none is forgotten.
import type { SessionId } from "../../storage/records.ts";
import type { Effect, HappeningOf, Next } from "./happenings.ts";
import type { Cause, Drive } from "./plan.ts";
import { type Ask, type Look, type State, sessionOf, withSession } from "./state.ts";

/** Asks for a look: at once where none is going on; wakes during one are one more look together. */
export function woken(state: State, sessionId: SessionId): Next {
  const { look } = sessionOf(state, sessionId);
  if (!look) return begin(state, sessionId);
  return { state: withSession(state, sessionId, { look: { ...look, due: "one" } }), effects: [] };
}

/** Joins one that is asked for already and has not begun: what has begun may not see what is new. */
export function asked(state: State, sessionId: SessionId, cause: Cause, ticket: number): Next {
  const { asks, look } = sessionOf(state, sessionId);
  const joined = asks.some((ask) => ask.cause === cause)
    ? asks.map((ask) => (ask.cause === cause ? withTicket(ask, ticket) : ask))
    : [...asks, { cause, tickets: [ticket] }];
  const waiting = withSession(state, sessionId, { asks: joined });
  return look ? { state: waiting, effects: [] } : begin(waiting, sessionId);
}

function withTicket(ask: Ask, ticket: number): Ask {
  return { ...ask, tickets: [...ask.tickets, ticket] };
}

/**
 * Stops the look that is going on; the ticket is answered when it has ended. What was asked for
 * before is dropped, what is asked for meanwhile is looked for afterwards.
 */
export function interrupted(state: State, sessionId: SessionId, ticket: number): Next {
  const dropped = dropAsks(state, sessionId);
  const { look } = sessionOf(dropped.state, sessionId);
  if (!look) return { ...dropped, effects: [...dropped.effects, ...answers([ticket], null)] };
  const stoppers = [...look.stoppers, ticket];
  const stopped: Look = { ...look, due: "none", leave: "stopped", stoppers };
  return { ...dropped, state: withSession(dropped.state, sessionId, { look: stopped }) };
}

/** Nothing comes of what was asked for until now. */
export function dropAsks(state: State, sessionId: SessionId): Next {
  const tickets = sessionOf(state, sessionId).asks.flatMap((ask) => ask.tickets);
  return { state: withSession(state, sessionId, { asks: [] }), effects: answers(tickets, null) };
}

/** Answers whoever waited for this one, and begins the next where one is due. */
export function lookEnded(state: State, { sessionId, end }: HappeningOf<"look ended">): Next {
  const { look, asks } = sessionOf(state, sessionId);
  if (!look) return { state, effects: [] };
  const drive = end === "done" ? look.drive : null;
  const answered = [...answers(look.ask?.tickets ?? [], drive), ...answers(look.stoppers, null)];
  const over = withSession(state, sessionId, { look: null });
  if (look.due === "none" && asks.length === 0) return { state: over, effects: answered };
  const next = begin(over, sessionId);
  return { state: next.state, effects: [...answered, ...next.effects] };
}

/** Null: nothing came of it. */
function answers(tickets: readonly number[], drive: Drive | null): readonly Effect[] {
  if (tickets.length === 0) return [];
  return [{ kind: "answer", tickets, drive: drive ?? { kind: "nothing" } }];
}

function begin(state: State, sessionId: SessionId): Next {
  const [ask = null, ...asks] = sessionOf(state, sessionId).asks;
  const look: Look = { ask, due: "none", leave: "given", drive: null, stoppers: [] };
  return {
    state: withSession(state, sessionId, { look, asks }),
    effects: [{ kind: "look", sessionId, cause: ask?.cause ?? "settled" }],
  };
}
