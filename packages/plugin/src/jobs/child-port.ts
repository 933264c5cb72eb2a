// Asks a model each question as the only prompt of a child session, through what a host offers for that.
import {
  type Answer,
  type AskOptions,
  createFailedAnswer,
  type ModelPort,
  type Question,
} from "../feature-api/job.ts";
import type { JobRecord, TokenCharge } from "../storage/job-records.ts";
import type { SessionId } from "../storage/records.ts";

// Defines what jobs need of the host: a child session, one prompt in it, its end.

/** The outcome of a child session's one prompt. */
export type Reply = TokenCharge &
  (
    | {
        readonly kind: "text";
        readonly text: string;
        /** `cut` if the provider stopped at the limit. */
        readonly ending: "whole" | "cut";
      }
    | {
        readonly kind: "error";
        readonly code: "rate_limited" | "unavailable" | "refused" | "stopped";
      }
  );

export interface JobHost {
  /** Returns `provider/model`; null if there is no model for jobs. */
  model(sessionId: SessionId | null): Promise<string | null>;
  /** Opens a child of the session, or a session without a parent, that the job alone uses. */
  open(jobId: number, parent: SessionId | null): Promise<SessionId>;
  /** Resolves when the model has answered or failed; the child session accepts no second prompt. */
  prompt(
    childId: SessionId,
    call: Question & { readonly model: string; readonly maxOutputTokens: number },
  ): Promise<Reply>;
  /** Stops what runs in the child session. */
  abort(childId: SessionId): Promise<void>;
  /** Removes the session and all of its rows; does nothing if there is no such session. */
  remove(childId: SessionId): Promise<void>;
  /** Lists the jobs' sessions in the host, each with its job. */
  children(): Promise<readonly { readonly childId: SessionId; readonly jobId: number }[]>;
}

// Classifies why a job's call failed, by the words in which a host reports it.

export type ErrorCode = Extract<Reply, { kind: "error" }>["code"];

/** Classifies the provider's words, or the host's own. */
export function classifyRefusal(message: string): ErrorCode {
  return /\b429\b|too many requests|rate.?limit|quota|usage limit/i.test(message)
    ? "rate_limited"
    : "unavailable";
}

/** Classifies the words of a host that has no codes, including its own name for an invalid request. */
export function classifyRefusalText(message: string): ErrorCode {
  const code = classifyRefusal(message);
  return code === "unavailable" && /\b4\d\d\b|InvalidRequest/.test(message) ? "refused" : code;
}

/** A job that asks more often is in a loop. */
const MAX_CALLS = 3;

/** Tokenizers average more bytes of UTF-8 per token, so estimates are on the safe side. */
const BYTES_PER_TOKEN = 3;

/** The tokens that providers count around a system text and a prompt. */
const PROMPT_FRAME_TOKENS = 16;

/** An answer with more characters per requested token is not what was requested. */
const MAX_CHARS_PER_TOKEN = 16;

/** The most tokens that providers and other plugins may add around a question for a charge to be believed. */
const MAX_FRAME_TOKENS = 1_024;

/** A budget that leaves less for the answer is spent. */
const MIN_OUTPUT_TOKENS = 256;

/** The time that a stopped call may take to end. */
const STOP_TIMEOUT_MS = 5_000;

export interface ChildPortDeps {
  readonly host: JobHost;
  readonly job: Pick<JobRecord, "id" | "sessionId">;
  readonly tokensLeft: number;
  /** Fires when the job is to stop. */
  readonly signal: AbortSignal;
  /** Returns false if another process already owns the job. */
  readonly opened: (childId: SessionId, charge: TokenCharge) => boolean;
  readonly closed: (childId: SessionId) => void;
  readonly failed: (where: string, error: unknown) => void;
  /** Is called when the work named in a `failed` call has succeeded. */
  readonly worked: (where: string) => void;
  /** Calls `work` once after `delayMs` milliseconds, unless the returned function cancels the call. */
  readonly timer: (work: () => void, delayMs: number) => () => void;
}

type ModelCall = Question & AskOptions & { readonly model: string };

export class ChildPort implements ModelPort {
  #calls = 0;
  #model: string | null = null;
  #used = { inputTokens: 0, outputTokens: 0 };
  #charged = { inputTokens: 0, outputTokens: 0 };

  constructor(private readonly deps: ChildPortDeps) {}

  /** The model that was asked last. */
  get model(): string | null {
    return this.#model;
  }

  /** Returns the part of the charge that the job's row still lacks; negative if the row has too much. */
  get balance(): TokenCharge {
    return {
      inputTokens: this.#used.inputTokens - this.#charged.inputTokens,
      outputTokens: this.#used.outputTokens - this.#charged.outputTokens,
    };
  }

