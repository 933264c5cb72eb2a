// Memory's section of the configuration.
import type { SettingsSection } from "../features/settings.ts";

export interface MemorySettings {
  readonly enabled: boolean;
  readonly budgetTokens: number;
}

export const memorySettings: SettingsSection<MemorySettings> = {
  key: "memory",
  defaults: { enabled: false, budgetTokens: 1_200 },
  schema: async () => (await import("./settings-schema.ts")).memorySchema,
};
