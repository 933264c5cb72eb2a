// Asks for proposals: two answers per batch at most, within the run's budget; where a model fails, the next is asked.
import type { AskFailure, ModelPort, Question } from "../../feature-api/job.ts";
import { failsByModel, type ModelChain } from "../../feature-api/model-chain.ts";
import { readAnswer } from "./answer.ts";
import { checkedWithin, type RunTotals } from "./bounds.ts";
import { toRejection } from "./look-up.ts";
import type { Task, TaskInput, TaskResult } from "./task.ts";

interface AskInput {
  readonly task: Task;
  readonly asked: TaskInput;
  readonly models: ModelChain;
  /** Memories of the project as the run began, and what it has taken away of them. */
  readonly active: number;
  readonly taken: RunTotals;
  /** Returns the tokens that the run may still use; called before each model call. */
  readonly tokensLeft: () => number;
}

type AskEnd =
  | { readonly kind: "checked"; readonly checked: TaskResult }
  /** The run ends with it. */
  | { readonly kind: "over"; readonly code: string }
  /** The step is tried again later. */
  | { readonly kind: "failed"; readonly code: string };

/** After one answer that can't be read, the question is asked once more. */
const MAX_ANSWERS = 2;
const TIMEOUT_MS = 180_000;
const MAX_OUTPUT_TOKENS = 8_000;
/** Matches the port's estimate, which is on the safe side. */
const BYTES_PER_TOKEN = 3;
const FRAME_TOKENS = 64;
const MIN_OUTPUT_TOKENS = 512;

export async function askFor(model: ModelPort, input: AskInput): Promise<AskEnd> {
  const { task, asked, models } = input;
  let question = task.question(asked);
  let fallbacks = models.length - 1;
  for (let answers = 0; answers < MAX_ANSWERS; ) {
    const remainingTokens = input.tokensLeft() - estimateQuestionTokens(question);
    if (remainingTokens < MIN_OUTPUT_TOKENS) return { kind: "over", code: "budget" };
    const maxOutputTokens = Math.min(MAX_OUTPUT_TOKENS, remainingTokens);
    const options = { timeoutMs: TIMEOUT_MS, maxOutputTokens, model: models.current };
    const answer = await model.ask(question, options);
    const failure = answer.kind === "failed" ? answer.code : null;
    if (failure !== null && failsByModel(failure)) {
      models.next();
      if (fallbacks === 0) return toAskEnd(failure);
      fallbacks -= 1;
      continue;
    }
    if (failure !== null && failure !== "empty" && failure !== "too_long") return toAskEnd(failure);
    const read = readAnswer(answer.kind === "answered" ? answer.text : "");
    if (read.kind === "read") {
      const { proposals, refused } = checkedWithin(task, read.said, asked, input);
      const unreadable = Array.from({ length: read.unreadable }, () =>
        toRejection("not_in_format", ""),
      );
      return { kind: "checked", checked: { proposals, refused: [...refused, ...unreadable] } };
    }
    question = composeRepair(task.question(asked), read.problem);
    answers += 1;
  }
  return { kind: "over", code: "bad_answer" };
}

function toAskEnd(code: AskFailure): AskEnd {
  if (code === "over_budget") return { kind: "over", code: "budget" };
  return code === "no_model" ? { kind: "over", code } : { kind: "failed", code };
}

function estimateQuestionTokens({ system, prompt }: Question): number {
  const bytes = Buffer.byteLength(system) + Buffer.byteLength(prompt);
  return FRAME_TOKENS + Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Asks again without repeating the words of an answer that could not be read. */
function composeRepair({ system, prompt }: Question, problem: string): Question {
  return { system, prompt: `${prompt}\n\nYour last answer could not be read. ${problem}` };
}
