// The feature: a compaction receives the work in hand.
import type { Feature } from "../features/feature.ts";

export const continuity: Feature = {
  name: "continuity",
  commands: [
    {
      name: "ctx-brief",
      description: "Session Runtime: the brief that a compaction would get now",
      dialog: {
        title: "Session Runtime: brief",
        description: "The brief that a compaction would get now",
        shows: "report",
      },
    },
  ],
  open: async (house) => (await import("./room.ts")).openContinuity(house),
};
