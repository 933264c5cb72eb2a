// A Location's custom sources, shared by its sessions.
import { compareKeys, sourceKey } from "../../context/key.ts";
import type { Additions } from "./added-sources.ts";
import { type CustomSourceDeps, customSource } from "./custom-source.ts";
import { sharedRegistry } from "./registration.ts";
import { type CustomSourceEntry, specOf } from "./spec.ts";

/** A Location's own sources, until they are closed. */
export interface LocationSources {
  readonly additions: Additions;
  /** Ends commands that still run. */
  close(): void;
}

export interface LocationSourcesInput extends Omit<CustomSourceDeps, "signal"> {
  readonly entries: Readonly<Record<string, CustomSourceEntry>>;
  /** How long a producer of the registry may take, in milliseconds. */
  readonly producerTimeoutMs: number;
}

/** All sessions of a Location share what was read: a command runs once for all of them. */
export function locationSources(input: LocationSourcesInput): LocationSources {
  const { entries, producerTimeoutMs, ...deps } = input;
  const closing = new AbortController();
  const configured = Object.entries(entries)
    .sort(([left], [right]) => compareKeys(left, right))
    .map(([key, entry]) =>
      customSource(specOf(sourceKey(key), entry), { ...deps, signal: closing.signal }),
    );
  return {
    additions: { configured, registry: sharedRegistry(), timeoutMs: producerTimeoutMs },
    close: () => closing.abort(),
  };
}
