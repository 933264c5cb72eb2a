// The feature: oversized results are bounded, with their full text in a managed file.
import { defineFeature } from "../../features/define-feature.ts";
import { FAILURE_BOUNDS } from "../../features/extension-points.ts";

export const toolOutput = defineFeature({
  name: "tool-output",
  provides: { boundFailure: FAILURE_BOUNDS },
  open: async (house) => (await import("./room.ts")).openToolOutput(house),
});
