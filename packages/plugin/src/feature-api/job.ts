// Declares a job, the questions that it may ask a model, and the models that it asks in turn.
import type { Driver } from "../storage/driver.ts";
import type { JobRecord, TokenCharge } from "../storage/job-records.ts";

/** One question to a model: instructions and a prompt, without tools or history. */
export interface Question {
  /** The whole system prompt of the call. */
  readonly system: string;
  readonly prompt: string;
}

export interface AskOptions {
  /** The time after which the call is stopped, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxOutputTokens: number;
  /** The model as `provider/model`; null stands for the model of all jobs. */
  readonly model: string | null;
}

/** The reason why a call has no answer. */
export type AskFailure =
  /** There is neither a configured model nor a small model of the host's. */
  | "no_model"
  | "timeout"
  | "rate_limited"
  /** The provider failed and might succeed next time: HTTP 5xx, or a connection that broke. */
  | "unavailable"
  /** The call failed and would fail again: a wrong key, or a request that the provider doesn't accept. */
  | "refused"
  /** The answer ended without a text. */
  | "empty"
  /** The text is cut off at `maxOutputTokens`. */
  | "too_long"
  /** The job was stopped: by hand, by another process that took it over, or because the host is closing. */
  | "stopped"
  /** The budget of the day or the session is too small for the call. */
  | "over_budget"
  /** The job has already made as many calls as it may. */
  | "too_many_calls"
  /** The host could not be asked. */
  | "host_failed";

/**
 * The outcome of one call; a failing provider is an outcome and not an exception. The token counts are the
 * provider's figures, or zeros if it gave none.
 */
export type Answer = TokenCharge &
  (
    | { readonly kind: "answered"; readonly text: string }
    | { readonly kind: "failed"; readonly code: AskFailure }
  );

export interface ModelPort {
  /** Asks the model; never rejects. */
  ask(question: Question, options: AskOptions): Promise<Answer>;
}

/** The end of a run. */
export type JobEnd<Output> =
  | { readonly kind: "done"; readonly output: Output }
  /** The job failed. `code` is the job's own code or a call's: lower-case words joined by underscores. */
  | { readonly kind: "failed"; readonly code: string }
  /** The job failed, and no further attempt is worth its price. */
  | { readonly kind: "given_up"; readonly code: string };

/** The number of an attempt, counted from 1. */
export type Attempt = number;

/** One kind of work. Inputs are JSON, as they are stored. */
interface Job<Input, Output> {
  readonly kind: string;
  /** @throws if the stored value is not an input of this job, which fails the job for good */
  readonly input: (stored: unknown) => Input;
  readonly run: (model: ModelPort, input: Input, attempt: Attempt) => Promise<JobEnd<Output>>;
  /** Writes the output in the same transaction that settles the job, so that both happen or neither does. */
  readonly keep: (driver: Driver, output: Output, job: JobRecord) => void;
}

/** A job whose types only its own module knows. */
export interface AnyJob {
  readonly kind: string;
  readonly run: (model: ModelPort, stored: unknown, attempt: Attempt) => Promise<JobEnd<unknown>>;
  readonly keep: (driver: Driver, output: unknown, job: JobRecord) => void;
}

export function toAnyJob<Input, Output>({ kind, input, run, keep }: Job<Input, Output>): AnyJob {
  return {
    kind,
    run: async (model, stored, at) => run(model, input(stored), at),
    keep: (driver, output, row) => keep(driver, output as Output, row),
  };
}

export function createFailedAnswer(code: AskFailure, used: TokenCharge = noTokensUsed): Answer {
  return { kind: "failed", code, ...used };
}

const noTokensUsed: TokenCharge = { inputTokens: 0, outputTokens: 0 };

// Lists the models that a job asks, one after another if one fails.

/** A model as `provider/model`; null stands for the model of all jobs, or a small model of the host's. */
type ModelName = string | null;

/** A chain of models in which the one that answered last is asked first. */
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

  /** Moves on to the next model after the current one has failed. */
  next(): void {
    this.#at = (this.#at + 1) % this.length;
  }
}

/** Builds a chain of the named models, or of `others` if none is named. */
export function buildModelChain(
  [first, ...rest]: readonly string[],
  others: readonly [ModelName, ...ModelName[]],
): ModelChain {
  return new ModelChain(first === undefined ? others : [first, ...rest]);
}

/** Returns true if the model is at fault, so that another one may succeed. */
export function isModelFailure(code: AskFailure): boolean {
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

/**
 * Asks each model of the chain at most once; if all fail, the next call starts with the same model as this
 * one.
 */
export async function askModelsInTurn(
  model: ModelPort,
  question: Question,
  { models, ...options }: Omit<AskOptions, "model"> & { readonly models: ModelChain },
): Promise<Answer> {
  let answer = await model.ask(question, { ...options, model: models.current });
  for (let tried = 1; answer.kind === "failed" && isModelFailure(answer.code); tried++) {
    models.next();
    if (tried === models.length) break;
    const next = await model.ask(question, { ...options, model: models.current });
    // The last model's failure says more than the refusal of a further call.
    if (next.kind === "failed" && next.code === "too_many_calls") break;
    answer = next;
  }
  return answer;
}
