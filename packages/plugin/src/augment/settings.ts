// The section of the configuration for `/ctx-aug`.
import type { SettingsSection } from "../features/settings.ts";

interface AugmentSettings {
  readonly enabled: boolean;
}

export const augmentSettings: SettingsSection<AugmentSettings> = {
  key: "augment",
  defaults: { enabled: false },
  schema: async () => (await import("./settings-schema.ts")).augmentSchema,
};
