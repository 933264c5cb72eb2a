// The models that a job asks, one after the other where one fails.
import type { Answer, AskFailure, AskOptions, ModelPort, Question } from "./job.ts";

/** `provider/model`; null: the one of all jobs, or a small one of the host's. */
type ModelName = string | null;

/** The one that answered last comes first. */
export class ModelChain {
  #at = 0;

  constructor(private readonly models: readonly [ModelName, ...ModelName[]]) {}

  get current(): ModelName {
    return this.models[this.#at] ?? null;
  }

  /** The number of models to try. */
  get length(): number {
    return this.models.length;
  }

  /** The current one has failed. */
  next(): void {
    this.#at = (this.#at + 1) % this.length;
  }
}

/** Builds a chain of the named models, or of the others where none is named. */
export function chooseChain(
  [first, ...rest]: readonly string[],
  others: readonly [ModelName, ...ModelName[]],
): ModelChain {
  return new ModelChain(first === undefined ? others : [first, ...rest]);
}

/** Returns true when the failure is the model's, so that another one may succeed. */
export function failsByModel(code: AskFailure): boolean {
  switch (code) {
    case "no_model":
    case "timeout":
    case "rate_limited":
    case "unavailable":
    case "refused":
      return true;
    case "empty":
    case "too_long":
    case "stopped":
    case "over_budget":
    case "too_many_calls":
    case "host_failed":
      return false;
  }
}

/** Asks each model of the chain at most once; where all fail, the next time begins where this one did. */
export async function askInTurn(
  model: ModelPort,
  question: Question,
  { models, ...options }: Omit<AskOptions, "model"> & { readonly models: ModelChain },
): Promise<Answer> {
  let answer = await model.ask(question, { ...options, model: models.current });
  for (let tried = 1; answer.kind === "failed" && failsByModel(answer.code); tried++) {
    models.next();
    if (tried === models.length) break;
    const next = await model.ask(question, { ...options, model: models.current });
    // The last model's failure says more than the refusal of a further call.
    if (next.kind === "failed" && next.code === "too_many_calls") break;
    answer = next;
  }
  return answer;
}
