import { afterEach } from "bun:test";
import { joinParts, reconcile } from "../../../../src/context/operations.ts";
import { emptySnapshot, type Snapshot } from "../../../../src/context/snapshot.ts";
import { combine } from "../../../../src/context/system-context.ts";
import { AddedSources } from "../../../../src/features/custom-sources/added-sources.ts";
import { getSharedRegistry } from "../../../../src/features/custom-sources/registration.ts";
import { registerSource, registerSourceIn, type SourceProducer } from "../../../../src/registry.ts";
import { observeGuarded } from "../../../../src/session/source-observation.ts";

const BOUNDARY_MS = 200;

/** A session of a Location, told what other plugins register. */
export class Session {
  snapshot: Snapshot = emptySnapshot;
  reasons: readonly string[] = [];
  readonly #sources = new AddedSources({
    featureInstances: [],
    registry: getSharedRegistry(),
    timeoutMs: BOUNDARY_MS,
  });

  constructor(
    private readonly directory: string,
    private readonly sessionId: string,
  ) {}

  /** The text of this boundary's message, or what else it comes to. */
  async boundary(): Promise<string> {
    const { directory, sessionId } = this;
    const model = { providerId: "anthropic", modelId: "claude" };
    const location = { directory, worktree: directory };
    const context = await this.#sources.context({
      scope: { location, sessionId, agent: "build", model },
      belief: this.snapshot,
      builtIn: combine([]),
    });
    const observed = await observeGuarded(context, {
      timeoutMs: BOUNDARY_MS,
      files: "as others",
    });
    this.reasons = observed.flatMap(({ key, state }) =>
      state.kind === "unavailable" ? [`${key}: ${state.reason}`] : [],
    );
    const change = reconcile(observed, this.snapshot);
    if (change.kind !== "updated") return change.kind;
    this.snapshot = change.snapshot;
    return joinParts(change.parts);
  }

  /** The same session in a process that has just begun. */
  restarted(): Session {
    const session = new Session(this.directory, this.sessionId);
    session.snapshot = this.snapshot;
    return session;
  }
}

const disposers: (() => void)[] = [];
/** For each test file: what a test registers goes with it. */
export function disposeAfterEach(): void {
  afterEach(() => {
    for (const dispose of disposers.splice(0)) dispose();
  });
}

/** Registers for the calling test alone. */
export function registered(entryKey: string, producer: SourceProducer): () => void {
  const dispose = registerSource(entryKey, producer);
  disposers.push(dispose);
  return dispose;
}

export function registeredIn(directory: string, entryKey: string, producer: SourceProducer) {
  const dispose = registerSourceIn(directory, entryKey, producer);
  disposers.push(dispose);
  return dispose;
}

/** A source whose text is its value. */
export function fact(key: string, value: () => string) {
  return {
    key,
    load: () => value(),
    baseline: (current: unknown) => `${key}: ${current}`,
    update: (previous: unknown, current: unknown) => `${key}: ${current}, was ${previous}`,
    removed: (previous: unknown) => `${key}: no more ${previous}`,
  };
}
