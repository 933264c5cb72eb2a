// Smart notes as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { selectSettings } from "../../features/settings.ts";
import { smartNoteSettings } from "./settings.ts";
import { remindTool } from "./tool.ts";

export const smartNotesFeature: Feature = {
  name: "smart-notes",
  isOn: (config) => selectSettings(config, smartNoteSettings).enabled,
  enableHint: '"smartNotes": { "enabled": true }',
  tools: [remindTool],
  commands: [
    {
      name: "ctx-remind",
      title: "Reminders",
      description: "List, add or finish notes that come up when a condition holds",
      shows: "answer",
    },
  ],
  settings: smartNoteSettings,
  open: async (context) => (await import("./room.ts")).createSmartNotesFeature(context),
};
