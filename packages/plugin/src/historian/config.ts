// The historian's section of the configuration.
import type { SettingsSection } from "../features/settings.ts";

export interface HistorianConfig {
  readonly enabled: boolean;
  /** `provider/model`, in the order in which they are asked; none: the model of all jobs. */
  readonly models: readonly string[];
  readonly batchTokens: number;
  readonly timeoutMs: number;
}

export const historianConfig: SettingsSection<HistorianConfig> = {
  key: "historian",
  defaults: { enabled: true, models: [], batchTokens: 12_000, timeoutMs: 120_000 },
  schema: async () => (await import("./config-schema.ts")).historianSchema,
};
