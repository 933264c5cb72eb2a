// Vectors as declared to the host: recall's tool finds texts by what they mean, too.
import { defineFeature } from "../../features/define-feature.ts";
import {
  SEARCH_INDEX,
  SEMANTIC_CORPORA,
  SEMANTIC_SEARCH,
} from "../../features/extension-points.ts";
import { selectSettings } from "../../features/settings.ts";
import { vectorSettings } from "./settings.ts";

export const vectorsFeature = defineFeature({
  name: "vectors",
  isOn: (config) => {
    const { url, model } = selectSettings(config, vectorSettings);
    return url !== "" && model !== "";
  },
  status: async () => (await import("./vectors-section.ts")).readVectorsSection(),
  settings: vectorSettings,
  provides: { search: SEMANTIC_SEARCH },
  // Nobody else would look for them.
  needs: { index: SEARCH_INDEX },
  uses: { corpora: SEMANTIC_CORPORA },
  open: async (context, given) => (await import("./room.ts")).createVectorsFeature(context, given),
});
