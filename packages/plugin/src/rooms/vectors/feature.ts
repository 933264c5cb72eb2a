// Vectors as declared to the host: recall's tool finds texts by what they mean, too.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { vectorSettings } from "./settings.ts";

export const vectorsFeature: Feature = {
  name: "vectors",
  isOn: (config) => {
    const { url, model } = settingsOf(config, vectorSettings);
    return url !== "" && model !== "";
  },
  status: async () => (await import("./vectors-section.ts")).readVectorsSection(),
  settings: vectorSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
