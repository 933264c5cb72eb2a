// Declares memory, the user's profile and smart notes to the host.
import { FINDERS, SEMANTIC_CORPORA } from "../../feature-api/extension-points.ts";
import { defineFeature, type Feature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { memorySettings, profileSettings, smartNoteSettings } from "./settings.ts";
import { memoryTool, noteTool, profileTool, remindTool } from "./tools.ts";

export const memoryFeature = defineFeature({
  name: "memory",
  isOn: (config) => selectSettings(config, memorySettings).enabled,
  enableHint: '"memory": { "enabled": true }',
  tools: [memoryTool, noteTool],
  commands: [
    {
      name: "ctx-memory",
      title: "Memory",
      description: "List, add, correct or archive what sessions know of this project",
      shows: "answer",
    },
    {
      name: "ctx-note",
      title: "Notes",
      description: "List, add or close notes that stay in view until done",
      shows: "answer",
    },
  ],
  cliCommands: [
    {
      name: "workspace",
      summary: "Let projects read each other's memories",
      load: async () => (await import("./workspace-cli.ts")).workspaceCli,
    },
  ],
  status: async () => (await import("./memory-text.ts")).readMemorySection,
  settings: memorySettings,
  tables: async () => (await import("./schema-module.ts")).memorySchemaModule,
  provides: { finder: FINDERS, corpus: SEMANTIC_CORPORA },
  open: async (context) => (await import("./create-memory.ts")).createMemoryFeature(context),
});

export const profileFeature: Feature = {
  name: "profile",
  isOn: (config) => selectSettings(config, profileSettings).enabled,
  enableHint: '"profile": { "enabled": true }',
  tools: [profileTool],
  commands: [
    {
      name: "ctx-profile",
      title: "Profile",
      description: "Show, correct or forget the notes about how you work",
      shows: "answer",
    },
  ],
  cliCommands: [
    {
      name: "profile",
      summary: "Show, correct or forget the notes about how you work",
      load: async () => (await import("./profile.ts")).profileCli,
    },
  ],
  settings: profileSettings,
  tables: async () => (await import("./profile-table.ts")).profileTables,
  open: async (context) => (await import("./create-profile.ts")).createProfileFeature(context),
};

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
