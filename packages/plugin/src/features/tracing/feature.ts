// Declares traces to the host: spans of what the runtime does, and their settings.
import type { Feature } from "../../feature-api/feature.ts";
import {
  allowStricter,
  defineSettingsSection,
  type SettingsValues,
} from "../../feature-api/settings.ts";

// Defines the configuration's section for traces.

export const tracesSettings = defineSettingsSection({
  key: "traces",
  description: "Spans of what the runtime does: names and figures, without message texts.",
  settings: { openTelemetry: allowStricter("auto", ["off", "auto"]) },
  keys: (z) => ({
    openTelemetry: z
      .enum(["auto", "off"])
      .describe(
        "Whether spans are passed to OpenTelemetry. `auto`: if OpenCode's process has an SDK for them. The log gets them in any case.",
      ),
  }),
});

export type TracesSettings = SettingsValues<typeof tracesSettings>;

export const tracingFeature: Feature = {
  name: "traces",
  settings: tracesSettings,
  open: async (context) => (await import("./create-tracing.ts")).createTracingFeature(context),
};
