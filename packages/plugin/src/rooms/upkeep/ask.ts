// Asks a model for proposals: two calls per batch at most, within the run's budget, whatever comes back.
import type { ModelPort, Question } from "../../features/job.ts";
import { readAnswer } from "./answer.ts";
import { checkedWithin, type Taken } from "./bounds.ts";
import { rejection } from "./look-up.ts";
import type { TaskSettings } from "./settings.ts";
import type { Asked, Checked, Task } from "./task.ts";

interface AskInput {
  readonly task: Task;
  readonly asked: Asked;
  readonly settings: Pick<TaskSettings, "model">;
  /** Memories of the project as the run began, and what it has taken away of them. */
  readonly active: number;
  readonly taken: Taken;
  /** What the run may still use; asked before each call. */
  readonly tokensLeft: () => number;
}

type AskEnd =
  | { readonly kind: "checked"; readonly checked: Checked }
  /** The run ends with it. */
  | { readonly kind: "over"; readonly code: string }
  /** The step is tried again later. */
  | { readonly kind: "failed"; readonly code: string };

const MOST_CALLS = 2;
const TIMEOUT_MS = 180_000;
const MAX_OUTPUT_TOKENS = 8_000;
/** As the port estimates: on the safe side. */
const BYTES_PER_TOKEN = 3;
const FRAME_TOKENS = 64;
const LEAST_OUTPUT_TOKENS = 512;

export async function askFor(model: ModelPort, input: AskInput): Promise<AskEnd> {
  const { task, asked, settings } = input;
  let question = task.question(asked);
  for (let call = 1; call <= MOST_CALLS; call++) {
    const roomTokens = input.tokensLeft() - tokensOf(question);
    if (roomTokens < LEAST_OUTPUT_TOKENS) return { kind: "over", code: "budget" };
    const maxOutputTokens = Math.min(MAX_OUTPUT_TOKENS, roomTokens);
    const options = { timeoutMs: TIMEOUT_MS, maxOutputTokens, model: settings.model };
    const answer = await model.ask(question, options);
    if (answer.kind === "failed" && answer.code === "over_budget") {
      return { kind: "over", code: "budget" };
    }
    if (answer.kind === "failed" && answer.code === "no_model") {
      return { kind: "over", code: "no_model" };
    }
    if (answer.kind === "failed" && answer.code !== "empty" && answer.code !== "too_long") {
      return { kind: "failed", code: answer.code };
    }
    const read = readAnswer(answer.kind === "answered" ? answer.text : "");
    if (read.kind === "read") {
      const { proposals, refused } = checkedWithin(task, read.said, asked, input);
      const unreadable = Array.from({ length: read.unreadable }, () =>
        rejection("not_in_format", ""),
      );
      return { kind: "checked", checked: { proposals, refused: [...refused, ...unreadable] } };
    }
    question = repairOf(task.question(asked), read.problem);
  }
  return { kind: "over", code: "bad_answer" };
}

function tokensOf({ system, prompt }: Question): number {
  const bytes = Buffer.byteLength(system) + Buffer.byteLength(prompt);
  return FRAME_TOKENS + Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Its words are not shown again: they were not an answer. */
function repairOf({ system, prompt }: Question, problem: string): Question {
  return { system, prompt: `${prompt}\n\nYour last answer could not be read. ${problem}` };
}
