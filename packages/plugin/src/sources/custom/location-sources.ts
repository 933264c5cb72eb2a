// A Location's custom sources, shared by its sessions.
import { compareKeys, sourceKey } from "../../context/key.ts";
import { Confinement, projectRoot } from "../confinement.ts";
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

export interface LocationSourcesInput extends Omit<CustomSourceDeps, "signal" | "confinement"> {
  readonly worktree: string;
  readonly rooms: Additions["rooms"];
  readonly entries: Readonly<Record<string, CustomSourceEntry>>;
  /** Entries that a project's own file gives, with what is called for each path that leads out of it. */
  readonly confined: ReadonlyMap<string, (path: string) => void>;
  /** How long a producer of the registry may take, in milliseconds. */
  readonly producerTimeoutMs: number;
}

/** All sessions of a Location share what was read: a command runs once for all of them. */
export function locationSources(input: LocationSourcesInput): LocationSources {
  const { rooms, entries, confined, producerTimeoutMs, worktree, ...deps } = input;
  const closing = new AbortController();
  const root = projectRoot({ directory: deps.directory, worktree });
  const confinementOf = (key: string) => {
    const refused = confined.get(key);
    return refused ? new Confinement(root, refused) : null;
  };
  const configured = Object.entries(entries)
    .sort(([left], [right]) => compareKeys(left, right))
    .map(([key, entry]) =>
      customSource(specOf(sourceKey(key), entry), {
        ...deps,
        signal: closing.signal,
        confinement: confinementOf(key),
      }),
    );
  return {
    additions: { rooms, configured, registry: sharedRegistry(), timeoutMs: producerTimeoutMs },
    close: () => closing.abort(),
  };
}
