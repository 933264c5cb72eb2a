// The section of the configuration for commits.
import type { SettingsSection } from "../features/settings.ts";

interface CommitSettings {
  readonly enabled: boolean;
  readonly most: number;
}

export const commitSettings: SettingsSection<CommitSettings> = {
  key: "commits",
  defaults: { enabled: true, most: 100_000 },
  schema: async () => (await import("./settings-schema.ts")).commitsSchema,
};
