// Key files as declared to the host.
import { defineFeature } from "../../features/define-feature.ts";
import { SEARCH_INDEX } from "../../features/extension-points.ts";
import { settingsOf } from "../../features/settings.ts";
import { keyFileSettings } from "./settings.ts";

export const keyFilesFeature = defineFeature({
  name: "key-files",
  isOn: (config) => settingsOf(config, keyFileSettings).enabled,
  turnOn: '"keyFiles": { "enabled": true }',
  commands: [
    {
      name: "ctx-files",
      title: "Key files",
      description: "Show which files this project keeps coming back to",
      shows: "answer",
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
  // Nobody else knows which files were touched.
  needs: { index: SEARCH_INDEX },
  open: async (house, given) => (await import("./room.ts")).openRoom(house, given),
});
