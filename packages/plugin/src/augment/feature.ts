// `/ctx-aug` as declared to the host.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { augmentSettings } from "./settings.ts";

export const augmentFeature: Feature = {
  name: "augment",
  isOn: (config) => settingsOf(config, augmentSettings).enabled,
  commands: [
    {
      name: "ctx-aug",
      description: "Session Runtime: send a prompt together with what earlier work says about it",
    },
  ],
  settings: augmentSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
