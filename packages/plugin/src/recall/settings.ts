// Recall's section of the configuration.
import type { SettingsSection } from "../features/settings.ts";

interface RecallSettings {
  readonly enabled: boolean;
}

export const recallSettings: SettingsSection<RecallSettings> = {
  key: "recall",
  defaults: { enabled: true },
  schema: async () => (await import("./settings-schema.ts")).recallSchema,
};
