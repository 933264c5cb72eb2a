// A team's store as declared to the host.
import { defineFeature } from "../../features/define-feature.ts";
import { PROJECT_LEASE } from "../../features/extension-points.ts";
import { isTeamSet } from "./is-set.ts";

export const teamFeature = defineFeature({
  name: "team",
  isOn: (config) => isTeamSet(config, process.env),
  cliCommands: [
    {
      name: "memory",
      summary: "List, correct, export or import the memories of this project",
      load: async () => (await import("./memory-word.ts")).teamMemoryCli,
    },
  ],
  tables: async () => (await import("./schema.ts")).teamSchemaPart,
  status: async () => (await import("./section.ts")).teamSection,
  provides: { lease: PROJECT_LEASE },
  open: async (context) => (await import("./room.ts")).createTeamFeature(context),
});
