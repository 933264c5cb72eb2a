// Decides from a check's facts: which rows settle, which step is next, and what an interruption has left; pure.
import type { StoredPrompt } from "../../feature-api/prompt.ts";
import { isHarmless } from "../../ledger/host-tools.ts";
import {
  type HistoryReading,
  type PromptStatus,
  type TurnEnd,
  toSettledState,
} from "./prompt-status.ts";
import type { InputRecord } from "./records.ts";

export interface InputStatus {
  readonly input: InputRecord;
  readonly standing: PromptStatus;
}

/** The reason for a check. */
export type CheckCause =
  /** The session has become idle, or something was queued. */
  | "settled"
  /** The user asked to continue, or the settings say so after a crash. */
  | "resume"
  /** The caller only lists what is open. */
  | "look";

/** The next step; a check takes at most one. */
export type Step =
  | { readonly kind: "rest" }
  /** Sends the queue's next prompt. */
  | { readonly kind: "promote" }
  /** Sends the prompts that the host never saved whole, oldest first, in one batch. */
  | { readonly kind: "send"; readonly inputs: readonly InputRecord[] }
  /** Admits the prompts again under new ids, because the host no longer runs anything for the old ones. */
  | { readonly kind: "replace"; readonly inputs: readonly InputRecord[] }
  /** Runs the loop again for what is saved, with the newest prompt as an exact retry. */
  | { readonly kind: "again"; readonly input: InputRecord }
  /** Starts nothing without the user's word. */
  | { readonly kind: "hold"; readonly why: HoldReason };

export type HoldReason = Exclude<TurnEnd, "clean"> | "unsent";

/** Counts what an interruption has left in a session. */
export interface InterruptionCounts {
  readonly unsaved: number;
  readonly unanswered: number;
  readonly swallowed: number;
  readonly waiting: number;
  /** Tools that were cut off, by name. */
  readonly tools: readonly string[];
  /** The number of inputs that no model call has had yet, including those on their way. */
  readonly unread: number;
}

/** A step, with the counts on which the decision for it was based. */
export type CheckedStep = Step & { readonly found: InterruptionCounts };

/** The outcome of one check of a session. */
export type Outcome =
  | { readonly kind: "nothing" | "busy" }
  /** Another process drives the session. */
  | { readonly kind: "elsewhere" }
  /** An undo can still be reversed; any prompt would make it final. */
  | { readonly kind: "undone"; readonly found: InterruptionCounts }
  | CheckedStep;

/** Agent, model and variant of a session's newest prompt. */
export type Settings = Pick<StoredPrompt, "agent" | "model" | "variant">;

/** The facts that a check finds in an idle session, before anything is decided. */
export interface Facts {
  readonly revert: "none" | "undone";
  readonly turn: Pick<HistoryReading, "end" | "openTools">;
  readonly working: readonly InputStatus[];
  /** The queue's next prompt; null if none is waiting. */
  readonly head: InputRecord | null;
  readonly waiting: number;
  /** `a prompt` if one was admitted while the host was being asked. */
  readonly since: "nothing" | "a prompt";
  readonly newest: Settings;
  /** Unused message ids: one for each of `working`, and one more. */
  readonly freshIds: readonly string[];
}

/** `stopped`: the check records and reports what it finds, and sends nothing. */
export type SendPermission = "given" | "stopped";

export interface Decision {
  /** Inputs that are over, according to the history. */
  readonly settled: readonly { readonly id: string; readonly as: "answered" | "undone" }[];
  /** Ids of inputs that this history is the first to show. */
  readonly saved: readonly string[];
  /** `nothing`: the session may be driven by any process. */
  readonly open: "something" | "nothing";
  /**
   * The step to take now; null if the check only lists or was stopped, or if an undo can still be reversed.
   */
  readonly step: CheckedStep | null;
  /** The outcome of the check; null if it was stopped. */
  readonly drive: Outcome | null;
}

interface Circumstances {
  readonly cause: CheckCause;
  readonly leave: SendPermission;
  /** Returns true while an input may still be on its way into the host. */
  readonly isUnderway: (one: InputStatus) => boolean;
}

