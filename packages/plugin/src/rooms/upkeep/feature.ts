// Upkeep as declared to the host.
import { defineFeature } from "../../features/define-feature.ts";
import { PROJECT_LEASE } from "../../features/extension-points.ts";
import { settingsOf } from "../../features/settings.ts";
import { upkeepSettings } from "./settings.ts";

export const upkeepFeature = defineFeature({
  name: "upkeep",
  isOn: (config) => Object.keys(settingsOf(config, upkeepSettings).tasks).length > 0,
  turnOn: '"upkeep": { "tasks": { "verify": { "schedule": "0 3 * * *" } } }',
  commands: [
    {
      name: "ctx-upkeep",
      title: "Upkeep",
      description: "Tidy this project's memories, see what was done, undo it",
      shows: "answer",
    },
  ],
  words: [
    {
      name: "upkeep",
      summary: "Tidy this project's memories, see what was done, undo it",
      load: async () => (await import("./upkeep-word.ts")).upkeepWord,
    },
  ],
  status: async () => (await import("./section.ts")).upkeepSection,
  settings: upkeepSettings,
  tables: async () => (await import("./run-table.ts")).upkeepTables,
  uses: { lease: PROJECT_LEASE },
  open: async (house, given) => (await import("./room.ts")).openRoom(house, given),
});
