import { type Block, commonBlocks, sumTokens } from "../block.ts";
import { billOf, type Caching, RATES, type Usage } from "./rates.ts";

/** An accepted call, as far as its bill goes. */
export interface BilledCall {
  readonly session: string;
  readonly model: string;
  readonly caching: Caching;
  readonly blocks: readonly Block[];
  readonly usage: Usage;
}

/**
 * What a rewrite of sent bytes counts as. `"waste"`: never legitimate, the ideal only pays for
 * growth. A function: the calls for which it says true (a compaction, an undo, …) may write anew
 * what no earlier call of their session and model began with.
 */
export type Rewrites<Call extends BilledCall> = "waste" | ((call: Call) => boolean);

export function actualBill(calls: readonly BilledCall[]): number {
  return calls.reduce((sum, call) => sum + billOf(call.usage, RATES[call.caching]), 0);
}

/** The bill if, per session, model and tool list, each token were written once and read after. */
export function idealBill<Call extends BilledCall>(
  calls: readonly Call[],
  rewrites: Rewrites<Call>,
): number {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const key = groupOf(call);
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return [...groups.values()].reduce((sum, group) => sum + idealOfGroup(group, rewrites), 0);
}

/** 1 is perfect; below 1 something was read from another session's cache. */
export function billRatio<Call extends BilledCall>(
  calls: readonly Call[],
  rewrites: Rewrites<Call>,
): number {
  return actualBill(calls) / idealBill(calls, rewrites);
}

function groupOf(call: BilledCall): string {
  const tools = call.blocks.filter((block) => block.layer === "tools");
  return [call.session, call.model, ...tools.map((block) => block.bytes)].join("\0");
}

function idealOfGroup<Call extends BilledCall>(
  calls: readonly Call[],
  rewrites: Rewrites<Call>,
): number {
  return calls.reduce((sum, call, position) => {
    const earlier = calls.slice(0, position);
    const legitimate = rewrites !== "waste" && rewrites(call);
    const readTokens = legitimate ? sharedTokens(earlier, call) : growthBase(earlier, call);
    const rates = RATES[call.caching];
    const writeTokens = sumTokens(call.blocks) - readTokens;
    return sum + writeTokens * rates.write + readTokens * rates.read;
  }, 0);
}

function growthBase(earlier: readonly BilledCall[], call: BilledCall): number {
  const previous = earlier.at(-1);
  return previous ? Math.min(sumTokens(previous.blocks), sumTokens(call.blocks)) : 0;
}

function sharedTokens(earlier: readonly BilledCall[], call: BilledCall): number {
  const counts = earlier.map((other) => commonBlocks(other.blocks, call.blocks));
  return sumTokens(call.blocks.slice(0, Math.max(0, ...counts)));
}