/** Decides what to do about the facts of a check. */
export function decide(facts: Facts, circumstances: Circumstances): Decision {
  const { working, head } = facts;
  const { cause, leave } = circumstances;
  const open = working.filter(({ standing }) => toSettledState(standing) === null);
  const found = collectFindings(facts, open, circumstances);
  const isDone = open.length === 0 && head === null && facts.since === "nothing";
  const shown = {
    settled: working.flatMap(({ input: { id }, standing }) => {
      const as = toSettledState(standing);
      return as === null ? [] : [{ id, as }];
    }),
    saved: working.filter(isFirstSeen).map(({ input }) => input.id),
    open: isDone ? ("nothing" as const) : ("something" as const),
  };
  if (facts.revert === "undone") return { ...shown, step: null, drive: { kind: "undone", found } };
  const step = chooseStep(facts, open, circumstances);
  // An interruption stops what would be sent, but not what is recorded or shown.
  if (leave === "stopped" && step.kind !== "hold") return { ...shown, step: null, drive: null };
  const drive = { ...step, found };
  return { ...shown, step: cause === "look" ? null : drive, drive };
}

function isFirstSeen({ input, standing }: InputStatus): boolean {
  const isThere = standing === "unanswered" || standing === "swallowed";
  return isThere && input.promotedAtMs === null && input.state !== "saved";
}

function chooseStep(
  { head, turn: { end } }: Facts,
  open: readonly InputStatus[],
  { cause, isUnderway }: Circumstances,
): Step {
  if (cause === "look" || open.some(isUnderway)) return { kind: "rest" };
  if (open.length > 0)
    return cause === "resume" ? chooseResumeStep(open) : chooseHoldStep(open, end);
  if (head === null) return { kind: "rest" };
  const stopped = end === "interrupted" || end === "failed";
  return cause === "settled" && stopped ? { kind: "hold", why: end } : { kind: "promote" };
}

function chooseHoldStep(open: readonly InputStatus[], end: TurnEnd): Step {
  if (open.some(({ standing }) => standing !== "unanswered"))
    return { kind: "hold", why: "unsent" };
  return { kind: "hold", why: end === "clean" ? "unfinished" : end };
}

function chooseResumeStep(open: readonly InputStatus[]): Step {
  const listInputsByStatus = (standing: PromptStatus) =>
    open.flatMap((one) => (one.standing === standing ? [one.input] : []));
  const skipped = open.flatMap(({ input, standing }) =>
    standing === "swallowed" || standing === "torn" ? [input] : [],
  );
  if (skipped.length > 0) return { kind: "replace", inputs: skipped };
  const unsaved = listInputsByStatus("unsaved");
  if (unsaved.length > 0) return { kind: "send", inputs: unsaved };
  const newest = listInputsByStatus("unanswered").at(-1);
  return newest ? { kind: "again", input: newest } : { kind: "rest" };
}

function collectFindings(
  { turn, waiting }: Facts,
  open: readonly InputStatus[],
  { isUnderway }: Circumstances,
): InterruptionCounts {
  // A prompt that this process is just taking in is not an interruption.
  const left = open.filter((one) => !isUnderway(one));
  const countStatus = (wanted: PromptStatus) =>
    left.filter(({ standing }) => standing === wanted).length;
  return {
    unsaved: countStatus("unsaved") + countStatus("torn"),
    unanswered: countStatus("unanswered"),
    swallowed: countStatus("swallowed"),
    waiting,
    tools: turn.openTools,
    unread: open.filter(({ input }) => input.promotedAtMs === null).length,
  };
}

export function isEmpty({ unsaved, unanswered, swallowed, waiting }: InterruptionCounts): boolean {
  return unsaved + unanswered + swallowed + waiting === 0;
}

/**
 * Returns true if the session may continue without asking: no tool that was cut off can have changed
 * anything.
 */
export function mayResumeUnasked({ tools }: Pick<InterruptionCounts, "tools">): boolean {
  return tools.every(isHarmless);
}
