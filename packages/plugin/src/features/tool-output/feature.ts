// The feature: oversized results are bounded, with their full text in a managed file.
import { defineFeature } from "../../feature-api/define-feature.ts";
import { FAILURE_BOUNDS } from "../../feature-api/extension-points.ts";

export const toolOutputFeature = defineFeature({
  name: "tool-output",
  provides: { boundFailure: FAILURE_BOUNDS },
  open: async (context) =>
    (await import("./create-tool-output.ts")).createToolOutputFeature(context),
});
