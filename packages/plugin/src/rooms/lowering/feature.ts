// The feature: updates in the provider's own instruction role, where that is on or was used before.
import type { Feature } from "../../features/feature.ts";

export const lowering: Feature = {
  name: "lowering",
  open: async (house) => (await import("./room.ts")).openLowering(house),
};
