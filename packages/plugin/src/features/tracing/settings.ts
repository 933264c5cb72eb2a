// Traces' section of the configuration.
import { onlyStricter, type SettingsValues, settingsSection } from "../../feature-api/settings.ts";

export const tracesSettings = settingsSection({
  key: "traces",
  description: "Spans of what the runtime does: names and figures, without message texts.",
  settings: { openTelemetry: onlyStricter("auto", ["off", "auto"]) },
  keys: (z) => ({
    openTelemetry: z
      .enum(["auto", "off"])
      .describe(
        "Whether spans are given to OpenTelemetry. `auto`: where the host's process has an SDK for them. Their lines in the log do not depend on it.",
      ),
  }),
});

export type TracesSettings = SettingsValues<typeof tracesSettings>;
