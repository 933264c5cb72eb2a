// Declares `ctx_reduce` to the host.
import type { Feature } from "../../feature-api/feature.ts";
import { isReduceEnabled, reduceTool } from "./reduce-tool.ts";

export const reduceFeature: Feature = {
  name: "let-go",
  isOn: isReduceEnabled,
  tools: [reduceTool],
  open: async (context) => (await import("./create-reduce.ts")).createReduceFeature(context),
};
