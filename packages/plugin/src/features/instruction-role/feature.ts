// Declares the feature to the host: updates in the provider's instruction role, if that is on or was used before.
import type { Feature } from "../../feature-api/feature.ts";

export const instructionRoleFeature: Feature = {
  name: "lowering",
  open: async (context) =>
    (await import("./create-instruction-role.ts")).createInstructionRoleFeature(context),
};
