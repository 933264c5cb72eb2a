// Search hints as declared to the host.
import { defineFeature } from "../../features/define-feature.ts";
import { FINDERS, SEARCH_INDEX } from "../../features/extension-points.ts";
import { settingsOf } from "../../features/settings.ts";
import { searchHintSettings } from "./settings.ts";

export const searchHintsFeature = defineFeature({
  name: "search-hints",
  isOn: (config) => settingsOf(config, searchHintSettings).enabled,
  settings: searchHintSettings,
  needs: { index: SEARCH_INDEX },
  uses: { finders: FINDERS },
  open: async (house, given) => (await import("./room.ts")).openRoom(house, given),
});
