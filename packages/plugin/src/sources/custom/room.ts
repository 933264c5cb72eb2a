// The configured sources in one plugin instance.
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { configuredSources } from "./configured-sources.ts";

export function openCustomSources({ location, config, confined, env, now }: House): Room {
  const entries = config.sources;
  const { context, close } = configuredSources({ ...location, entries, confined, env, now });
  return { sources: () => context, hooks: { closed: close } };
}
