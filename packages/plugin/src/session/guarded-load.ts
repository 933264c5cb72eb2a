// Observes sources with one timeout; failures become unavailable.
import type { Observed } from "../context/observe.ts";
import { type SourceState, unavailable } from "../context/state.ts";
import type { ContextSource, SystemContext } from "../context/system-context.ts";
import { failureWords } from "../sources/failure-words.ts";
import { within } from "../sources/within.ts";

/** Turns of the microtask queue within which a source answers that waits for nothing. */
const QUICK_TURNS = 24;

/**
 * Observes sources that can't cost each other anything: a failure, and a load that is not there
 * after `timeoutMs`, both become unavailable. One timer, and one race with it, serves all of them, and
 * there is none where all answer without waiting: the usual pass.
 */
export async function observeGuarded(context: SystemContext, timeoutMs: number): Promise<Observed> {
  const late = unavailable(`no answer within ${timeoutMs} ms`);
  const states: SourceState[] = [];
  const open: Promise<void>[] = [];
  let waitedFor = 0;
  for (const [index, source] of context.sources.entries()) {
    const look = begin(source);
    states[index] = look instanceof Promise ? late : look;
    if (!(look instanceof Promise)) continue;
    waitedFor += 1;
    const answered = look.then((state) => {
      states[index] = state;
      waitedFor -= 1;
    });
    open.push(answered);
  }
  for (let turn = 0; turn < QUICK_TURNS && waitedFor > 0; turn++) await null;
  if (waitedFor > 0) await within(timeoutMs, Promise.all(open), () => null);
  return context.sources.map(({ key, required }, index) => {
    return { key, required, state: states[index] ?? late };
  });
}

/** Never throws, never rejects. */
function begin({ observe }: ContextSource): SourceState | Promise<SourceState> {
  try {
    const look = observe();
    return look instanceof Promise ? look.catch(failed) : look;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): SourceState {
  return unavailable(failureWords("its load", error));
}
