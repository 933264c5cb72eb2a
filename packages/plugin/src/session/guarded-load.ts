import type { SourceKey } from "../context/key.ts";
import { type Observed, observe } from "../context/observe.ts";
import { type SourceState, unavailable } from "../context/state.ts";
import { guarded, type SystemContext } from "../context/system-context.ts";

/**
 * Observes sources that can't cost each other anything: a failure, and a load that is not there
 * after `timeoutMs`, both become unavailable. One timer serves all of them.
 */
export async function observeGuarded(context: SystemContext, timeoutMs: number): Promise<Observed> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<SourceState>((resolve) => {
    timer = setTimeout(() => resolve(unavailable(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  const guard = (_key: SourceKey, load: () => Promise<SourceState>) =>
    Promise.race([attempt(load), late]);
  try {
    return await observe(guarded(context, guard));
  } finally {
    clearTimeout(timer);
  }
}

async function attempt(observe: () => Promise<SourceState>): Promise<SourceState> {
  try {
    return await observe();
  } catch (error) {
    return unavailable(error instanceof Error ? error.message : String(error));
  }
}
