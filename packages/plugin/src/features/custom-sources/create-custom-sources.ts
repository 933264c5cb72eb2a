// A Location's sources from the configuration, shared by its sessions.
import { compareKeys, sourceKey } from "../../context/key.ts";
import { combine, make, type SystemContext } from "../../context/system-context.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { projectPlace } from "../../project/project-root.ts";
import { Confinement } from "../../sources/confinement.ts";
import { type CustomSourceEntry, toSpec } from "../../sources/custom-spec.ts";
import { type CustomSourceDeps, customSource } from "./custom-source.ts";

export function createCustomSourcesFeature({
  location,
  config,
  confined,
  env,
  now,
}: FeatureContext): FeatureInstance {
  const entries = config.sources;
  const { directory } = location;
  const { context, close } = configuredSources({ directory, entries, confined, env, now });
  return { sources: () => context, hooks: { closed: close } };
}

export interface ConfiguredSources {
  readonly context: SystemContext;
  /** Ends commands that still run. */
  close(): void;
}

interface ConfiguredSourcesInput extends Omit<CustomSourceDeps, "signal" | "confinement"> {
  readonly entries: Readonly<Record<string, CustomSourceEntry>>;
  /** Entries that a project's own file gives, with what is called for each path that leads out of it. */
  readonly confined: ReadonlyMap<string, (path: string) => void>;
}

/** All sessions of a Location share what was read: a command runs once for all of them. */
export function configuredSources(input: ConfiguredSourcesInput): ConfiguredSources {
  const { entries, confined, ...deps } = input;
  const closing = new AbortController();
  const { root } = projectPlace(deps.directory);
  const findConfinement = (key: string) => {
    const refused = confined.get(key);
    return refused ? new Confinement(root, refused) : null;
  };
  const contexts = Object.entries(entries)
    .sort(([left], [right]) => compareKeys(left, right))
    .map(([key, entry]) => {
      const confinement = findConfinement(key);
      const spec = toSpec(sourceKey(key), entry);
      return make(customSource(spec, { ...deps, signal: closing.signal, confinement }));
    });
  return { context: combine(contexts), close: () => closing.abort() };
}
