// Upkeep as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { upkeepSettings } from "./settings.ts";

export const upkeepFeature: Feature = {
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
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
