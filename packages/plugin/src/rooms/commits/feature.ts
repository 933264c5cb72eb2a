// Commits as declared to the host: they are found by recall's tools.
import { defineFeature } from "../../features/define-feature.ts";
import { FINDERS, SEARCH_INDEX, SEMANTIC_CORPORA } from "../../features/extension-points.ts";
import { selectSettings } from "../../features/settings.ts";
import { commitSettings } from "./settings.ts";

export const commitsFeature = defineFeature({
  name: "commits",
  isOn: (config) => selectSettings(config, commitSettings).enabled,
  settings: commitSettings,
  provides: { finder: FINDERS, corpus: SEMANTIC_CORPORA },
  // Nobody else would look through it.
  needs: { index: SEARCH_INDEX },
  open: async (context, given) => (await import("./room.ts")).createCommitsFeature(context, given),
});
