// The section of the configuration for the user's profile.
import type { SettingsSection } from "../features/settings.ts";

interface ProfileSettings {
  readonly enabled: boolean;
  readonly budgetTokens: number;
}

export const profileSettings: SettingsSection<ProfileSettings> = {
  key: "profile",
  defaults: { enabled: false, budgetTokens: 300 },
  schema: async () => (await import("./settings-schema.ts")).profileSchema,
};
