// Memory as declared to the host.
import { defineFeature } from "../../feature-api/define-feature.ts";
import { FINDERS, SEMANTIC_CORPORA } from "../../feature-api/extension-points.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { memorySettings } from "./settings.ts";
import { memoryTool, noteTool } from "./tools.ts";

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
  status: async () => (await import("./memory-section.ts")).memorySection,
  settings: memorySettings,
  tables: async () => (await import("./schema-module.ts")).memorySchemaModule,
  provides: { finder: FINDERS, corpus: SEMANTIC_CORPORA },
  open: async (context) => (await import("./create-memory.ts")).createMemoryFeature(context),
});
