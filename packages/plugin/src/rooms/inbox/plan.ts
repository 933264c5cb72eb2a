// What an idle session's inbox needs next, and what an interruption left; pure.
import { isHarmless } from "../../projection/host-tools.ts";
import type { InputRecord } from "./records.ts";
import type { HistoryReading, Standing, TurnEnd } from "./standing.ts";

export interface StandingInput {
  readonly input: InputRecord;
  readonly standing: Standing;
}

/** Why the inbox is looked at. */
export type Cause =
  /** The session has become idle, or something was queued. */
  | "settled"
  /** The user asked to go on, or the settings say so after a crash. */
  | "resume"
  /** Only to list what there is. */
  | "look";

/** What is done next; one step at a time. */
export type Step =
  | { readonly kind: "rest" }
  /** The next one of the queue. */
  | { readonly kind: "promote" }
  /** Prompts that the host never saved whole, oldest first, in one batch. */
  | { readonly kind: "send"; readonly inputs: readonly InputRecord[] }
  /** Admitted again under another id: the host runs nothing for the old one any more. */
  | { readonly kind: "replace"; readonly inputs: readonly InputRecord[] }
  /** The loop runs again for what is saved: the newest prompt as an exact retry. */
  | { readonly kind: "again"; readonly input: InputRecord }
  /** Nothing is started without the user's word. */
  | { readonly kind: "hold"; readonly why: HoldReason };

export type HoldReason = Exclude<TurnEnd, "clean"> | "unsent";

/** What one look at a session came to. */
export type Drive =
  | { readonly kind: "nothing" }
  | { readonly kind: "busy" }
  /** Another process drives it. */
  | { readonly kind: "elsewhere" }
  /** An undo can still be taken back; any prompt would make it final. */
  | { readonly kind: "undone"; readonly found: Found }
  | { readonly kind: "looked"; readonly found: Found; readonly step: Step };

/** The same in a word, for traces; null: it was stopped. */
export function outcomeOf(drive: Drive | null): string {
  if (drive === null) return "stopped";
  return drive.kind === "looked" ? drive.step.kind : drive.kind;
}

export interface Found {
  readonly findings: Findings;
  /** Inputs that no model call has had yet. */
  readonly unread: number;
}

export interface Situation {
  readonly cause: Cause;
  readonly working: readonly StandingInput[];
  readonly end: TurnEnd;
  readonly waiting: "none" | "some";
  /** Whether an input may still be on its way into the host. */
  readonly isUnderway: (one: StandingInput) => boolean;
}

/** What the inbox of an idle session calls for. */
export function nextStep(situation: Situation): Step {
  const { cause, waiting } = situation;
  if (cause === "look") return { kind: "rest" };
  const open = situation.working.filter((one) => !situation.isUnderway(one));
  if (open.length < situation.working.length) return { kind: "rest" };
  if (open.length > 0) return cause === "resume" ? resumed(open) : held(open, situation.end);
  if (waiting === "none") return { kind: "rest" };
  const stopped = situation.end === "interrupted" || situation.end === "failed";
  if (cause === "settled" && stopped) return { kind: "hold", why: situation.end };
  return { kind: "promote" };
}

function held(open: readonly StandingInput[], end: TurnEnd): Step {
  if (open.some(({ standing }) => standing !== "unanswered"))
    return { kind: "hold", why: "unsent" };
  return { kind: "hold", why: end === "clean" ? "unfinished" : end };
}

function resumed(open: readonly StandingInput[]): Step {
  const of = (standing: Standing) =>
    open.flatMap((one) => (one.standing === standing ? [one.input] : []));
  const passedBy = open.flatMap(({ input, standing }) =>
    standing === "swallowed" || standing === "torn" ? [input] : [],
  );
  if (passedBy.length > 0) return { kind: "replace", inputs: passedBy };
  const unsaved = of("unsaved");
  if (unsaved.length > 0) return { kind: "send", inputs: unsaved };
  const newest = of("unanswered").at(-1);
  return newest ? { kind: "again", input: newest } : { kind: "rest" };
}

/** What an interruption has left in a session, counted. */
export interface Findings {
  readonly unsaved: number;
  readonly unanswered: number;
  readonly swallowed: number;
  readonly waiting: number;
  /** Tools that were cut off, by name. */
  readonly tools: readonly string[];
}

export function findingsOf(
  working: readonly StandingInput[],
  reading: Pick<HistoryReading, "openTools">,
  waiting: number,
): Findings {
  const count = (wanted: Standing) => working.filter(({ standing }) => standing === wanted).length;
  return {
    unsaved: count("unsaved") + count("torn"),
    unanswered: count("unanswered"),
    swallowed: count("swallowed"),
    waiting,
    tools: reading.openTools,
  };
}

export function isEmpty({ unsaved, unanswered, swallowed, waiting }: Findings): boolean {
  return unsaved + unanswered + swallowed + waiting === 0;
}

/** Whether the session may go on without being asked: no cut-off tool may have changed anything. */
export function mayResumeUnasked({ tools }: Findings): boolean {
  return tools.every(isHarmless);
}
