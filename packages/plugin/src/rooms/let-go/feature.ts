// Letting go of results, as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { isReduceEnabled, reduceTool } from "./tool.ts";

export const reduceFeature: Feature = {
  name: "let-go",
  isOn: isReduceEnabled,
  tools: [reduceTool],
  open: async (context) => (await import("./room.ts")).createReduceFeature(context),
};
