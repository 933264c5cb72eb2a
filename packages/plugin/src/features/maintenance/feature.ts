// Declares upkeep to the host.
import { PROJECT_LEASE } from "../../feature-api/extension-points.ts";
import { defineFeature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { maintenanceSettings } from "./settings.ts";

export const maintenanceFeature = defineFeature({
  name: "upkeep",
  isOn: (config) => Object.keys(selectSettings(config, maintenanceSettings).tasks).length > 0,
  enableHint: '"upkeep": { "tasks": { "verify": { "schedule": "0 3 * * *" } } }',
  commands: [
    {
      name: "ctx-upkeep",
      title: "Upkeep",
      description: "Tidy this project's memories, see what was done, undo it",
      shows: "answer",
    },
  ],
  cliCommands: [
    {
      name: "upkeep",
      summary: "Tidy this project's memories, see what was done, undo it",
      load: async () => (await import("./maintenance-cli.ts")).maintenanceCli,
    },
  ],
  status: async () => (await import("./report.ts")).readMaintenanceSection,
  settings: maintenanceSettings,
  tables: async () => (await import("./run-table.ts")).maintenanceTables,
  uses: { lease: PROJECT_LEASE },
  open: async (context, given) =>
    (await import("./create-maintenance.ts")).createMaintenanceFeature(context, given),
});
