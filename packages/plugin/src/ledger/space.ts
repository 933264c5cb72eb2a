// How large the next call is: the provider's figures of the last one, and an estimate of what came since.
import type { HostMessage, MessageInfo } from "./message.ts";
import { type CacheRates, usualRates } from "./rates.ts";
import { messageTokens, resultTokens } from "./tokens.ts";

/** What the host notes on the row of a model's answer (OpenCode 1.18.33). */
interface ReportedTokens {
  readonly input: number;
  readonly output: number;
  readonly cache: { readonly read: number; readonly write: number };
}

/** What a model takes in one call, in tokens. */
interface ModelLimits {
  readonly contextTokens: number;
  /** Where the catalogue has one of its own for the prompt. */
  readonly inputTokens: number | null;
  readonly outputTokens: number;
}

/** The most that the host asks a model to answer (OpenCode 1.18.33). */
const ANSWER_TOKENS = 32_000;

/** What a prompt may take; null where the catalogue doesn't say. */
export function usableTokens({
  contextTokens,
  inputTokens,
  outputTokens,
}: ModelLimits): number | null {
  if (inputTokens !== null && inputTokens > 0) return inputTokens;
  return contextTokens > 0 ? computePromptTokens(contextTokens, outputTokens) : null;
}

/** What is left of a window for the prompt, where the answer has its room. */
function computePromptTokens(contextTokens: number, outputTokens: number): number {
  const answer = Math.min(outputTokens > 0 ? outputTokens : ANSWER_TOKENS, ANSWER_TOKENS);
  return Math.max(contextTokens - answer, Math.ceil(contextTokens / 2));
}

/** How much the call may hold. Tokens by our estimate, which begins at the provider's own figures. */
export interface CallSpace {
  /** Of the call as it would be sent without a change; not looked at where nobody knows the limit. */
  readonly estimatedTokens: number;
  /** What the model can take in one call, room for its answer set aside; null: not known. */
  readonly usableTokens: number | null;
  /** What its tokens cost. */
  readonly rates: CacheRates;
}

/** What the catalogue knows of a model that decides how much room there is. */
export interface ModelBounds {
  readonly limits: ModelLimits;
  readonly rates: CacheRates;
}

/** With what the provider has stated at a refusal: the smaller one counts, whoever said it. */
export function narrowed(
  bounds: ModelBounds | null,
  statedTokens: number | null,
): ModelBounds | null {
  if (statedTokens === null) return bounds;
  const { limits, rates } = bounds ?? { limits: unknownLimits, rates: usualRates };
  if (limits.contextTokens > 0 && limits.contextTokens <= statedTokens) return bounds;
  const { inputTokens, outputTokens } = limits;
  const stated = { contextTokens: statedTokens, inputTokens: null, outputTokens };
  if (inputTokens === null || inputTokens <= 0) return { rates, limits: stated };
  const most = Math.min(computePromptTokens(statedTokens, outputTokens), inputTokens);
  return { rates, limits: { ...stated, inputTokens: most } };
}

const unknownLimits: ModelLimits = { contextTokens: 0, inputTokens: null, outputTokens: 0 };

/** `bounds` is null where the catalogue can't be asked: nothing is under pressure then. */
export function spaceFor(
  bounds: ModelBounds | null,
  projected: readonly HostMessage[],
  isOutdated: IsOutdated,
): CallSpace {
  const rates = bounds?.rates ?? usualRates;
  const usable = bounds && usableTokens(bounds.limits);
  if (usable === null) return { usableTokens: null, estimatedTokens: 0, rates };
  return { usableTokens: usable, estimatedTokens: estimateCall(projected, isOutdated), rates };
}

/** Whether what stands before an answer was rewritten since: its call's figures say nothing of the next. */
export type IsOutdated = (answer: HostMessage) => boolean;

/** The call that these messages make, if they are sent as they are. */
export function estimateCall(projected: readonly HostMessage[], isOutdated: IsOutdated): number {
  const answered = projected.findLastIndex((message) => reportOn(message) !== null);
  const answer = projected[answered];
  const reported = answer === undefined || isOutdated(answer) ? null : reportOn(answer);
  const known = reported && answer ? callTokens(answer, reported) : null;
  const rest = known === null ? projected : projected.slice(answered + 1);
  return rest.reduce((sum, message) => sum + messageTokens(message), known ?? 0);
}

/** What the call took that made this message, with the results that came of it. */
function callTokens({ parts }: HostMessage, reported: ReportedTokens): number {
  const results = parts.reduce((sum, part) => sum + resultTokens(part), 0);
  return promptSum(reported) + reported.output + results;
}

/** What the prompt took whose answer this message is; null: nobody said. */
export function promptTokens(message: HostMessage): number | null {
  const reported = reportOn(message);
  return reported && promptSum(reported);
}

function promptSum({ input, cache }: ReportedTokens): number {
  return input + cache.read + cache.write;
}

/** The provider's figures of the call whose answer this message is; a summary answers another one. */
function reportOn({ info }: HostMessage): ReportedTokens | null {
  const { summary, tokens } = info as MessageInfo & AnswerRow;
  const { input, output, cache } = tokens ?? {};
  if (summary || typeof input !== "number" || typeof output !== "number" || !cache) return null;
  const { read = 0, write = 0 } = cache;
  const report = { input, output, cache: { read, write } };
  return promptSum(report) > 0 ? report : null;
}

/** What the host notes on an answer's row; an earlier version may have left some of it out. */
interface AnswerRow {
  readonly summary?: unknown;
  readonly tokens?: Partial<ReportedTokens>;
}
