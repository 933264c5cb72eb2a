// Declares the compaction feature to the host: each compaction receives a brief of the current work.
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
