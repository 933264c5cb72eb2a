// Asks for proposals within a run's budget, and limits how much one run may take away.
import {
  type AskFailure,
  isModelFailure,
  type ModelChain,
  type ModelPort,
  type Question,
} from "../../feature-api/job.ts";
import type { MemoryId } from "../memory/record.ts";
import { type ProposedAction, parseAnswer } from "./answer.ts";
import {
  isRejection,
  listChangedIds,
  type Proposal,
  type Rejection,
  type Task,
  type TaskInput,
  type TaskResult,
  toRejection,
} from "./task.ts";

// Limits how much one run may take away, whatever the model proposes. Pure.

/** The most that a run may take away, as a share of the memories that were active when it began. */
const MAX_LOST_MEMORY_SHARE = 0.15;
const MAX_MERGED_MEMORY_SHARE = 0.5;
const MIN_ALLOWED_CHANGES = 3;

/** Counts the memories that a run has taken away so far. */
export interface RunTotals {
  /** The memories that were archived or superseded, so that nobody reads their words any more. */
  readonly lost: number;
  /** The memories that were merged into another memory, which contains their words. */
  readonly merged: number;
}

export const zeroTotals: RunTotals = { lost: 0, merged: 0 };

export function countRemovals(proposal: Proposal): RunTotals {
  switch (proposal.kind) {
    case "archive":
    case "supersede":
      return { lost: 1, merged: 0 };
    case "merge":
      return { lost: 0, merged: proposal.ids.length - 1 };
    case "rewrite":
    case "checked":
    case "document":
      return zeroTotals;
  }
}

export function addTotals(one: RunTotals, other: RunTotals): RunTotals {
  return { lost: one.lost + other.lost, merged: one.merged + other.merged };
}

/**
 * Checks each proposed action by its task's rules; a memory is changed only once, and a run keeps within its
 * limits.
 */
export function limitLosses(
  task: Task,
  said: readonly ProposedAction[],
  asked: TaskInput,
  run: { readonly active: number; readonly taken: RunTotals },
): TaskResult {
  const proposals: Proposal[] = [];
  const refused: Rejection[] = [];
  const changed = new Set<MemoryId>();
  /** Holds the memories by which others were superseded; each of them must stay. */
  const stands = new Set<MemoryId>();
  let { taken } = run;
  for (const one of said) {
    const checked = task.check(one, asked);
    if (isRejection(checked)) {
      refused.push(checked);
      continue;
    }
    const ids = listChangedIds(checked);
    const next = addTotals(taken, countRemovals(checked));
    const ref = asked.memories.find(({ id }) => id === ids[0])?.ref ?? "";
    const by = checked.kind === "supersede" ? [checked.by] : [];
    if ([...ids, ...by].some((id) => changed.has(id)) || ids.some((id) => stands.has(id))) {
      refused.push(toRejection("twice", ref));
    } else if (exceedsLimits(next, taken, run.active)) {
      refused.push(toRejection("too_many", ref));
    } else {
      proposals.push(checked);
      for (const id of ids) changed.add(id);
      for (const id of by) stands.add(id);
      taken = next;
    }
  }
  return { proposals, refused };
}

function exceedsLimits(next: RunTotals, before: RunTotals, active: number): boolean {
  const countAllowed = (share: number) => Math.max(MIN_ALLOWED_CHANGES, Math.floor(active * share));
  return (
    (next.lost > before.lost && next.lost > countAllowed(MAX_LOST_MEMORY_SHARE)) ||
    (next.merged > before.merged && next.merged > countAllowed(MAX_MERGED_MEMORY_SHARE))
  );
}

interface AskInput {
  readonly task: Task;
  readonly asked: TaskInput;
  readonly models: ModelChain;
  /**
   * The number of memories in the project when the run began; `taken` counts those that the run has taken
   * away since.
   */
  readonly active: number;
  readonly taken: RunTotals;
  /** Returns the number of tokens that the run may still use; called before each model call. */
  readonly tokensLeft: () => number;
}

type AskOutcome =
  | { readonly kind: "checked"; readonly checked: TaskResult }
  /** The whole run ends with this outcome. */
  | { readonly kind: "over"; readonly code: string }
  /** The step is tried again later. */
  | { readonly kind: "failed"; readonly code: string };

/** The most answers to one question: after an answer that can't be read, the question is asked once more. */
const MAX_ANSWERS = 2;
const QUESTION_TIMEOUT_MS = 180_000;
const MAX_OUTPUT_TOKENS = 8_000;
/** The bytes per token, as in the port's estimate, which errs on the safe side. */
const BYTES_PER_TOKEN = 3;
const FRAME_TOKENS = 64;
const MIN_OUTPUT_TOKENS = 512;

export async function askForProposals(model: ModelPort, input: AskInput): Promise<AskOutcome> {
  const { task, asked, models } = input;
  let question = task.question(asked);
  let fallbacks = models.length - 1;
  for (let answers = 0; answers < MAX_ANSWERS; ) {
    const remainingTokens = input.tokensLeft() - estimateQuestionTokens(question);
    if (remainingTokens < MIN_OUTPUT_TOKENS) return { kind: "over", code: "budget" };
    const maxOutputTokens = Math.min(MAX_OUTPUT_TOKENS, remainingTokens);
    const options = { timeoutMs: QUESTION_TIMEOUT_MS, maxOutputTokens, model: models.current };
    const answer = await model.ask(question, options);
    const failure = answer.kind === "failed" ? answer.code : null;
    if (failure !== null && isModelFailure(failure)) {
      models.next();
      if (fallbacks === 0) return toAskEnd(failure);
      fallbacks -= 1;
      continue;
    }
    if (failure !== null && failure !== "empty" && failure !== "too_long") return toAskEnd(failure);
    const read = parseAnswer(answer.kind === "answered" ? answer.text : "");
    if (read.kind === "read") {
      const { proposals, refused } = limitLosses(task, read.said, asked, input);
      const unreadable = Array.from({ length: read.unreadable }, () =>
        toRejection("not_in_format", ""),
      );
      return { kind: "checked", checked: { proposals, refused: [...refused, ...unreadable] } };
    }
    question = composeRepairQuestion(task.question(asked), read.problem);
    answers += 1;
  }
  return { kind: "over", code: "bad_answer" };
}

function toAskEnd(code: AskFailure): AskOutcome {
  if (code === "over_budget") return { kind: "over", code: "budget" };
  return code === "no_model" ? { kind: "over", code } : { kind: "failed", code };
}

function estimateQuestionTokens({ system, prompt }: Question): number {
  const bytes = Buffer.byteLength(system) + Buffer.byteLength(prompt);
  return FRAME_TOKENS + Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Asks again without repeating the words of an answer that could not be read. */
function composeRepairQuestion({ system, prompt }: Question, problem: string): Question {
  return { system, prompt: `${prompt}\n\nYour last answer could not be read. ${problem}` };
}
