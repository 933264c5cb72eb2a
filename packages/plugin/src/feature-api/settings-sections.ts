// The sections that features bring to the configuration.
import type { SettingsSection } from "../config/section.ts";
import type { Feature } from "./feature.ts";

/** Lists the sections in the order of the features. */
export function settingsSections(features: readonly Feature[]): readonly SettingsSection[] {
  return features.flatMap(({ settings }) => settings ?? []);
}
