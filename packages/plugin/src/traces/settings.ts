// Traces' section of the configuration.
import type { SettingsSection } from "../features/settings.ts";

export interface TracesSettings {
  readonly openTelemetry: "auto" | "off";
}

export const tracesSettings: SettingsSection<TracesSettings> = {
  key: "traces",
  defaults: { openTelemetry: "auto" },
  schema: async () => (await import("./settings-schema.ts")).tracesSchema,
};
