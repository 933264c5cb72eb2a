// Observes sources with one timeout; failures become unavailable.
import type { ObservedContext } from "../context/observe.ts";
import { type SourceState, unavailableState } from "../context/state.ts";
import type { ContextSource, SystemContext } from "../context/system-context.ts";
import { describeFailure } from "../sources/failure-text.ts";
import { withTimeout } from "../sources/with-timeout.ts";

/** The turns of the microtask queue within which a source answers that waits for nothing. */
const QUICK_TURNS = 24;

/** Gives the reason for a busy machine, which calls for no action of the user. */
export const FILES_LATE = "its files could not be read in time; this machine may be busy";

/** Limits the wait for sources that have no answer at once. */
interface LoadTimeout {
  readonly timeoutMs: number;
  /** `to the end`: a source that reads only files of this machine is waited for however long it takes. */
  readonly files: "to the end" | "as others";
}

/**
 * Observes sources so that none affects another: a failure, and a load that is not finished in time, become
 * unavailable. One timer, and one race with it, serves all of them, and there is none where all answer without
 * waiting, as they usually do.
 */
export async function observeGuarded(
  context: SystemContext,
  { timeoutMs, files }: LoadTimeout,
): Promise<ObservedContext> {
  const late = unavailableState(`no answer within ${timeoutMs} ms`);
  const states: SourceState[] = [];
  const open: LoadState[] = [];
  let waitedFor = 0;
  for (const [index, source] of context.sources.entries()) {
    const look = begin(source);
    const readsFiles = look instanceof Promise && source.readsFilesAlone();
    states[index] =
      look instanceof Promise ? (readsFiles ? unavailableState(FILES_LATE) : late) : look;
    if (!(look instanceof Promise)) continue;
    waitedFor += 1;
    const answered = look.then((state) => {
      states[index] = state;
      waitedFor -= 1;
    });
    open.push({ answered, readsFiles });
  }
  for (let turn = 0; turn < QUICK_TURNS && waitedFor > 0; turn++) await null;
  if (waitedFor > 0) await withTimeout(timeoutMs, waitForAll(open), () => null);
  if (waitedFor > 0 && files === "to the end") {
    await waitForAll(open.filter(({ readsFiles }) => readsFiles));
  }
  return context.sources.map(({ key, required }, index) => {
    return { key, required, state: states[index] ?? late };
  });
}

interface LoadState {
  readonly answered: Promise<void>;
  readonly readsFiles: boolean;
}

function waitForAll(open: readonly LoadState[]): Promise<unknown> {
  return Promise.all(open.map(({ answered }) => answered));
}

/** Starts an observation. Never throws, never rejects. */
function begin({ observe }: ContextSource): SourceState | Promise<SourceState> {
  try {
    const look = observe();
    return look instanceof Promise ? look.catch(failed) : look;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): SourceState {
  return unavailableState(describeFailure("its load", error));
}
