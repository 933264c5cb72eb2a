// History's section of the configuration.
import type { SettingsSection } from "../features/settings.ts";

export interface HistoryConfig {
  readonly rewrite: "worth" | "pressure" | "off";
  readonly keepTokens: "auto" | number;
  readonly budgetTokens: "auto" | number;
}

export const historyConfig: SettingsSection<HistoryConfig> = {
  key: "history",
  defaults: { rewrite: "worth", keepTokens: "auto", budgetTokens: "auto" },
  schema: async () => (await import("./config-schema.ts")).historySchema,
};
