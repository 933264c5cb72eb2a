// Declares vectors to the host: with them recall's tool also searches by meaning.
import { defineFeature } from "../../feature-api/define-feature.ts";
import {
  SEARCH_INDEX,
  SEMANTIC_CORPORA,
  SEMANTIC_SEARCH,
} from "../../feature-api/extension-points.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { vectorSettings } from "./vector-settings.ts";

export const vectorsFeature = defineFeature({
  name: "vectors",
  isOn: (config) => {
    const { url, model } = selectSettings(config, vectorSettings);
    return url !== "" && model !== "";
  },
  status: async () => (await import("./vectors-section.ts")).readVectorsSection(),
  settings: vectorSettings,
  provides: { search: SEMANTIC_SEARCH },
  // Nothing but recall's tool searches vectors.
  needs: { index: SEARCH_INDEX },
  uses: { corpora: SEMANTIC_CORPORA },
  open: async (context, given) =>
    (await import("./create-vectors.ts")).createVectorsFeature(context, given),
});
