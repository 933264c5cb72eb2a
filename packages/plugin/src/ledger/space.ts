// Computes the size of the next call, and the cost of its tokens relative to uncached ones.
import type { HostMessage, MessageInfo } from "./message.ts";
import { estimateMessageTokens, estimateResultTokens } from "./tokens.ts";

// Computes the cost of a token that the cache reads or writes, relative to an uncached token.

/** The costs of a token, in input tokens of the same model. */
export interface CacheRates {
  readonly read: number;
  readonly write: number;
  /**
   * How many blocks before a breakpoint the provider searches for a known prefix; null if it finds the
   * longest prefix by itself.
   */
  readonly lookBackBlocks: number | null;
}

/** The host's price record of a model, in any currency, and how its provider finds a known prefix. */
interface RecordedPrice {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly caching: "breakpoints" | "automatic";
}

const DEFAULT_READ_RATE = 0.1;
const DEFAULT_WRITE_RATE = 1.25;
const LOOK_BACK_BLOCKS = 20;

/**
 * Turns a price record into rates. If a price is missing (zero), the usual rate applies; a write that has no
 * price of its own costs as much as an input token.
 */
export function toRates(price: RecordedPrice): CacheRates {
  const { input, cacheRead, cacheWrite, caching } = price;
  const computeShare = (part: number, usual: number) =>
    input > 0 && part > 0 ? part / input : usual;
  const marked = caching === "breakpoints";
  return {
    read: computeShare(cacheRead, DEFAULT_READ_RATE),
    write: computeShare(cacheWrite, marked ? DEFAULT_WRITE_RATE : 1),
    lookBackBlocks: marked ? LOOK_BACK_BLOCKS : null,
  };
}

/** The rates used if nothing is known about the model. */
export const usualRates: CacheRates = {
  read: DEFAULT_READ_RATE,
  write: DEFAULT_WRITE_RATE,
  lookBackBlocks: null,
};

/** The token counts that the host notes on a model's answer (OpenCode 1.18.33). */
interface ReportedTokens {
  readonly input: number;
  readonly output: number;
  readonly cache: { readonly read: number; readonly write: number };
}

/** The limits of one call of a model, in tokens. */
interface ModelLimits {
  readonly contextTokens: number;
  /** The catalogue's own limit for the prompt; null if it has none. */
  readonly inputTokens: number | null;
  readonly outputTokens: number;
}

/** The longest answer, in tokens, that the host requests from a model (OpenCode 1.18.33). */
const ANSWER_TOKENS = 32_000;

/** Returns how many tokens a prompt may take; null if the catalogue doesn't say. */
export function computeUsableTokens({
  contextTokens,
  inputTokens,
  outputTokens,
}: ModelLimits): number | null {
  if (inputTokens !== null && inputTokens > 0) return inputTokens;
  return contextTokens > 0 ? computePromptTokens(contextTokens, outputTokens) : null;
}

/** Returns the part of a window that is left for the prompt after the answer's share. */
function computePromptTokens(contextTokens: number, outputTokens: number): number {
  const answer = Math.min(outputTokens > 0 ? outputTokens : ANSWER_TOKENS, ANSWER_TOKENS);
  return Math.max(contextTokens - answer, Math.ceil(contextTokens / 2));
}

/** The size of a call against its limit, in tokens by our estimate, which begins at the provider's figures. */
export interface CallSpace {
  /** The tokens of the call if it is sent unchanged; not computed if the limit is unknown. */
  readonly estimatedTokens: number;
  /** The tokens that the model can take in one call, less the answer's share; null if unknown. */
  readonly usableTokens: number | null;
  /** The cost of the call's tokens. */
  readonly rates: CacheRates;
}

/** A model's limits and rates from the catalogue. */
export interface ModelSpec {
  readonly limits: ModelLimits;
  readonly rates: CacheRates;
}

/** Applies the limit that the provider stated in a refusal: the smaller of the two limits counts. */
export function narrowBounds(
  bounds: ModelSpec | null,
  statedTokens: number | null,
): ModelSpec | null {
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

/** Computes the space. If the catalogue can't be read, `bounds` is null and nothing is under pressure. */
export function computeCallSpace(
  bounds: ModelSpec | null,
  projected: readonly HostMessage[],
  isOutdated: IsOutdated,
): CallSpace {
  const rates = bounds?.rates ?? usualRates;
  const usable = bounds && computeUsableTokens(bounds.limits);
  if (usable === null) return { usableTokens: null, estimatedTokens: 0, rates };
  return {
    usableTokens: usable,
    estimatedTokens: estimateCallTokens(projected, isOutdated),
    rates,
  };
}

/**
 * Returns true if what stands before an answer has since been rewritten, so that the figures of the answer's
 * call don't predict the next call's.
 */
export type IsOutdated = (answer: HostMessage) => boolean;

/** Estimates the tokens of the call that sends these messages as they are. */
export function estimateCallTokens(
  projected: readonly HostMessage[],
  isOutdated: IsOutdated,
): number {
  const answered = projected.findLastIndex((message) => findReport(message) !== null);
  const answer = projected[answered];
  const reported = answer === undefined || isOutdated(answer) ? null : findReport(answer);
  const known = reported && answer ? countCallTokens(answer, reported) : null;
  const rest = known === null ? projected : projected.slice(answered + 1);
  return rest.reduce((sum, message) => sum + estimateMessageTokens(message), known ?? 0);
}

/** Adds up the tokens of the call that made this message and of the results of the message's own calls. */
function countCallTokens({ parts }: HostMessage, reported: ReportedTokens): number {
  const results = parts.reduce((sum, part) => sum + estimateResultTokens(part), 0);
  return sumPromptTokens(reported) + reported.output + results;
}

/** Returns the tokens of the prompt that this message answers; null if nobody reported them. */
export function readPromptTokens(message: HostMessage): number | null {
  const reported = findReport(message);
  return reported && sumPromptTokens(reported);
}

function sumPromptTokens({ input, cache }: ReportedTokens): number {
  return input + cache.read + cache.write;
}

/**
 * Returns the provider's figures for the call that this message answers; null for a summary, which answers
 * another call.
 */
function findReport({ info }: HostMessage): ReportedTokens | null {
  const { summary, tokens } = info as MessageInfo & AnswerRow;
  const { input, output, cache } = tokens ?? {};
  if (summary || typeof input !== "number" || typeof output !== "number" || !cache) return null;
  const { read = 0, write = 0 } = cache;
  const report = { input, output, cache: { read, write } };
  return sumPromptTokens(report) > 0 ? report : null;
}

/** The host's note on an answer's row; an earlier version may have left some of it out. */
interface AnswerRow {
  readonly summary?: unknown;
  readonly tokens?: Partial<ReportedTokens>;
}
