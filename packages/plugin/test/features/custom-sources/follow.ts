import { afterEach } from "bun:test";
import { joinParts, reconcile } from "../../../src/context/operations.ts";
import { emptySnapshot, type Snapshot } from "../../../src/context/snapshot.ts";
import { combine, Registry } from "../../../src/context/system-context.ts";
import { AddedSources } from "../../../src/features/custom-sources/added-sources.ts";
import {
  type ConfiguredSources,
  createConfiguredSources,
} from "../../../src/features/custom-sources/custom-source.ts";
import { observeGuarded } from "../../../src/session/source-observation.ts";
import type { CustomSourceEntry } from "../../../src/sources/custom-spec.ts";

export interface Setting {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long the boundary waits, in milliseconds. */
  readonly boundaryMs: number;
  /** The entries that a project's own file gives; none where left out. */
  readonly projectKeys?: readonly string[];
}

/** A session that is told what its Location's own sources say, boundary by boundary. */
export interface Follower {
  /** The text of this boundary's message; null where nothing is said. */
  boundary(): Promise<string | null>;
  /** Why sources could not be observed at the last boundary. */
  reasons(): readonly string[];
  /** Paths that led out of the project, each as often as it was refused. */
  refused(): readonly string[];
  /** Moves the clock. */
  later(ms: number): void;
  readonly sources: ConfiguredSources;
}

const open: ConfiguredSources[] = [];
/** For each test file: what a test has opened is closed. */
export function closeAfterEach(): void {
  afterEach(() => {
    for (const sources of open.splice(0)) sources.close();
  });
}

export const SCOPE = {
  location: { directory: "/work/app", worktree: "/work/app" },
  sessionId: "ses_1",
  agent: "build",
  model: { providerId: "anthropic", modelId: "claude" },
};

export function follow(
  entries: Readonly<Record<string, CustomSourceEntry>>,
  { directory, env, boundaryMs, projectKeys = [] }: Setting,
): Follower {
  let nowMs = Date.now();
  let snapshot: Snapshot = emptySnapshot;
  let reasons: readonly string[] = [];
  const refused: string[] = [];
  const sources = createConfiguredSources({
    entries,
    confined: new Map(projectKeys.map((key) => [key, (path) => refused.push(`${key}: ${path}`)])),
    ...{ directory, env },
    now: () => nowMs,
  });
  open.push(sources);
  const session = new AddedSources({
    featureInstances: [() => sources.context],
    registry: new Registry(),
    timeoutMs: boundaryMs,
  });
  return {
    sources,
    reasons: () => reasons,
    refused: () => refused,
    later(ms) {
      nowMs += ms;
    },
    async boundary() {
      const builtIn = combine([]);
      const context = await session.context({ scope: SCOPE, belief: snapshot, builtIn });
      const observed = await observeGuarded(context, {
        timeoutMs: boundaryMs,
        files: "as others",
      });
      reasons = observed.flatMap(({ key, state }) =>
        state.kind === "unavailable" ? [`${key}: ${state.reason}`] : [],
      );
      const change = reconcile(observed, snapshot);
      if (change.kind === "unchanged") return null;
      if (change.kind !== "updated") return change.kind;
      snapshot = change.snapshot;
      return joinParts(change.parts);
    },
  };
}
