// The historian as declared to the host.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { historyConfig } from "../history/config.ts";
import { historianConfig } from "./config.ts";

export const historianFeature: Feature = {
  name: "historian",
  // Its segments are for the fold: without one nobody would read them.
  isOn: (config) =>
    settingsOf(config, historianConfig).enabled &&
    settingsOf(config, historyConfig).rewrite !== "off",
  commands: [
    {
      name: "ctx-recomp",
      description: "Session Runtime: have a model summarise this session's history again",
    },
  ],
  words: [
    {
      name: "recomp",
      summary: "Have the history of sessions summarised again",
      load: async () => (await import("./recomp-word.ts")).recompWord,
    },
  ],
  settings: historianConfig,
  tables: async () => (await import("./segment-table.ts")).historianTables,
  status: async () => (await import("./section.ts")).historianSection,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
