// The bill of a run, and the least that it could have been.
// Folder: What a run cost, and the least that it could have cost.
import { type Block, commonBlocks, sumTokens } from "../block.ts";
import { REALISTIC } from "./cache.ts";
import { type Caching, computePromptBill, RATES, type Usage } from "./rates.ts";

/** An accepted call, as far as its bill goes. */
export interface BilledCall {
  /** By the provider's clock, in milliseconds. */
  readonly at: number;
  readonly session: string;
  readonly model: string;
  /** The agent's own prompt, at the begin of the system string. */
  readonly preamble: string;
  readonly caching: Caching;
  readonly blocks: readonly Block[];
  readonly usage: Usage;
}

/**
 * What a rewrite of sent bytes counts as. `"waste"`: never legitimate, the ideal only pays for
 * growth. A function: the calls for which it says true (a compaction, an undo, …) may write again
 * what no earlier call of their session and model began with.
 */
export type Rewrites<Call extends BilledCall> = "waste" | ((call: Call) => boolean);

export function actualBill(calls: readonly BilledCall[]): number {
  return calls.reduce((sum, call) => sum + computePromptBill(call.usage, RATES[call.caching]), 0);
}

/**
 * The bill if, per session, model, tool list and agent's prompt, each token were written once and read
 * after, within the cache's life.
 */
export function idealBill<Call extends BilledCall>(
  calls: readonly Call[],
  rewrites: Rewrites<Call>,
): number {
  return computeIdealBills(calls, rewrites).reduce((sum, { ideal }) => sum + ideal, 0);
}

/**
 * The same, but a call that paid less, since another session had paid for what it read, counts as what
 * it paid: it is not a credit, which would hide the waste of other calls.
 */
export function idealWithoutCredit<Call extends BilledCall>(
  calls: readonly Call[],
  rewrites: Rewrites<Call>,
): number {
  return computeIdealBills(calls, rewrites).reduce(
    (sum, { call, ideal }) => sum + Math.min(ideal, actualBill([call])),
    0,
  );
}

/** 1 is perfect; below 1 something was read from another session's cache. */
export function billRatio<Call extends BilledCall>(
  calls: readonly Call[],
  rewrites: Rewrites<Call>,
): number {
  return actualBill(calls) / idealBill(calls, rewrites);
}

/**
 * An agent's prompt counts as the tool list does: it comes after the tools, where the host sets no
 * breakpoint, so that another agent's first call can read nothing; the way back reads all of its own.
 */
function cacheGroupKey(call: BilledCall): string {
  const tools = call.blocks.filter((block) => block.layer === "tools").map(({ bytes }) => bytes);
  return [call.session, call.model, call.preamble, ...tools].join("\0");
}

/** After a pause of the cache's life nothing is left to read: what follows is written again. */
function splitSpans<Call extends BilledCall>(group: readonly Call[]): readonly (readonly Call[])[] {
  const spans: Call[][] = [];
  for (const call of group) {
    const open = spans.at(-1);
    const previous = open?.at(-1);
    if (open && previous && call.at - previous.at < REALISTIC.ttlMs) open.push(call);
    else spans.push([call]);
  }
  return spans;
}

function computeIdealBills<Call extends BilledCall>(
  calls: readonly Call[],
  rewrites: Rewrites<Call>,
) {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const key = cacheGroupKey(call);
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return [...groups.values()].flatMap(splitSpans).flatMap((span) =>
    span.map((call, position) => {
      const earlier = span.slice(0, position);
      const legitimate = rewrites !== "waste" && rewrites(call);
      const readTokens = legitimate ? sharedTokens(earlier, call) : growthBase(earlier, call);
      const rates = RATES[call.caching];
      const writeTokens = sumTokens(call.blocks) - readTokens;
      return { call, ideal: writeTokens * rates.write + readTokens * rates.read };
    }),
  );
}

function growthBase(earlier: readonly BilledCall[], call: BilledCall): number {
  const previous = earlier.at(-1);
  return previous ? Math.min(sumTokens(previous.blocks), sumTokens(call.blocks)) : 0;
}

function sharedTokens(earlier: readonly BilledCall[], call: BilledCall): number {
  const counts = earlier.map((other) => commonBlocks(other.blocks, call.blocks));
  return sumTokens(call.blocks.slice(0, Math.max(0, ...counts)));
}