  async ask(question: Question, options: AskOptions): Promise<Answer> {
    const { host, job, signal } = this.deps;
    if (signal.aborted) return createFailedAnswer("stopped");
    if (this.#calls >= MAX_CALLS) return createFailedAnswer("too_many_calls");
    this.#calls += 1;
    try {
      this.#model = options.model ?? (await host.model(job.sessionId));
      if (this.#model === null) return createFailedAnswer("no_model");
      const inputTokens =
        PROMPT_FRAME_TOKENS + Math.ceil(countQuestionBytes(question) / BYTES_PER_TOKEN);
      const remainingTokens =
        this.deps.tokensLeft - this.#used.inputTokens - this.#used.outputTokens - inputTokens;
      if (remainingTokens < MIN_OUTPUT_TOKENS) return createFailedAnswer("over_budget");
      const maxOutputTokens = Math.min(options.maxOutputTokens, remainingTokens);
      const call = { ...question, ...options, model: this.#model, maxOutputTokens };
      const charge = { inputTokens, outputTokens: maxOutputTokens };
      const answer = await this.#askChild(call, charge);
      this.deps.worked("jobs.ask");
      return answer;
    } catch (error) {
      this.deps.failed("jobs.ask", error);
      return createFailedAnswer("host_failed");
    }
  }

  async #askChild(call: ModelCall, charge: TokenCharge): Promise<Answer> {
    const { host, job, opened, closed } = this.deps;
    const childId = await host.open(job.id, job.sessionId);
    let answer = createFailedAnswer("stopped");
    try {
      if (!opened(childId, charge)) return answer;
      this.#charged.inputTokens += charge.inputTokens;
      this.#charged.outputTokens += charge.outputTokens;
      answer = await this.#prompt(childId, call, charge);
      this.#used.inputTokens += answer.inputTokens;
      this.#used.outputTokens += answer.outputTokens;
      return answer;
    } finally {
      await host.remove(childId);
      closed(childId);
    }
  }

  /** Returns the answer, or why there is none: whichever of reply, timeout and stop comes first. */
  async #prompt(childId: SessionId, call: ModelCall, charge: TokenCharge): Promise<Answer> {
    const { host, signal, timer } = this.deps;
    const cut = Promise.withResolvers<"timeout" | "stopped">();
    const stop = () => cut.resolve("stopped");
    const callOff = timer(() => cut.resolve("timeout"), call.timeoutMs);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const reply = host.prompt(childId, call);
    try {
      const first = await Promise.race([reply, cut.promise]);
      if (typeof first !== "string") return toAnswer(first, call);
      await host.abort(childId);
      await this.#awaitEnd(reply);
      // Nobody reports what was used, so the provider is assumed to have read the question.
      return createFailedAnswer(first, { inputTokens: charge.inputTokens, outputTokens: 0 });
    } finally {
      callOff();
      signal.removeEventListener("abort", stop);
    }
  }

  async #awaitEnd(reply: Promise<Reply>): Promise<void> {
    const ended = reply.then(
      () => this.deps.worked("jobs.end"),
      (error) => this.deps.failed("jobs.end", error),
    );
    await waitAtMost(STOP_TIMEOUT_MS, ended, this.deps.timer);
  }
}

/** Waits for a promise to end, but no longer than the limit. */
export async function waitAtMost(
  limitMs: number,
  ended: Promise<void>,
  timer: ChildPortDeps["timer"],
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const callOff = timer(late.resolve, limitMs);
  await Promise.race([ended, late.promise]);
  callOff();
}

function toAnswer(reply: Reply, call: ModelCall): Answer {
  const used = capCharge(reply, call);
  switch (reply.kind) {
    case "error":
      return createFailedAnswer(reply.code, used);
    case "text":
      if (reply.ending === "cut") return createFailedAnswer("too_long", used);
      if (reply.text.length > call.maxOutputTokens * MAX_CHARS_PER_TOKEN) {
        return createFailedAnswer("too_long", used);
      }
      if (reply.text.trim() === "") return createFailedAnswer("empty", used);
      return { kind: "answered", text: reply.text, ...used };
  }
}

/**
 * Limits a provider's figures to what the question and the requested length allow, as a single mistake must
 * not use up a day's budget. A token has at least one byte.
 */
function capCharge({ inputTokens, outputTokens }: TokenCharge, call: ModelCall): TokenCharge {
  const mostInputTokens = MAX_FRAME_TOKENS + countQuestionBytes(call);
  return {
    inputTokens: Math.min(inputTokens, mostInputTokens),
    outputTokens: Math.min(outputTokens, call.maxOutputTokens),
  };
}

function countQuestionBytes({ system, prompt }: Question): number {
  return Buffer.byteLength(system) + Buffer.byteLength(prompt);
}
