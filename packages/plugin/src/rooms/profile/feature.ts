// The user's profile as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { selectSettings } from "../../features/settings.ts";
import { profileSettings } from "./settings.ts";
import { profileTool } from "./tool.ts";

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
      load: async () => (await import("./profile-word.ts")).profileCli,
    },
  ],
  settings: profileSettings,
  tables: async () => (await import("./table.ts")).profileTables,
  open: async (context) => (await import("./room.ts")).createProfileFeature(context),
};
