// Recall as declared to the host: the search index, and the tools that look things up in it.
import { defineFeature } from "../../features/define-feature.ts";
import {
  FINDERS,
  KEEP_REF,
  SEARCH_INDEX,
  SEGMENT_SEARCH,
  SEMANTIC_CORPORA,
  SEMANTIC_SEARCH,
} from "../../features/extension-points.ts";
import { selectSettings } from "../../features/settings.ts";
import { recallSettings } from "./settings.ts";
import { expandTool, searchTool } from "./tools.ts";

/** A feature of its own: others put into it, or read it, what recall's tools then find by them. */
export const searchIndexFeature = defineFeature({
  name: "search-index",
  isOn: (config) => selectSettings(config, recallSettings).enabled,
  provides: { index: SEARCH_INDEX, corpus: SEMANTIC_CORPORA },
  open: async (context) => (await import("./index-room.ts")).openIndexRoom(context),
});

export const searchFeature = defineFeature({
  name: "recall",
  tools: [searchTool, expandTool],
  settings: recallSettings,
  needs: { index: SEARCH_INDEX },
  uses: {
    finders: FINDERS,
    findMeant: SEMANTIC_SEARCH,
    findSegment: SEGMENT_SEARCH,
    keep: KEEP_REF,
  },
  open: async (house, given) => (await import("./room.ts")).createSearchFeature(house, given),
});
