// Asks a model for segments, with at most two calls per batch, whatever the answers are.
import type {
  AskFailure,
  Attempt,
  JobEnd,
  ModelChain,
  ModelPort,
  Question,
} from "../../feature-api/job.ts";
import { parseAnswer } from "./answer.ts";
import { type AnswerCheck, checkAnswer } from "./answer-check.ts";
import { composeRepairRequest } from "./request.ts";
import { BAD_ANSWER_CODE } from "./work.ts";

/** The most calls over all attempts; a kill may cause one more. */
const MAX_CALLS = 2;
const MAX_OUTPUT_TOKENS = 10_000;

export interface AskDeps {
  readonly models: ModelChain;
  readonly timeoutMs: number;
  /** Called with what was skipped, or why an answer was refused. */
  readonly noted: (notes: readonly string[]) => void;
}

type AcceptedAnswer = Extract<AnswerCheck, { readonly kind: "good" }>;

/**
 * Asks for segments. An answer that doesn't fit gets one repair request. If a model fails, the next in the chain is
 * asked, or the job is tried once more later.
 */
export async function askForSegments(
  deps: AskDeps,
  model: ModelPort,
  asked: {
    readonly question: Question;
    readonly messageCount: number;
    readonly attempt: Attempt;
  },
): Promise<JobEnd<AcceptedAnswer>> {
  const { question, messageCount, attempt } = asked;
  const mostCalls = attempt === 1 ? MAX_CALLS : 1;
  let next = question;
  let code: string = BAD_ANSWER_CODE;
  for (let call = 1; call <= mostCalls; call++) {
    const { models, timeoutMs } = deps;
    const options = { timeoutMs, maxOutputTokens: MAX_OUTPUT_TOKENS, model: models.current };
    const answer = await model.ask(next, options);
    if (answer.kind === "failed" && answer.code !== "empty") {
      code = answer.code;
      const verdict = decideAfterFailure(answer.code, models);
      if (verdict === "end") return { kind: "failed", code };
      models.next();
      if (verdict === "next model") continue;
      return { kind: call + attempt > MAX_CALLS ? "given_up" : "failed", code };
    }
    code = BAD_ANSWER_CODE;
    const text = answer.kind === "answered" ? answer.text : "";
    const checked = checkAnswer(parseAnswer(text), messageCount);
    if (checked.kind === "good") {
      deps.noted(checked.notes);
      return { kind: "done", output: checked };
    }
    deps.noted(checked.problems);
    next = composeRepairRequest(question, text, checked.problems);
  }
  return { kind: "given_up", code };
}

/** Decides what to do after a call without an answer. `end` means that the failure is not the model's. */
function decideAfterFailure(
  code: Exclude<AskFailure, "empty">,
  models: ModelChain,
): "end" | "next model" | "later" {
  switch (code) {
    case "no_model":
      return models.length > 1 ? "next model" : "end";
    case "stopped":
    case "over_budget":
    case "too_many_calls":
    case "host_failed":
      return "end";
    case "timeout":
    case "rate_limited":
    case "unavailable":
    case "refused":
    case "too_long":
      return models.length > 1 ? "next model" : "later";
  }
}
