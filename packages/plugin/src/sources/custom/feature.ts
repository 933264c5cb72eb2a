// The feature: Context Sources of the user's own, from the configuration.
import type { Feature } from "../../features/feature.ts";

export const customSources: Feature = {
  name: "custom-sources",
  isOn: ({ sources }) => Object.keys(sources).length > 0,
  open: async (house) => (await import("./room.ts")).openCustomSources(house),
};
