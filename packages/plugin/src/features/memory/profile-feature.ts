// The user's profile as declared to the host.
import type { Feature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { profileSettings } from "./profile-settings.ts";
import { profileTool } from "./profile-tool.ts";

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
      load: async () => (await import("./profile-cli.ts")).profileCli,
    },
  ],
  settings: profileSettings,
  tables: async () => (await import("./profile-table.ts")).profileTables,
  open: async (context) => (await import("./create-profile.ts")).createProfileFeature(context),
};
