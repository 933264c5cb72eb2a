// The section of the configuration for nudges.
import type { SettingsSection } from "../features/settings.ts";

interface NudgeSettings {
  readonly enabled: boolean;
}

export const nudgeSettings: SettingsSection<NudgeSettings> = {
  key: "nudges",
  defaults: { enabled: false },
  schema: async () => (await import("./settings-schema.ts")).nudgesSchema,
};
