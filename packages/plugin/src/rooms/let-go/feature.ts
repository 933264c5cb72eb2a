// Letting go of results, as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { canLetGo, reduceTool } from "./tool.ts";

export const letGoFeature: Feature = {
  name: "let-go",
  isOn: canLetGo,
  tools: [reduceTool],
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
