// The section of the configuration for search hints.
import type { SettingsSection } from "../features/settings.ts";

interface SearchHintSettings {
  readonly enabled: boolean;
}

export const searchHintSettings: SettingsSection<SearchHintSettings> = {
  key: "searchHints",
  defaults: { enabled: false },
  schema: async () => (await import("./settings-schema.ts")).searchHintsSchema,
};
