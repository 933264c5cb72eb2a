// Key files as declared to the host.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { keyFileSettings } from "./settings.ts";

export const keyFilesFeature: Feature = {
  name: "key-files",
  isOn: (config) => settingsOf(config, keyFileSettings).enabled,
  commands: [
    {
      name: "ctx-files",
      description: "Session Runtime: show which files this project keeps coming back to",
    },
  ],
  words: [
    {
      name: "files",
      summary: "Show which files a project keeps coming back to",
      load: async () => (await import("./files-word.ts")).filesWord,
    },
  ],
  settings: keyFileSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
