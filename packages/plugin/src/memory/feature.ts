// Memory as declared to the host.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { memorySettings } from "./settings.ts";
import { memoryTool, noteTool } from "./tools.ts";

export const memoryFeature: Feature = {
  name: "memory",
  isOn: (config) => settingsOf(config, memorySettings).enabled,
  tools: [memoryTool, noteTool],
  commands: [
    {
      name: "ctx-memory",
      description: "Session Runtime: list, add, correct or archive what is known of this project",
    },
    {
      name: "ctx-note",
      description: "Session Runtime: list, add or finish notes that stay in view until done",
    },
  ],
  words: [
    {
      name: "workspace",
      summary: "Let projects read each other's memories",
      load: async () => (await import("./workspace-word.ts")).workspaceWord,
    },
  ],
  status: async () => (await import("./memory-section.ts")).memorySection,
  settings: memorySettings,
  tables: async () => (await import("./schema.ts")).memorySchemaPart,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
