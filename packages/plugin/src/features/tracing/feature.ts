// The feature: spans of what the runtime does.
import type { Feature } from "../../feature-api/feature.ts";
import { tracesSettings } from "./settings.ts";

export const tracingFeature: Feature = {
  name: "traces",
  settings: tracesSettings,
  open: async (context) => (await import("./create-tracing.ts")).createTracingFeature(context),
};
