// What a look at an idle session makes of what it finds: rows settle, and at most one step is taken.

import type { SessionId } from "../../storage/records.ts";
import type { Effect, Facts, Next } from "./happenings.ts";
import {
  type Cause,
  type Drive,
  type Found,
  findingsOf,
  type HoldReason,
  nextStep,
  type StandingInput,
  type Step,
} from "./plan.ts";
import type { InputRecord } from "./records.ts";
import { settledBy } from "./standing.ts";
import {
  isTaken,
  LOOK_AGAIN_MS,
  mayStillCome,
  type State,
  sessionOf,
  withSession,
} from "./state.ts";
import { describeHold } from "./words.ts";

type FoundFacts = Extract<Facts, { kind: "found" }>;

/** `atMs`: now. */
export function looked(state: State, sessionId: SessionId, facts: Facts, atMs: number): Next {
  switch (facts.kind) {
    case "nothing":
      return release(withoutHeld(withDrive(state, sessionId, facts), sessionId), sessionId, atMs);
    case "busy":
    case "elsewhere":
      return { state: withDrive(state, sessionId, facts), effects: [] };
    case "found":
      return found(state, sessionId, facts, atMs);
  }
}

function found(state: State, sessionId: SessionId, facts: FoundFacts, atMs: number): Next {
  const { ask = null, leave = "given" } = sessionOf(state, sessionId).look ?? {};
  const cause = ask?.cause ?? "settled";
  const open = facts.working.filter(({ standing }) => settledBy(standing) === null);
  const isUnderway = (one: StandingInput) => isOnItsWay(state, cause, one, atMs);
  const result: Found = {
    // A prompt that this process is just taking in is not an interruption.
    findings: findingsOf(
      open.filter((one) => !isUnderway(one)),
      facts.turn,
      facts.waiting,
    ),
    unread: open.filter(({ input }) => input.promotedAtMs === null).length,
  };
  const isDone = open.length === 0 && facts.head === null && facts.since === "nothing";
  const left = isDone
    ? release(withoutHeld(state, sessionId), sessionId, atMs)
    : { state, effects: [] };
  const recorded = [...settlements(facts.working), ...left.effects];
  const ends = (drive: Drive | null) => withDrive(left.state, sessionId, drive);
  if (facts.revert === "undone") {
    return { state: ends({ kind: "undone", found: result }), effects: recorded };
  }
  const waiting = facts.head ? "some" : "none";
  const step = nextStep({ cause, working: open, end: facts.turn.end, waiting, isUnderway });
  // An interruption stops what would be sent, not what is recorded or shown.
  if (leave === "stopped" && step.kind !== "hold") return { state: ends(null), effects: recorded };
  const drive: Drive = { kind: "looked", found: result, step };
  if (cause === "look") return { state: ends(drive), effects: recorded };
  const taken = take(ends(drive), { sessionId, step, facts, result });
  return { state: taken.state, effects: [...recorded, ...taken.effects] };
}

function withDrive(state: State, sessionId: SessionId, drive: Drive | null): State {
  const { look } = sessionOf(state, sessionId);
  return look ? withSession(state, sessionId, { look: { ...look, drive } }) : state;
}

/** On the user's word nothing saved is waited for: it runs at most once, whoever starts it. */
function isOnItsWay(state: State, cause: Cause, one: StandingInput, atMs: number): boolean {
  const { messageId } = one.input;
  if (messageId === null) return false;
  const isPartial = one.standing === "unsaved" || one.standing === "torn";
  if (isPartial) return mayStillCome(state, messageId, "unsaved", atMs);
  return cause !== "resume" && mayStillCome(state, messageId, "saved", atMs);
}

