// The feature: updates in the provider's own instruction role, where that is on or was used before.
import type { Feature } from "../../features/feature.ts";

export const instructionRoleFeature: Feature = {
  name: "lowering",
  open: async (context) => (await import("./room.ts")).createInstructionRoleFeature(context),
};
