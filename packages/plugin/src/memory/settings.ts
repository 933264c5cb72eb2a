// Memory's section of the configuration.
import type { SettingsSection } from "../features/settings.ts";

export interface MemorySettings {
  readonly enabled: boolean;
  readonly budgetTokens: number;
  /** The address of a team's store; null: everything stays on this machine. */
  readonly store: string | null;
  readonly member: string | null;
  readonly shared: boolean;
}

export const memorySettings: SettingsSection<MemorySettings> = {
  key: "memory",
  defaults: { enabled: true, budgetTokens: 1_200, store: null, member: null, shared: true },
  schema: async () => (await import("./settings-schema.ts")).memorySchema,
};
