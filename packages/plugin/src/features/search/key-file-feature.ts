// Declares key files to the host.
import { defineFeature } from "../../feature-api/define-feature.ts";
import { SEARCH_INDEX } from "../../feature-api/extension-points.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { keyFileSettings } from "./key-file-settings.ts";

export const keyFilesFeature = defineFeature({
  name: "key-files",
  isOn: (config) => selectSettings(config, keyFileSettings).enabled,
  enableHint: '"keyFiles": { "enabled": true }',
  commands: [
    {
      name: "ctx-files",
      title: "Key files",
      description: "Show which files this project keeps coming back to",
      shows: "answer",
    },
  ],
  cliCommands: [
    {
      name: "files",
      summary: "Show which files a project keeps coming back to",
      load: async () => (await import("./key-file-cli.ts")).filesCli,
    },
  ],
  settings: keyFileSettings,
  // Only the search index knows which files were touched.
  needs: { index: SEARCH_INDEX },
  open: async (context, given) =>
    (await import("./create-key-files.ts")).createKeyFilesFeature(context, given),
});
