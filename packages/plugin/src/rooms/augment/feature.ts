// `/ctx-aug` as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { augmentSettings } from "./settings.ts";

export const augmentFeature: Feature = {
  name: "augment",
  isOn: (config) => settingsOf(config, augmentSettings).enabled,
  turnOn: '"augment": { "enabled": true }, "recall": { "enabled": true }',
  commands: [
    {
      name: "ctx-aug",
      title: "Send with earlier work",
      description: "Send a prompt together with what earlier work says about it",
      shows: "answer",
    },
  ],
  settings: augmentSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
