// Search hints as declared to the host.
import { defineFeature } from "../../features/define-feature.ts";
import { FINDERS, SEARCH_INDEX } from "../../features/extension-points.ts";
import { selectSettings } from "../../features/settings.ts";
import { searchHintSettings } from "./settings.ts";

export const searchHintsFeature = defineFeature({
  name: "search-hints",
  isOn: (config) => selectSettings(config, searchHintSettings).enabled,
  settings: searchHintSettings,
  needs: { index: SEARCH_INDEX },
  uses: { finders: FINDERS },
  open: async (context, given) =>
    (await import("./room.ts")).createSearchHintsFeature(context, given),
});
