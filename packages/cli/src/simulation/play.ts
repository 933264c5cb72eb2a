// Plays a recorded session: each step is sent, and what it needs and no longer sees is asked for again.
import type {
  MeasureMessage,
  MessageMeasure,
} from "@session-runtime/opencode/history/measured-history";
import type { HistorySettings } from "@session-runtime/opencode/history/settings";
import {
  type HostMessage,
  hasEnded,
  isText,
  readResultText,
} from "@session-runtime/opencode/ledger/message";
import { marksIn, type ResultNeed, SyntheticWords, type WordPair } from "./made-up.ts";
import { listTurns, type RecordedSession, type RecordedStep } from "./recorded.ts";
import { type Rewrite, SimulatedSession } from "./session.ts";
import type { Model } from "./settings.ts";

export interface PlayedSession {
  /** The bill of all calls, in input tokens. */
  readonly bill: number;
  readonly calls: number;
  /** Counts the calls that only asked for results again. */
  readonly extraCalls: number;
  /** Counts the results that were asked for again. */
  readonly askedAgain: number;
  readonly peakTokens: number;
  readonly meanTokens: number;
  readonly rewrites: readonly Rewrite[];
  readonly compactions: number;
  readonly refused: number;
  readonly coldCalls: number;
}

/** Limits the results that one call asks for again. */
export const MAX_CALLS_AT_ONCE = 5;

/** Holds the numbers of a call's step and turn. */
export interface CallPosition {
  readonly step: number;
  readonly turn: number;
}

/** Observes each call as it was sent. */
type OnCall = (session: SimulatedSession, place: CallPosition) => void;

/** Plays the session; a null `history` simulates the host alone. Pure: the same session gives the same figures. */
export function play(
  recorded: RecordedSession,
  model: Model,
  history: HistorySettings | null,
  watch: OnCall = () => undefined,
): PlayedSession {
  const words = SyntheticWords.of(recorded);
  const session = new SimulatedSession(
    model,
    history && { ...history, measure: measureByObject(history.measure) },
  );
  const counts = { extraCalls: 0, askedAgain: 0 };
  let [number, atMs] = [0, 0];
  for (const [turn, { chars, steps }] of listTurns(recorded).entries()) {
    session.prompt(words.createPrompt(chars, turn));
    const sent = () => watch(session, { step: number, turn });
    for (const step of steps) {
      atMs = step.s === undefined ? atMs : step.s * 1000;
      askAgain(session, { step, words, atMs, counts, sent });
      const calls = step.calls.flatMap(({ result }) => words.findCall(result) ?? []);
      session.answer({ said: words.createAnswer(step, number), calls });
      number += 1;
    }
    if ((steps.at(-1)?.calls.length ?? 0) > 0) {
      session.send(atMs);
      sent();
      session.answer({ said: TURN_END, calls: [] });
    }
  }
  return { ...counts, ...summarizeCalls(session) };
}

/**
 * Remembers measures by object: a simulated message never changes, while the real host makes new objects at each
 * call.
 */
function measureByObject(measure: MeasureMessage): MeasureMessage {
  const remembered = new WeakMap<HostMessage, MessageMeasure>();
  return (message) => {
    const known = remembered.get(message);
    if (known) return known;
    const measured = measure(message);
    remembered.set(message, measured);
    return measured;
  };
}

/** The answer that ends a turn whose last recorded step still calls something. */
export const TURN_END = "That is all.";

interface StepState {
  readonly step: RecordedStep;
  readonly words: SyntheticWords;
  readonly atMs: number;
  readonly counts: { extraCalls: number; askedAgain: number };
  readonly sent: () => void;
}

/** Sends this step's call, after as many extra calls as it takes to see what it needs. */
function askAgain(session: SimulatedSession, { step, words, atMs, counts, sent }: StepState): void {
  const asked = new Set<number>();
  session.send(atMs);
  sent();
  for (;;) {
    const missing = listMissingNeeds(session.sent, words.listNeeds(step))
      .filter(({ result }) => !asked.has(result))
      .slice(0, MAX_CALLS_AT_ONCE);
    if (missing.length === 0) return;
    for (const { result } of missing) asked.add(result);
    counts.askedAgain += missing.length;
    counts.extraCalls += 1;
    session.answer({
      said: "",
      calls: missing.flatMap(({ result }) => words.findCall(result) ?? []),
    });
    session.send(atMs);
    sent();
  }
}

function listMissingNeeds(
  sent: readonly HostMessage[],
  needs: readonly ResultNeed[],
): readonly ResultNeed[] {
  // This searches from the newest message, since most of what is used has just come.
  const isShown = (marks: WordPair) =>
    sent.findLast((message) => marks.some((mark) => collectShownMarks(message).has(mark))) !==
    undefined;
  return needs.filter(({ marks }) => !isShown(marks));
}

/** Finds a message's marks once, since a simulated message never changes. */
function collectShownMarks(message: HostMessage): ReadonlySet<string> {
  const known = MARKS.get(message);
  if (known) return known;
  const texts = message.parts.flatMap((part) =>
    isText(part) ? [part.text] : hasEnded(part) ? [readResultText(part)] : [],
  );
  const found = new Set(texts.flatMap(marksIn));
  MARKS.set(message, found);
  return found;
}

const MARKS = new WeakMap<HostMessage, ReadonlySet<string>>();

function summarizeCalls({ calls, rewrites, refused, coldCalls }: SimulatedSession) {
  const main = calls.filter(({ kind }) => kind === "main");
  const sizes = main.map(({ tokens }) => tokens);
  return {
    rewrites,
    refused,
    coldCalls,
    bill: calls.reduce((sum, { bill }) => sum + bill, 0),
    calls: main.length,
    compactions: calls.length - main.length,
    peakTokens: Math.max(0, ...sizes),
    meanTokens: sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length),
  };
}
