// Declares search hints to the host.
import { defineFeature } from "../../feature-api/define-feature.ts";
import { FINDERS, SEARCH_INDEX } from "../../feature-api/extension-points.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { searchHintSettings } from "./hint-settings.ts";

export const searchHintsFeature = defineFeature({
  name: "search-hints",
  isOn: (config) => selectSettings(config, searchHintSettings).enabled,
  settings: searchHintSettings,
  needs: { index: SEARCH_INDEX },
  uses: { finders: FINDERS },
  open: async (context, given) =>
    (await import("./create-search-hints.ts")).createSearchHintsFeature(context, given),
});
