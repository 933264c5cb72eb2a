// Smart notes as declared to the host.
import type { Feature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { smartNoteSettings } from "./smart-note-settings.ts";
import { remindTool } from "./smart-note-tool.ts";

export const smartNotesFeature: Feature = {
  name: "smart-notes",
  isOn: (config) => selectSettings(config, smartNoteSettings).enabled,
  enableHint: '"smartNotes": { "enabled": true }',
  tools: [remindTool],
  commands: [
    {
      name: "ctx-remind",
      title: "Reminders",
      description: "List, add or close notes that come up when a condition holds",
      shows: "answer",
    },
  ],
  settings: smartNoteSettings,
  open: async (context) =>
    (await import("./create-smart-notes.ts")).createSmartNotesFeature(context),
};
