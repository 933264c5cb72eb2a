// What only this process knows of its inbox: a value, with the questions that are asked of it.
import type { SessionId } from "../../storage/records.ts";
import type { Cause, Drive } from "./plan.ts";

/** How an input of ours is being given to the host. */
export type Sending =
  /** A queued prompt, as it was admitted; the host resolves it. */
  | "first"
  /** The stored parts take the place of what the host was given. */
  | "whole"
  /** The history has it: the loop runs again, and nothing is appended. */
  | "again";

/** A look that callers wait for, each by its ticket. */
export interface Ask {
  readonly cause: Cause;
  readonly tickets: readonly number[];
}

/** The look at a session that is going on. */
export interface Look {
  /** Null: nobody waits for it; the session has settled, or something was queued. */
  readonly ask: Ask | null;
  /** Whether one more look is due after this one. */
  readonly due: "none" | "one";
  /** `stopped`: it records and reports what it finds, and sends nothing. */
  readonly leave: "given" | "stopped";
  /** What it came to; null until then. */
  readonly drive: Drive | null;
  /** Tickets of those who wait for the end of a look that they stopped. */
  readonly stoppers: readonly number[];
}

interface Session {
  readonly activity: "busy" | "idle";
  /** When its newest prompt came; null once the session has run since. */
  readonly arrivedAtMs: number | null;
  readonly lease: "held" | "none";
  readonly look: Look | null;
  /** Looks that are asked for and have not begun, oldest first. */
  readonly asks: readonly Ask[];
  /** Messages of inputs that no boundary has held yet; null until the rows are read. */
  readonly unpromoted: ReadonlySet<string> | null;
  /** What the user was last shown of a hold, or of a crash; null once a prompt was admitted or work continues. */
  readonly heldText: string | null;
}

/** A prompt on its way through the host. */
export interface Passage {
  readonly sessionId: SessionId;
  /** Null once it has arrived: asked once. */
  readonly sending: Sending | null;
  /** When it was sent or came; null where it did not reach the host. */
  readonly sinceMs: number | null;
  /** `quiet`: saved in an idle session that has not run since. */
  readonly saved: "quiet" | "no matter";
}

export interface State {
  readonly life: "open" | "closed";
  /** How many prompts came, were saved or began to run so far, in all sessions. */
  readonly beginnings: number;
  /** Whether a timer will renew the leases. */
  readonly renewal: "none" | "due";
  readonly sessions: ReadonlyMap<SessionId, Session>;
  /** By message id. */
  readonly passages: ReadonlyMap<string, Passage>;
}

/** What a process knows when it starts: the rest is in the rows. */
export const emptyState: State = {
  life: "open",
  beginnings: 0,
  renewal: "none",
  sessions: new Map(),
  passages: new Map(),
};

const emptySession: Session = {
  activity: "idle",
  arrivedAtMs: null,
  lease: "none",
  look: null,
  asks: [],
  unpromoted: null,
  heldText: null,
};

export function sessionOf(state: State, sessionId: SessionId): Session {
  return state.sessions.get(sessionId) ?? emptySession;
}

export function withSession(state: State, id: SessionId, change: Partial<Session>): State {
  const session = { ...sessionOf(state, id), ...change };
  return { ...state, sessions: new Map(state.sessions).set(id, session) };
}

export function withPassage(state: State, messageId: string, passage: Passage): State {
  return { ...state, passages: new Map(state.passages).set(messageId, passage) };
}

/** The same, of a prompt that is on its way; nothing of any other. */
export function changePassage(state: State, messageId: string, change: Partial<Passage>): State {
  const passage = state.passages.get(messageId);
  return passage ? withPassage(state, messageId, { ...passage, ...change }) : state;
}

/** A prompt that has not been saved this long after it arrived never will be. */
export const SAVE_MS = 10_000;
/** And one that the history has runs within this time, or asked for no reply. */
const RUN_MS = 2_000;
/** When to look again at what may still come. */
export const LOOK_AGAIN_MS = SAVE_MS + 1_000;

/** Whether a prompt of someone else is running, or about to. */
export function isTaken(state: State, sessionId: SessionId, nowMs: number): boolean {
  const { activity, arrivedAtMs } = sessionOf(state, sessionId);
  return activity === "busy" || (arrivedAtMs !== null && nowMs - arrivedAtMs < RUN_MS);
}

/** Whether the host may still save a prompt, or run one that it has saved. */
export function mayStillCome(
  state: State,
  messageId: string,
  standing: "saved" | "unsaved",
  nowMs: number,
): boolean {
  const { sinceMs = null, saved } = state.passages.get(messageId) ?? {};
  if (sinceMs === null) return false;
  // Nobody knows yet whether it asked for a reply.
  if (standing === "saved" && saved === "quiet") return true;
  return nowMs - sinceMs < (standing === "saved" ? RUN_MS : SAVE_MS);
}
