// Declares recall to the host: the search index, and the tools that search it.
import { defineFeature } from "../../feature-api/define-feature.ts";
import {
  FINDERS,
  KEEP_REF,
  SEARCH_INDEX,
  SEGMENT_SEARCH,
  SEMANTIC_CORPORA,
  SEMANTIC_SEARCH,
} from "../../feature-api/extension-points.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { recallSettings } from "./settings.ts";
import { expandTool, searchTool } from "./tools.ts";

/** The index is a feature of its own, because other features write to it or read it. */
export const searchIndexFeature = defineFeature({
  name: "search-index",
  isOn: (config) => selectSettings(config, recallSettings).enabled,
  provides: { index: SEARCH_INDEX, corpus: SEMANTIC_CORPORA },
  open: async (context) => (await import("./index-feature.ts")).createIndexFeature(context),
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
  open: async (context, given) =>
    (await import("./create-search.ts")).createSearchFeature(context, given),
});
