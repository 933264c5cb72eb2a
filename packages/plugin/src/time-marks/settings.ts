// The section of the configuration for time marks.
import type { SettingsSection } from "../features/settings.ts";

interface TimeMarkSettings {
  readonly enabled: boolean;
  readonly afterMinutes: number;
}

export const timeMarkSettings: SettingsSection<TimeMarkSettings> = {
  key: "timeMarks",
  defaults: { enabled: false, afterMinutes: 60 },
  schema: async () => (await import("./settings-schema.ts")).timeMarksSchema,
};
