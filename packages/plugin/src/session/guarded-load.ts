import type { SourceKey } from "../context/key.ts";
import type { Observed } from "../context/observe.ts";
import { type SourceState, unavailable } from "../context/state.ts";
import type { ContextSource, SystemContext } from "../context/system-context.ts";
import { within } from "../sources/within.ts";

/** Turns of the microtask queue within which a source answers that waits for nothing. */
const QUICK_TURNS = 24;

/**
 * Observes sources that can't cost each other anything: a failure, and a load that is not there
 * after `timeoutMs`, both become unavailable. One timer, and one race with it, serves all of them, and
 * there is none where all answer without waiting: the usual pass.
 */
export async function observeGuarded(context: SystemContext, timeoutMs: number): Promise<Observed> {
  const seen = new Map<SourceKey, SourceState>();
  let waitedFor = context.sources.length;
  const look = async ({ key, observe }: ContextSource) => {
    try {
      seen.set(key, await observe());
    } catch (error) {
      seen.set(key, unavailable(error instanceof Error ? error.message : String(error)));
    }
    waitedFor -= 1;
  };
  const looks = Promise.all(context.sources.map(look));
  for (let turn = 0; turn < QUICK_TURNS && waitedFor > 0; turn++) await null;
  if (waitedFor > 0) await within(timeoutMs, looks, () => null);
  const silent = unavailable(`no answer within ${timeoutMs} ms`);
  return context.sources.map(({ key, required }) => {
    return { key, required, state: seen.get(key) ?? silent };
  });
}
