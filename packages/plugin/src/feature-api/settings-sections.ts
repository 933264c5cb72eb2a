// The sections that features bring to the configuration.
import type { SettingsSection } from "../config/section.ts";
import type { Feature } from "./feature.ts";

/** In the order of the list. */
export function settingsSections(features: readonly Feature[]): readonly SettingsSection[] {
  return features.flatMap(({ settings }) => settings ?? []);
}
