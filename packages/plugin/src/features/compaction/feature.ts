// The feature: a compaction receives the work in hand.
import type { Feature } from "../../feature-api/feature.ts";

export const compactionFeature: Feature = {
  name: "continuity",
  commands: [
    {
      name: "ctx-brief",
      title: "Brief",
      description: "Show the brief that a compaction would get now",
      shows: "report",
    },
  ],
  open: async (context) =>
    (await import("./create-compaction.ts")).createCompactionFeature(context),
};
