import { describe, expect, test } from "bun:test";
import {
  type CheckCause,
  decide,
  type Facts,
  type InputStatus,
  mayResumeUnasked,
} from "../../../src/features/inbox/plan.ts";
import type { PromptStatus, TurnEnd } from "../../../src/features/inbox/prompt-status.ts";
import { found, input, queued } from "./process.ts";

const open = (...standings: readonly PromptStatus[]) =>
  standings.map((standing, index) => ({ input: input(`p${index}`), standing }));

interface Situation {
  readonly cause: CheckCause;
  readonly working: readonly InputStatus[];
  readonly end: TurnEnd;
  readonly waiting: "none" | "some";
  readonly isUnderway: () => boolean;
}

/** What is done next in a session that rests, with one in the queue. */
function step(change: Partial<Situation>) {
  const { cause = "settled", working = [], end = "clean", waiting = "some" } = change;
  const head = waiting === "some" ? queued("q") : null;
  const facts: Facts = found({ working, head, turn: { end, openTools: [] } });
  const { isUnderway = () => false } = change;
  const { drive } = decide(facts, { cause, leave: "given", isUnderway });
  if (drive === null || !("found" in drive)) throw new Error("No step.");
  const { found: _, ...next } = drive;
  return next;
}

describe("an idle session", () => {
  test("sends the next one of the queue after a clean end, and rests where none waits", () => {
    expect(step({})).toEqual({ kind: "promote" });
    expect(step({ waiting: "none" })).toEqual({ kind: "rest" });
  });

  test("holds the queue after an interruption or a failure, though nothing else is open", () => {
    for (const end of ["interrupted", "failed"] as const) {
      expect(step({ end })).toEqual({ kind: "hold", why: end });
      expect(step({ end, cause: "resume" })).toEqual({ kind: "promote" });
    }
  });

  test("holds it while anything is open, and says why", () => {
    expect(step({ working: open("unanswered") })).toEqual({ kind: "hold", why: "unfinished" });
    expect(step({ working: open("unanswered"), end: "failed" })).toMatchObject({ why: "failed" });
    expect(step({ working: open("unanswered", "unsaved") })).toMatchObject({ why: "unsent" });
  });

  test("waits for what is still on its way, and does nothing when only looked at", () => {
    expect(step({ working: open("unsaved"), isUnderway: () => true })).toEqual({ kind: "rest" });
    expect(step({ cause: "look", working: open("unsaved") })).toEqual({ kind: "rest" });
  });
});

describe("on the user's word", () => {
  const resume = (...standings: readonly PromptStatus[]) =>
    step({ cause: "resume", working: open(...standings) });

  test("what was swallowed goes first, then what was never saved, else the newest runs again", () => {
    expect(resume("unanswered", "unsaved", "swallowed")).toMatchObject({
      kind: "replace",
      inputs: [{ id: "p2" }],
    });
    expect(resume("torn", "unsaved", "swallowed")).toMatchObject({
      kind: "replace",
      inputs: [{ id: "p0" }, { id: "p2" }],
    });
    expect(resume("unsaved", "unanswered", "unsaved")).toMatchObject({
      kind: "send",
      inputs: [{ id: "p0" }, { id: "p2" }],
    });
    expect(resume("unanswered", "unanswered")).toMatchObject({
      kind: "again",
      input: { id: "p1" },
    });
  });
});

test("a session goes on by itself only where the tools that were cut off only look", () => {
  const cutOff = (...tools: readonly string[]) => mayResumeUnasked({ tools });
  expect(cutOff()).toBe(true);
  expect(cutOff("read", "grep", "webfetch")).toBe(true);
  for (const tool of ["bash", "edit", "write", "task", "server_deploy"]) {
    expect(cutOff("read", tool)).toBe(false);
  }
});
