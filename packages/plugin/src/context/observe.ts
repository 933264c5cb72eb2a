// Observes every source of a System Context once, all concurrently.
import type { SourceKey } from "./key.ts";
import { type SourceState, unavailableState } from "./state.ts";
import type { SystemContext } from "./system-context.ts";

/** One source in the state in which it was observed. */
export interface ObservedSource {
  readonly key: SourceKey;
  readonly required: boolean;
  readonly state: SourceState;
}

/** A System Context as observed at one moment, in the caller's order. */
export type ObservedContext = readonly ObservedSource[];

/** Observes every source exactly once, all at the same time. Rejects as soon as one of them does. */
export function observe(context: SystemContext): Promise<ObservedContext> {
  return Promise.all(
    context.sources.map(async ({ key, required, observe }) => {
      return { key, required, state: await observe() };
    }),
  );
}

/**
 * Returns the same observation with one source marked unavailable. A caller does so for a source whose rendering
 * failed, so that the others are still announced.
 */
export function demote(observed: ObservedContext, key: SourceKey, reason: string): ObservedContext {
  return observed.map((source) =>
    source.key === key ? { ...source, state: unavailableState(reason) } : source,
  );
}
