// Observes sources with one timeout, and tracks those that fail to load or to render.
import type { SourceKey } from "../context/key.ts";
import { EmptyRenderingError, FailedRenderingError } from "../context/source.ts";
import {
  type ContextSource,
  createUnavailableState,
  markUnavailable,
  type ObservedContext,
  type SourceState,
  type SystemContext,
} from "../context/system-context.ts";
import { describeFailure } from "../sources/custom-spec.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { SessionId } from "../storage/records.ts";
import { SessionSources } from "./session-sources.ts";

/** The number of microtask turns to wait before a timer is set: a source that waits for nothing answers within them. */
const MAX_MICROTASK_TURNS = 24;

/** The reason that is given for a busy machine, which calls for no action by the user. */
export const FILES_LATE_REASON = "its files could not be read in time; this machine may be busy";

/** Limits the wait for sources that have no answer at once. */
interface LoadTimeout {
  readonly timeoutMs: number;
  /** `to the end`: a source that reads only files of this machine is waited for however long it takes. */
  readonly files: "to the end" | "as others";
}

/**
 * Observes sources so that none affects another: a source that fails, or that does not load in time, becomes
 * unavailable. One timer, and one race with it, serves all sources, and there is no timer if all answer
 * without waiting, as they usually do.
 */
export async function observeGuarded(
  context: SystemContext,
  { timeoutMs, files }: LoadTimeout,
): Promise<ObservedContext> {
  const late = createUnavailableState(`no answer within ${timeoutMs} ms`);
  const states: SourceState[] = [];
  const open: PendingLoad[] = [];
  let waitedFor = 0;
  for (const [index, source] of context.sources.entries()) {
    const look = startObservation(source);
    const readsFiles = look instanceof Promise && source.readsFilesAlone();
    states[index] =
      look instanceof Promise
        ? readsFiles
          ? createUnavailableState(FILES_LATE_REASON)
          : late
        : look;
    if (!(look instanceof Promise)) continue;
    waitedFor += 1;
    const answered = look.then((state) => {
      states[index] = state;
      waitedFor -= 1;
    });
    open.push({ answered, readsFiles });
  }
  for (let turn = 0; turn < MAX_MICROTASK_TURNS && waitedFor > 0; turn++) await null;
  if (waitedFor > 0) await withTimeout(timeoutMs, waitForAll(open), () => null);
  if (waitedFor > 0 && files === "to the end") {
    await waitForAll(open.filter(({ readsFiles }) => readsFiles));
  }
  return context.sources.map(({ key, required }, index) => {
    return { key, required, state: states[index] ?? late };
  });
}

interface PendingLoad {
  readonly answered: Promise<void>;
  readonly readsFiles: boolean;
}

function waitForAll(open: readonly PendingLoad[]): Promise<unknown> {
  return Promise.all(open.map(({ answered }) => answered));
}

/** Starts an observation. Never throws, never rejects. */
function startObservation({ observe }: ContextSource): SourceState | Promise<SourceState> {
  try {
    const look = observe();
    return look instanceof Promise ? look.catch(toFailedState) : look;
  } catch (error) {
    return toFailedState(error);
  }
}

function toFailedState(error: unknown): SourceState {
  return createUnavailableState(describeFailure("its load", error));
}

// Tracks the sources that could not be observed, by session.

/** The outcome of a source's last observation, for status. */
export interface SourceHealth {
  readonly key: SourceKey;
  readonly reason: string;
  readonly sinceMs: number;
}

type FailingSources = ReadonlyMap<SourceKey, SourceHealth>;

const NO_FAILURES: FailingSources = new Map();

/** The sources that could not be observed at each session's last boundary. */
export class SourceHealthTracker {
  readonly #sessions = new Map<SessionId, FailingSources>();

  constructor(
    private readonly deps: {
      readonly now: () => number;
      /** Is called once for each source that fails, and again only after the source has been observed. */
      readonly sourceFailed: (key: SourceKey, reason: string) => void;
      /** Is called when a source no longer fails in any session: it was observed again, or is gone. */
      readonly sourceBack: (key: SourceKey) => void;
    },
  ) {}

  listFor(sessionId: SessionId): readonly SourceHealth[] {
    return [...(this.#sessions.get(sessionId) ?? NO_FAILURES).values()];
  }

  /** Records an observation. A source that is not in it is gone, and no longer counts as failing. */
  recordObservation(sessionId: SessionId, observed: ObservedContext): void {
    const before = this.#sessions.get(sessionId) ?? NO_FAILURES;
    const failing = new Map<SourceKey, SourceHealth>();
    for (const { key, state } of observed) {
      // A source that was never seen has not failed: the host has rendered nothing in this process.
      if (state.kind !== "unavailable" || SessionSources.readOffText.has(key)) continue;
      const known = before.get(key);
      failing.set(key, known ?? { key, reason: state.reason, sinceMs: this.deps.now() });
      if (!known && !this.#isFailing(key)) this.deps.sourceFailed(key, state.reason);
    }
    this.#sessions.set(sessionId, failing);
    this.#reportRecovered(before);
  }

  forget(sessionId: SessionId): void {
    const before = this.#sessions.get(sessionId) ?? NO_FAILURES;
    this.#sessions.delete(sessionId);
    this.#reportRecovered(before);
  }

  #reportRecovered(before: FailingSources): void {
    for (const key of before.keys()) if (!this.#isFailing(key)) this.deps.sourceBack(key);
  }

  #isFailing(key: SourceKey): boolean {
    return [...this.#sessions.values()].some((failing) => failing.has(key));
  }
}

// Renders what was observed; a source that fails to render affects only itself.

interface RenderResult<Outcome> {
  readonly outcome: Outcome;
  /** The observation, with each source that could not be rendered marked unavailable. */
  readonly observed: ObservedContext;
}

/**
 * Renders what was observed. A source that fails affects only itself: its last announcement stands, and the
 * others are announced. The loop ends, because an unavailable source is not rendered.
 */
export function renderAvailable<Outcome>(
  observed: ObservedContext,
  render: (observed: ObservedContext) => Outcome,
): RenderResult<Outcome> {
  try {
    return { outcome: render(observed), observed };
  } catch (error) {
    if (!(error instanceof EmptyRenderingError || error instanceof FailedRenderingError)) {
      throw error;
    }
    return renderAvailable(markUnavailable(observed, error.key, error.message), render);
  }
}
