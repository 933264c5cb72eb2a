// Declares a team's store to the host.
import { PROJECT_LEASE } from "../../feature-api/extension-points.ts";
import { defineFeature } from "../../feature-api/feature.ts";
import { isTeamSet } from "./is-set.ts";

export const teamFeature = defineFeature({
  name: "team",
  isOn: (config) => isTeamSet(config, process.env),
  cliCommands: [
    {
      name: "memory",
      summary: "List, correct, export or import the memories of this project",
      load: async () => (await import("./team-cli.ts")).teamMemoryCli,
    },
  ],
  tables: async () => (await import("./schema.ts")).teamSchemaPart,
  status: async () => (await import("./section.ts")).readTeamSection,
  provides: { lease: PROJECT_LEASE },
  open: async (context) => (await import("./create-team.ts")).createTeamFeature(context),
});
