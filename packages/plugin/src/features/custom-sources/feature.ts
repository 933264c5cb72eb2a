// The feature: Context Sources of the user's own, from the configuration.
import type { Feature } from "../../feature-api/feature.ts";

export const customSourcesFeature: Feature = {
  name: "custom-sources",
  isOn: ({ sources }) => Object.keys(sources).length > 0,
  open: async (context) => (await import("./custom-source.ts")).createCustomSourcesFeature(context),
};