/** Records what the history shows. */
function settlements(working: readonly StandingInput[]): readonly Effect[] {
  const settled = working.flatMap(({ input: { id }, standing }): Effect[] => {
    const state = settledBy(standing);
    return state === null ? [] : [{ kind: "settle", id, state }];
  });
  const isSaved = ({ input, standing }: StandingInput) =>
    (standing === "unanswered" || standing === "swallowed") &&
    input.promotedAtMs === null &&
    input.state !== "saved";
  const ids = working.filter(isSaved).map(({ input }) => input.id);
  return ids.length > 0 ? [...settled, { kind: "save", ids }] : settled;
}

/** Nothing is open: the session is anyone's, unless it is about to run here. */
function release(state: State, sessionId: SessionId, atMs: number): Next {
  const isHeld = sessionOf(state, sessionId).lease === "held";
  if (!isHeld || isTaken(state, sessionId, atMs)) return { state, effects: [] };
  return {
    state: withSession(state, sessionId, { lease: "none" }),
    effects: [{ kind: "release", sessionId }],
  };
}

interface Action {
  readonly sessionId: SessionId;
  readonly step: Step;
  readonly facts: FoundFacts;
  readonly result: Found;
}

function take(known: State, { sessionId, step, facts, result }: Action): Next {
  const { head, newest, freshIds } = facts;
  const again = lookAgain({ sessionId });
  if (step.kind === "rest") {
    return { state: known, effects: facts.waiting > 0 || result.unread > 0 ? [again] : [] };
  }
  if (step.kind === "hold") return hold(known, sessionId, step.why, result);
  const state = withoutHeld(known, sessionId);
  switch (step.kind) {
    case "promote": {
      const messageId = head?.messageId ?? freshIds.at(-1);
      if (!head || messageId === undefined) return { state, effects: [] };
      return { state, effects: [{ kind: "hand", input: head, messageId, newest }, again] };
    }
    case "send":
      return { state, effects: batch(step.inputs) };
    case "again":
      return { state, effects: [{ kind: "send", input: step.input, as: "again" }, again] };
    case "replace": {
      const next = step.inputs.map((input, index) => replaced(input, String(freshIds[index])));
      const replacements = step.inputs.map(
        ({ id }, index) => ({ kind: "replace", id, messageId: String(freshIds[index]) }) as const,
      );
      return { state, effects: [...replacements, ...batch(next)] };
    }
  }
}

function replaced(input: InputRecord, messageId: string): InputRecord {
  return { ...input, id: messageId, messageId, state: "handed", promotedAtMs: null };
}

/** All but the last are saved without a call of their own: one turn has all of them. */
export function batch(inputs: readonly InputRecord[]): readonly Effect[] {
  return inputs.flatMap((input, index) => {
    const as = index === inputs.length - 1 ? "alone" : "batch";
    return [{ kind: "send", input, as }, lookAgain(input)];
  });
}

/** What may still come, and a prompt that the host turns away, end in no event. */
function lookAgain({ sessionId }: Pick<InputRecord, "sessionId">): Effect {
  return { kind: "later", happening: { kind: "woken", sessionId }, delayMs: LOOK_AGAIN_MS };
}

function hold(state: State, sessionId: SessionId, why: HoldReason, result: Found): Next {
  const { findings, unread } = result;
  const text = describeHold(why, findings);
  // An answer that was cut short is not news: whoever stopped it knows.
  const isNews = unread > 0 || findings.waiting > 0 || findings.unsaved > 0;
  return isNews ? showHeld(state, sessionId, text) : { state, effects: [] };
}

/** Shown once; it stays known for whoever opens the session later. */
export function showHeld(state: State, sessionId: SessionId, text: string): Next {
  if (sessionOf(state, sessionId).heldText === text) return { state, effects: [] };
  return {
    state: withSession(state, sessionId, { heldText: text }),
    effects: [{ kind: "show", sessionId, text }],
  };
}

function withoutHeld(state: State, sessionId: SessionId): State {
  return sessionOf(state, sessionId).heldText === null
    ? state
    : withSession(state, sessionId, { heldText: null });
}
