// The feature: oversized results are bounded, with their full text in a managed file.
import type { Feature } from "../../features/feature.ts";

export const toolOutput: Feature = {
  name: "tool-output",
  open: async (house) => (await import("./room.ts")).openToolOutput(house),
};
