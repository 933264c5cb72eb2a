// Computes how long the host may take for a step before it counts as hanging, on this machine, now.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PluginEntry } from "../../config-file/plugin-list.ts";
import type { FoundHost } from "../../host/find-host.ts";
import { type Environment, resolvePlaces } from "../../host/places.ts";
import { isPathSpec } from "../../setup/plugin-identity.ts";

/** A step of a healthy host takes less than two seconds on a machine that has nothing else to do. */
const MIN_MS = 7_000;
const MAX_MS = 60_000;
/** Multiplies the time of `--version`, which the host answers without doing any work, to limit a step. */
const STEP_OF_VERSION = 8;

/**
 * Returns the patience for a step; the maximum at a first start, when the host fetches packages and may take long.
 */
export function patienceWith(
  host: FoundHost,
  listed: readonly PluginEntry[],
  env: Environment,
): number {
  const { hostConfig, hostPackages } = resolvePlaces(env);
  const isCached = (spec: string) =>
    [spec, `${spec}@latest`].some((name) => existsSync(join(hostPackages, name)));
  const fetchesFirst =
    !existsSync(join(hostConfig, "node_modules")) ||
    listed.some(({ spec }) => !isPathSpec(spec) && !isCached(spec));
  if (fetchesFirst) return MAX_MS;
  return Math.min(MAX_MS, Math.max(MIN_MS, Math.ceil(host.answeredInMs) * STEP_OF_VERSION));
}
