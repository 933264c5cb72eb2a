// The features that are opened: those that the settings turn on, and that the host has a place for.
import type { Config } from "../config/schema.ts";
import type { Feature } from "./feature.ts";
import { withNeedsMet } from "./opening-order.ts";

/**
 * A feature whose needs are off is off as well.
 * @param leftOut names of those that the host has no place for
 */
export function enabledFeatures(
  listed: readonly Feature[],
  config: Config,
  leftOut: ReadonlySet<string>,
): readonly Feature[] {
  return withNeedsMet(
    listed.filter(({ name, isOn }) => !leftOut.has(name) && (isOn?.(config) ?? true)),
  );
}
