// The historian as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { historianConfig, historianIsOn } from "./config.ts";

export const historianFeature: Feature = {
  name: "historian",
  isOn: historianIsOn,
  turnOn: '"historian": { "enabled": true }, "history": { "rewrite": "worth" }',
  commands: [
    {
      name: "ctx-recomp",
      title: "Summarise again",
      description: "Have a model summarise this session's history again",
      shows: "answer",
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
