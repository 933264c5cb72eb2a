// Smart notes as declared to the host.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { smartNoteSettings } from "./settings.ts";
import { remindTool } from "./tool.ts";

export const smartNotesFeature: Feature = {
  name: "smart-notes",
  isOn: (config) => settingsOf(config, smartNoteSettings).enabled,
  tools: [remindTool],
  commands: [
    {
      name: "ctx-remind",
      description: "Session Runtime: list, add or finish notes that come up when a condition holds",
    },
  ],
  settings: smartNoteSettings,
  tables: async () => (await import("./table.ts")).smartNoteTables,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
