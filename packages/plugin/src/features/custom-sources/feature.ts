// Declares the feature to the host: the user's own Context Sources, from the configuration.
import type { Feature } from "../../feature-api/feature.ts";

export const customSourcesFeature: Feature = {
  name: "custom-sources",
  isOn: ({ sources }) => Object.keys(sources).length > 0,
  open: async (context) => (await import("./custom-source.ts")).createCustomSourcesFeature(context),
};
