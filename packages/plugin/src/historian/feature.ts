// The historian as declared to the host.
import type { Feature } from "../features/feature.ts";
import { historianConfig, historianIsOn } from "./config.ts";

export const historianFeature: Feature = {
  name: "historian",
  isOn: historianIsOn,
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
