// Declares the commits feature to the host: recall's tools find commits.
import { defineFeature } from "../../feature-api/define-feature.ts";
import { FINDERS, SEARCH_INDEX, SEMANTIC_CORPORA } from "../../feature-api/extension-points.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { commitSettings } from "./commit-settings.ts";

export const commitsFeature = defineFeature({
  name: "commits",
  isOn: (config) => selectSettings(config, commitSettings).enabled,
  settings: commitSettings,
  provides: { finder: FINDERS, corpus: SEMANTIC_CORPORA },
  // Nothing but recall's tools searches for commits.
  needs: { index: SEARCH_INDEX },
  open: async (context, given) =>
    (await import("./create-commits.ts")).createCommitsFeature(context, given),
});
