// The section of the configuration for key files.
import type { SettingsSection } from "../features/settings.ts";

export interface KeyFileSettings {
  readonly enabled: boolean;
  readonly budgetTokens: number;
  readonly pinned: readonly string[];
  readonly banned: readonly string[];
  /** A folder of grammars; empty: where OpenCode installs plugins. */
  readonly grammars: string;
}

export const keyFileSettings: SettingsSection<KeyFileSettings> = {
  key: "keyFiles",
  defaults: { enabled: false, budgetTokens: 1_000, pinned: [], banned: [], grammars: "" },
  schema: async () => (await import("./settings-schema.ts")).keyFilesSchema,
};
