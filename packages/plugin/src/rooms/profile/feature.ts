// The user's profile as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { profileSettings } from "./settings.ts";
import { profileTool } from "./tool.ts";

export const profileFeature: Feature = {
  name: "profile",
  isOn: (config) => settingsOf(config, profileSettings).enabled,
  turnOn: '"profile": { "enabled": true }',
  tools: [profileTool],
  commands: [
    {
      name: "ctx-profile",
      title: "Profile",
      description: "Show, correct or forget the notes about how you work",
      shows: "answer",
    },
  ],
  words: [
    {
      name: "profile",
      summary: "Show, correct or forget the notes about how you work",
      load: async () => (await import("./profile-word.ts")).profileWord,
    },
  ],
  settings: profileSettings,
  tables: async () => (await import("./table.ts")).profileTables,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
